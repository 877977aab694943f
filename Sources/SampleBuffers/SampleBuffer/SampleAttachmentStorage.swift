import Synchronization

/// The attachments of a buffer's samples: one live, shared store, values by sample and name.
///
/// What Apple's `CFArray` of mutable dictionaries is; a layer with dictionaries of its own reads and writes through it.
public final class SampleAttachmentStorage: Sendable {
    private struct Pair: Sendable {
        var name: String
        var value: any Sendable
    }

    private let samples: Mutex<[[Pair]]>
    private let bridge = Mutex<(any AnyObject & Sendable)?>(nil)
    /// Number of samples.
    public let count: Int

    init(count: Int) {
        self.count = count
        samples = Mutex(Array(repeating: [], count: count))
    }

    /// A copy of a range of samples.
    init(copying other: SampleAttachmentStorage, range: Range<Int>) {
        count = range.count
        samples = Mutex(other.samples.withLock { Array($0[range]) })
    }

    /// The value of a name of one sample; nil removes it.
    ///
    /// - Parameters:
    ///   - index: The sample, less than ``count``.
    ///   - name: The string behind the key.
    public subscript(index: Int, name: String) -> (any Sendable)? {
        get { samples.withLock { $0[index].first { $0.name == name }?.value } }
        set {
            samples.withLock { samples in
                let found = samples[index].firstIndex { $0.name == name }
                switch (found, newValue) {
                case (let position?, let value?): samples[index][position].value = value
                case (let position?, nil): samples[index].remove(at: position)
                case (nil, let value?): samples[index].append(Pair(name: name, value: value))
                case (nil, nil): break
                }
            }
        }
    }

    /// The names that one sample has values for.
    ///
    /// - Parameter index: The sample, less than ``count``.
    /// - Returns: The names in the order in which they were set.
    public func names(at index: Int) -> [String] { samples.withLock { $0[index].map(\.name) } }

    /// Removes everything from one sample.
    ///
    /// - Parameter index: The sample, less than ``count``.
    public func removeAll(at index: Int) { samples.withLock { $0[index] = [] } }

    /// Gives one sample what a sample of another store has.
    func replace(_ index: Int, with other: SampleAttachmentStorage, _ otherIndex: Int) {
        let values = other.samples.withLock { $0[otherIndex] }
        samples.withLock { $0[index] = values }
    }

    /// The object that stands for this store in another layer: made once, then always the same.
    ///
    /// - Parameter make: Makes the object.
    /// - Returns: The object.
    package func bridged<T: AnyObject & Sendable>(_ make: () -> T) -> T {
        bridge.withLock { bridge in
            if let object = bridge as? T { return object }
            let object = make()
            bridge = object
            return object
        }
    }
}
