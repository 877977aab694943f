/// Whether an attachment goes along when a buffer's attachments are propagated.
public enum CVAttachmentMode: UInt32, Hashable, Sendable {
    /// Stays with its buffer.
    case shouldNotPropagate = 0
    /// Is copied by ``CVPixelBuffer/propagateAttachments(to:)``.
    case shouldPropagate = 1
}

/// Values attached to a buffer by name, each with its mode.
///
/// A value type that shares its storage until it is changed: giving many pictures the same attachments costs no
/// allocation, nor does reading one.
public struct CVBufferAttachments: Sendable {
    /// One attached value and its mode.
    public enum Value: Sendable {
        /// A value that stays with its buffer.
        case shouldNotPropagate(any Sendable)
        /// A value that is copied when attachments are propagated.
        case shouldPropagate(any Sendable)

        /// Joins a value and a mode.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - mode: Whether it propagates.
        public init(_ value: any Sendable, mode: CVAttachmentMode) {
            switch mode {
            case .shouldNotPropagate: self = .shouldNotPropagate(value)
            case .shouldPropagate: self = .shouldPropagate(value)
            }
        }

        /// The value alone.
        public var value: any Sendable {
            switch self {
            case .shouldNotPropagate(let value), .shouldPropagate(let value): value
            }
        }

        /// The mode alone.
        public var mode: CVAttachmentMode {
            switch self {
            case .shouldNotPropagate: .shouldNotPropagate
            case .shouldPropagate: .shouldPropagate
            }
        }
    }

    /// A handful of pairs: a scan beats hashing the names.
    private var entries: [(name: String, value: Value)] = []

    /// Creates an empty collection.
    public init() {}

    /// Whether nothing is attached.
    public var isEmpty: Bool { entries.isEmpty }
    /// Number of attachments.
    public var count: Int { entries.count }
    /// The names in the order in which they were first attached.
    public var names: [String] { entries.map(\.name) }

    /// The value and mode of any name.
    ///
    /// Setting replaces value and mode; nil removes.
    public subscript(name: String) -> Value? {
        get { entries.first { $0.name == name }?.value }
        set {
            let index = entries.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let value?): entries[index].value = value
            case (let index?, nil): entries.remove(at: index)
            case (nil, let value?): entries.append((name, value))
            case (nil, nil): break
            }
        }
    }

    /// The value of a typed key; nil when absent or of another type.
    ///
    /// Setting attaches it with `shouldPropagate`.
    public subscript<T: Sendable>(key: CVImageBufferAttachmentKey<T>) -> T? {
        get { self[key.name]?.value as? T }
        set { self[key.name] = newValue.map { .shouldPropagate($0) } }
    }

    /// Attaches a value with a mode of choice.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - mode: Whether it propagates.
    public mutating func set<T: Sendable>(
        _ value: T, for key: CVImageBufferAttachmentKey<T>, mode: CVAttachmentMode
    ) {
        self[key.name] = Value(value, mode: mode)
    }

    /// Removes everything.
    public mutating func removeAll() { entries.removeAll() }

    /// Only the attachments of one mode.
    ///
    /// - Parameter mode: The mode to keep.
    /// - Returns: Those attachments.
    public func filtered(by mode: CVAttachmentMode) -> CVBufferAttachments {
        var result = CVBufferAttachments()
        result.entries = entries.filter { $0.value.mode == mode }
        return result
    }

    /// Adds another collection; its values and modes win.
    ///
    /// - Parameter other: What to add.
    public mutating func merge(_ other: CVBufferAttachments) {
        if entries.isEmpty {
            self = other
            return
        }
        for (name, value) in other.entries { self[name] = value }
    }

    /// The values that should propagate, by name.
    public var propagated: [String: any Sendable] { values(of: .shouldPropagate) }
    /// The values that should not propagate, by name.
    public var nonPropagated: [String: any Sendable] { values(of: .shouldNotPropagate) }

    /// Attaches several values with one mode.
    ///
    /// - Parameters:
    ///   - values: The values by name.
    ///   - mode: Whether they propagate.
    public mutating func merge(_ values: [String: any Sendable], mode: CVAttachmentMode) {
        for (name, value) in values { self[name] = Value(value, mode: mode) }
    }

    private func values(of mode: CVAttachmentMode) -> [String: any Sendable] {
        var result: [String: any Sendable] = [:]
        for (name, value) in entries where value.mode == mode { result[name] = value.value }
        return result
    }
}
