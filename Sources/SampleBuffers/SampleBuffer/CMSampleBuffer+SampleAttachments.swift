import Synchronization
extension CMSampleBuffer {
    /// The attachments of one sample: a view into the buffer, so that writing here is writing there.
    public struct PerSampleAttachmentsDictionary: Sequence, Sendable {
        /// The name of an attachment together with the type of its value.
        public struct Key<Value: Sendable>: Hashable, Sendable {
            /// The string behind Apple's constant.
            public let name: String
            /// A key of your own.
            public init(_ name: String) { self.name = name }
        }

        let storage: SampleAttachmentStorage
        let index: Int

        /// The value of a typed key; nil when absent or of another type, and to remove it.
        public subscript<Value: Sendable>(key: Key<Value>) -> Value? {
            get { storage[index, key.name] as? Value }
            nonmutating set { storage[index, key.name] = newValue }
        }

        /// The value of any name; nil when absent, and to remove it.
        public subscript(name: String) -> (any Sendable)? {
            get { storage[index, name] }
            nonmutating set { storage[index, name] = newValue }
        }

        /// Number of attachments.
        public var count: Int { storage.names(at: index).count }

        /// Goes through names and values.
        public func makeIterator() -> AnyIterator<(name: String, value: any Sendable)> {
            var names = storage.names(at: index).makeIterator()
            return AnyIterator {
                while let name = names.next() {
                    if let value = storage[index, name] { return (name, value) }
                }
                return nil
            }
        }
    }

    /// The attachments of all samples of a buffer: a view into it.
    public struct SampleAttachmentsArray: MutableCollection, RandomAccessCollection, Sendable {
        let storage: SampleAttachmentStorage

        /// 0.
        public var startIndex: Int { 0 }
        /// Number of samples.
        public var endIndex: Int { storage.count }

        /// The attachments of one sample; assigning copies them into the buffer.
        public subscript(position: Int) -> PerSampleAttachmentsDictionary {
            get {
                precondition(indices.contains(position), "no sample \(position) of \(count)")
                return PerSampleAttachmentsDictionary(storage: storage, index: position)
            }
            nonmutating set {
                precondition(indices.contains(position), "no sample \(position) of \(count)")
                if newValue.storage !== storage || newValue.index != position {
                    storage.replace(position, with: newValue.storage, newValue.index)
                }
            }
        }
    }

    /// The attachments of the samples, one entry a sample; created when first read.
    ///
    /// Assigning another buffer's copies them, as far as there are samples.
    public var sampleAttachments: SampleAttachmentsArray {
        get {
            SampleAttachmentsArray(
                storage: sampleAttachmentStorage(createIfNecessary: true)
                    ?? SampleAttachmentStorage(count: 0))
        }
        set {
            let own = sampleAttachments.storage
            guard newValue.storage !== own else { return }
            for index in 0..<own.count {
                if index < newValue.count {
                    own.replace(index, with: newValue.storage, index)
                } else {
                    own.removeAll(at: index)
                }
            }
        }
    }

    /// The store behind ``sampleAttachments``: the form of `CMSampleBufferGetSampleAttachmentsArray`.
    ///
    /// - Parameter createIfNecessary: Whether to make it if there is none.
    /// - Returns: The store, always the same once made; nil while not made and for a buffer without samples.
    public func sampleAttachmentStorage(createIfNecessary: Bool) -> SampleAttachmentStorage? {
        guard sampleCount > 0 else { return nil }
        return state.withLock { state in
            if state.sampleAttachments == nil, createIfNecessary {
                state.sampleAttachments = SampleAttachmentStorage(count: sampleCount)
            }
            return state.sampleAttachments
        }
    }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key where Value == Bool {
    /// Not a sync sample; absent means a sync sample.
    public static var notSync: Self { Self("NotSync") }
    /// A sample from which decoding can begin, though earlier ones are missed.
    public static var partialSync: Self { Self("PartialSync") }
    /// Part of the sample is coded more than once.
    public static var hasRedundantCoding: Self { Self("HasRedundantCoding") }
    /// Others need it; false means that it can be dropped, absent unknown.
    public static var isDependedOnByOthers: Self { Self("IsDependedOnByOthers") }
    /// It needs others; absent means unknown.
    public static var dependsOnOthers: Self { Self("DependsOnOthers") }
    /// Later samples in decoding order may be shown before it.
    public static var earlierDisplayTimesAllowed: Self { Self("EarlierDisplayTimesAllowed") }
    /// Show it as soon as it is decoded, whatever the time.
    public static var displayImmediately: Self { Self("DisplayImmediately") }
    /// Decode it but never show it.
    public static var doNotDisplay: Self { Self("DoNotDisplay") }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key where Value == Int {
    /// Where in the sample's data the NAL units of the second field begin, in bytes.
    ///
    /// Ours; absent for frames and single fields.
    public static var fieldBoundary: Self { Self("tplay.FieldBoundary") }
}

extension CMSampleBuffer.PerSampleAttachmentsDictionary.Key where Value == Int64 {
    /// The caller's mark on a sample, given back with its picture.
    ///
    /// Ours.
    public static var token: Self { Self("tplay.Token") }
}
