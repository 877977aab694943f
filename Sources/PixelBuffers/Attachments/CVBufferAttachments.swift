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
    public struct Entry: Sendable {
        /// The value.
        public var value: any Sendable
        /// Whether it propagates.
        public var mode: CVAttachmentMode

        /// Creates an entry.
        ///
        /// - Parameters:
        ///   - value: The value.
        ///   - mode: Whether it propagates.
        public init(_ value: any Sendable, mode: CVAttachmentMode) {
            self.value = value
            self.mode = mode
        }
    }

    /// A handful of pairs: a scan beats hashing the names.
    private var entries: [(name: String, entry: Entry)] = []

    /// Creates an empty collection.
    public init() {}

    /// Whether nothing is attached.
    public var isEmpty: Bool { entries.isEmpty }
    /// Number of attachments.
    public var count: Int { entries.count }
    /// The names in the order in which they were first attached.
    public var names: [String] { entries.map(\.name) }

    /// The entry of any name. Setting replaces value and mode; nil removes.
    public subscript(name: String) -> Entry? {
        get { entries.first { $0.name == name }?.entry }
        set {
            let index = entries.firstIndex { $0.name == name }
            switch (index, newValue) {
            case (let index?, let entry?): entries[index].entry = entry
            case (let index?, nil): entries.remove(at: index)
            case (nil, let entry?): entries.append((name, entry))
            case (nil, nil): break
            }
        }
    }

    /// The value of a typed key; nil when absent or of another type. Setting attaches it with `shouldPropagate`.
    public subscript<Value: Sendable>(key: CVImageBufferAttachmentKey<Value>) -> Value? {
        get { self[key.name]?.value as? Value }
        set { self[key.name] = newValue.map { Entry($0, mode: .shouldPropagate) } }
    }

    /// Attaches a value with a mode of choice.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: Its key.
    ///   - mode: Whether it propagates.
    public mutating func set<Value: Sendable>(
        _ value: Value, for key: CVImageBufferAttachmentKey<Value>, mode: CVAttachmentMode
    ) {
        self[key.name] = Entry(value, mode: mode)
    }

    /// Removes everything.
    public mutating func removeAll() { entries.removeAll() }

    /// Only the attachments of one mode.
    ///
    /// - Parameter mode: The mode to keep.
    /// - Returns: Those attachments.
    public func filtered(by mode: CVAttachmentMode) -> CVBufferAttachments {
        var result = CVBufferAttachments()
        result.entries = entries.filter { $0.entry.mode == mode }
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
        for (name, entry) in other.entries { self[name] = entry }
    }
}
