internal import CFFmpeg
internal import CFFmpegShims
internal import Synchronization

/// Where libav's own messages go.
///
/// Nowhere unless a sink is set; never to standard error.
public enum LibavLog {
    /// How grave a message is, as libav ranks it; lower is worse.
    public struct Level: RawRepresentable, Hashable, Comparable, Sendable {
        /// One of libav's `AV_LOG_…` numbers.
        public let rawValue: Int32
        /// Takes any number.
        public init(rawValue: Int32) { self.rawValue = rawValue }
        /// Something went wrong and recovery is not possible.
        public static let fatal = Level(rawValue: AV_LOG_FATAL)
        /// Something went wrong and cannot be undone without loss.
        public static let error = Level(rawValue: AV_LOG_ERROR)
        /// Something looks wrong and may or may not matter.
        public static let warning = Level(rawValue: AV_LOG_WARNING)
        /// What a person may like to know, such as concealment.
        public static let info = Level(rawValue: AV_LOG_INFO)
        /// Details.
        public static let verbose = Level(rawValue: AV_LOG_VERBOSE)
        /// For developers of libav.
        public static let debug = Level(rawValue: AV_LOG_DEBUG)

        /// Whether the first is worse.
        public static func < (first: Level, second: Level) -> Bool {
            first.rawValue < second.rawValue
        }
    }

    /// Takes a finished line without its line end; called on any thread, also on several at once.
    public typealias Sink = @Sendable (Level, String) -> Void

    private static let sink = Mutex<Sink?>(nil)

    /// Sends libav's messages somewhere.
    ///
    /// - Parameters:
    ///   - level: The mildest level that is sent.
    ///   - body: Where lines go; nil drops them all, as at the start.
    public static func setSink(level: Level = .warning, _ body: Sink?) {
        sink.withLock { $0 = body }
        guard body != nil else {
            cff_set_log_sink(level.rawValue, nil)
            return
        }
        cff_set_log_sink(level.rawValue) { level, line in
            guard let line, let body = LibavLog.sink.withLock({ $0 }) else { return }
            body(Level(rawValue: level), String(cString: line))
        }
    }

    /// Takes the log from libav's default, standard error, once per process.
    static let isSilenced: Bool = {
        if sink.withLock({ $0 == nil }) { cff_set_log_sink(AV_LOG_QUIET, nil) }
        return true
    }()
}
