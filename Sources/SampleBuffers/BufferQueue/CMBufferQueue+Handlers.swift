public import MediaTime

extension CMBufferQueue {
    /// How two buffers are ordered; Core Foundation's values.
    public enum ComparisonResult: Int, Hashable, Sendable {
        /// The first comes before the second.
        case compareLessThan = -1
        /// Neither comes before the other.
        case compareEqualTo = 0
        /// The first comes after the second.
        case compareGreaterThan = 1

        /// The order of two values.
        ///
        /// - Parameters:
        ///   - first: A value.
        ///   - second: A value.
        public init<T: Comparable>(_ first: T, _ second: T) {
            self =
                first < second
                ? .compareLessThan : second < first ? .compareGreaterThan : .compareEqualTo
        }
    }

    /// How a queue learns about its buffers.
    ///
    /// All but readiness is asked once, when a buffer is enqueued. Handlers may be called on any thread and must not
    /// change the queue.
    public struct Handlers: Sendable {
        /// What a queue asks; nil where the buffers cannot say.
        public struct Builder: Sendable {
            /// When a buffer is decoded.
            public var getDecodeTimeStamp: (@Sendable (any CMBuffer) -> CMTime)?
            /// When a buffer is shown.
            public var getPresentationTimeStamp: (@Sendable (any CMBuffer) -> CMTime)?
            /// How long a buffer lasts.
            public var getDuration: (@Sendable (any CMBuffer) -> CMTime)?
            /// Whether a buffer's data can be used; without it they always can.
            public var isDataReady: (@Sendable (any CMBuffer) -> Bool)?
            /// Which of two buffers comes first; without it they keep the order in which they came.
            public var compare: (@Sendable (any CMBuffer, any CMBuffer) -> ComparisonResult)?
            /// How many bytes a buffer has.
            public var getSize: (@Sendable (any CMBuffer) -> Int)?
            /// Arranges for a call when a buffer's data become ready.
            ///
            /// In place of the name of a notification.
            public var whenDataBecomesReady:
                (@Sendable (any CMBuffer, _ call: @escaping @Sendable () -> Void) -> Void)?

            /// Sets when a buffer is decoded.
            public mutating func getDecodeTimeStamp(
                _ body: @escaping @Sendable (any CMBuffer) -> CMTime
            ) { getDecodeTimeStamp = body }

            /// Sets when a buffer is shown.
            public mutating func getPresentationTimeStamp(
                _ body: @escaping @Sendable (any CMBuffer) -> CMTime
            ) { getPresentationTimeStamp = body }

            /// Sets how long a buffer lasts.
            public mutating func getDuration(
                _ body: @escaping @Sendable (any CMBuffer) -> CMTime
            ) { getDuration = body }

            /// Sets whether a buffer's data can be used.
            public mutating func isDataReady(_ body: @escaping @Sendable (any CMBuffer) -> Bool) {
                isDataReady = body
            }

            /// Sets which of two buffers comes first.
            public mutating func compare(
                _ body: @escaping @Sendable (any CMBuffer, any CMBuffer) -> ComparisonResult
            ) { compare = body }

            /// Sets how many bytes a buffer has.
            public mutating func getSize(_ body: @escaping @Sendable (any CMBuffer) -> Int) {
                getSize = body
            }
        }

        let builder: Builder

        /// Creates handlers.
        ///
        /// - Parameter body: Sets those there are.
        public init(withHandlers body: (inout Builder) -> Void) {
            var builder = Builder()
            body(&builder)
            self.builder = builder
        }

        /// The same handlers with some of them changed.
        ///
        /// - Parameter body: Changes them.
        /// - Returns: The new handlers.
        public func withHandlers(_ body: (inout Builder) -> Void) -> Handlers {
            Handlers { builder in
                builder = self.builder
                body(&builder)
            }
        }

        /// For sample buffers in the order in which they come, with their time stamps as given.
        public static let unsortedSampleBuffers = Handlers { builder in
            builder.getDecodeTimeStamp { sample($0)?.decodeTimeStamp ?? .invalid }
            builder.getPresentationTimeStamp { sample($0)?.presentationTimeStamp ?? .invalid }
            builder.getDuration { sample($0)?.duration ?? .invalid }
            builder.isDataReady { sample($0)?.isDataReady ?? false }
            builder.getSize { sample($0)?.totalSampleSize ?? 0 }
            builder.whenDataBecomesReady = { buffer, call in
                sample(buffer)?.whenDataReadinessChanges(call)
            }
        }

        /// For sample buffers in the order in which they are shown, with their output time stamps.
        public static let outputPTSSortedSampleBuffers = unsortedSampleBuffers.withHandlers {
            builder in
            builder.getDecodeTimeStamp { sample($0)?.outputDecodeTimeStamp ?? .invalid }
            builder.getPresentationTimeStamp { sample($0)?.outputPresentationTimeStamp ?? .invalid }
            builder.getDuration { sample($0)?.outputDuration ?? .invalid }
            builder.compare { first, second in
                ComparisonResult(
                    sample(first)?.outputPresentationTimeStamp ?? .invalid,
                    sample(second)?.outputPresentationTimeStamp ?? .invalid)
            }
        }

        private static func sample(_ buffer: any CMBuffer) -> CMSampleBuffer? {
            buffer as? CMSampleBuffer
        }
    }
}
