extension CMClock {
    /// What calls on a clock can fail with.
    public enum Error {
        /// A parameter that must be given was not.
        public static let missingRequiredParameter = MediaError(
            status: -12745, "a clock's required parameter is missing")
        /// A parameter makes no sense.
        public static let invalidParameter = MediaError(
            status: -12746, "a clock's parameter is invalid")
        /// There is no memory.
        public static let allocationFailed = MediaError(
            status: -12747, "no memory for a clock")
        /// The clock cannot do this, for instance because it was invalidated.
        public static let unsupportedOperation = MediaError(
            status: -12756, "the clock does not support this operation")
    }
}

extension CMTimebase {
    /// What calls on a timebase can fail with.
    public enum Error {
        /// A parameter that must be given was not.
        public static let missingRequiredParameter = MediaError(
            status: -12748, "a timebase's required parameter is missing")
        /// A time that is no number, a rate that is not finite, a source that would be its own
        /// source, or a timer that was not added.
        public static let invalidParameter = MediaError(
            status: -12749, "a timebase's parameter is invalid")
        /// There is no memory.
        public static let allocationFailed = MediaError(
            status: -12750, "no memory for a timebase")
        /// A run-loop timer that repeats too soon.
        public static let timerIntervalTooShort = MediaError(
            status: -12751, "the timer's interval is too short")
        /// The timebase is not its user's to set.
        public static let readOnly = MediaError(
            status: -12757, "the timebase is read-only")
    }
}

/// What questions about two clocks or timebases can fail with (`kCMSyncError_…`).
public enum CMSyncError {
    /// A parameter that must be given was not.
    public static let missingRequiredParameter = MediaError(
        status: -12752, "a required clock or timebase is missing")
    /// Nothing relates the two.
    public static let invalidParameter = MediaError(
        status: -12753, "the clocks or timebases have no common source")
    /// There is no memory.
    public static let allocationFailed = MediaError(
        status: -12754, "no memory for a relation of clocks")
    /// One is measured by another that stands still.
    public static let rateMustBeNonZero = MediaError(
        status: -12755, "the clock or timebase measured by stands still")
}
