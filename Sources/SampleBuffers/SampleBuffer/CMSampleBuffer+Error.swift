public import MediaTime

extension CMSampleBuffer {
    /// The errors of sample buffers.
    public enum Error {
        /// `kCMSampleBufferError_AllocationFailed`.
        public static let allocationFailed = MediaError(status: -12730, "allocation failed")
        /// `kCMSampleBufferError_RequiredParameterMissing`.
        public static let requiredParameterMissing = MediaError(
            status: -12731, "a required parameter is missing")
        /// `kCMSampleBufferError_AlreadyHasDataBuffer`.
        public static let alreadyHasDataBuffer = MediaError(
            status: -12732, "the sample buffer has its data buffer already")
        /// `kCMSampleBufferError_BufferNotReady`.
        public static let bufferNotReady = MediaError(status: -12733, "the data are not ready")
        /// `kCMSampleBufferError_SampleIndexOutOfRange`.
        public static let sampleIndexOutOfRange = MediaError(
            status: -12734, "sample index out of range")
        /// `kCMSampleBufferError_BufferHasNoSampleSizes`.
        public static let bufferHasNoSampleSizes = MediaError(status: -12735, "no sample sizes")
        /// `kCMSampleBufferError_BufferHasNoSampleTimingInfo`.
        public static let bufferHasNoSampleTimingInfo = MediaError(status: -12736, "no timing")
        /// `kCMSampleBufferError_ArrayTooSmall`.
        public static let arrayTooSmall = MediaError(status: -12737, "the array is too small")
        /// `kCMSampleBufferError_InvalidEntryCount`.
        public static let invalidEntryCount = MediaError(
            status: -12738, "entries must be none, one, or one a sample")
        /// `kCMSampleBufferError_CannotSubdivide`.
        public static let cannotSubdivide = MediaError(
            status: -12739, "without sample sizes there are no parts")
        /// `kCMSampleBufferError_SampleTimingInfoInvalid`.
        public static let sampleTimingInfoInvalid = MediaError(status: -12740, "invalid timing")
        /// `kCMSampleBufferError_InvalidMediaTypeForOperation`.
        public static let invalidMediaTypeForOperation = MediaError(
            status: -12741, "not for this media type")
        /// `kCMSampleBufferError_InvalidSampleData`.
        public static let invalidSampleData = MediaError(
            status: -12742, "the samples are larger than the data")
        /// `kCMSampleBufferError_InvalidMediaFormat`.
        public static let invalidMediaFormat = MediaError(
            status: -12743, "the format description does not match")
        /// `kCMSampleBufferError_Invalidated`.
        public static let invalidated = MediaError(
            status: -12744, "the sample buffer was invalidated")
        /// `kCMSampleBufferError_DataFailed`.
        public static let dataFailed = MediaError(status: -16750, "the data failed to come")
        /// `kCMSampleBufferError_DataCanceled`.
        public static let dataCanceled = MediaError(status: -16751, "the data were cancelled")
    }
}
