public import PixelBuffers

extension CMFormatDescription {
    /// What a description says beyond type and size: values by name.
    public struct Extensions: Sendable {
        /// The name of an extension together with the type of its value.
        public struct Key<Value: Hashable & Sendable>: Hashable, Sendable {
            /// The string behind Apple's constant.
            public let name: String
            /// A key of your own.
            public init(_ name: String) { self.name = name }
        }

        private var entries: [(name: String, value: any Sendable)] = []

        /// Creates an empty collection.
        public init() {}

        /// Whether there is nothing.
        public var isEmpty: Bool { entries.isEmpty }
        /// The names.
        public var names: [String] { entries.map(\.name) }

        /// The value of any name; it should be `Hashable`, or the descriptions that hold it are never equal.
        public subscript(name: String) -> (any Sendable)? {
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
        public subscript<Value: Hashable & Sendable>(key: Key<Value>) -> Value? {
            get { self[key.name] as? Value }
            set { self[key.name] = newValue }
        }
    }
}

/// Whether two values of unknown types are of one type and equal.
func areEqual(_ first: any Sendable, _ second: any Sendable) -> Bool {
    func compare<T: Hashable>(_ first: T) -> Bool { (second as? T) == first }
    guard let first = first as? any Hashable else { return false }
    return compare(first)
}

extension CMFormatDescription.Extensions: Equatable {
    /// Whether the same names have equal values.
    public static func == (first: Self, second: Self) -> Bool {
        first.isEqual(to: second, ignoring: [])
    }

    func isEqual(to other: Self, ignoring ignored: [String]) -> Bool {
        let own = entries.filter { !ignored.contains($0.name) }
        let others = other.entries.filter { !ignored.contains($0.name) }
        return own.count == others.count
            && own.allSatisfy { name, value in
                guard let second = other[name] else { return false }
                return areEqual(value, second)
            }
    }
}

extension CMFormatDescription.Extensions.Key where Value == [String: [UInt8]] {
    /// The boxes of a container's sample description by type: `avcC`.
    public static var sampleDescriptionExtensionAtoms: Self {
        Self("SampleDescriptionExtensionAtoms")
    }
}

extension CMFormatDescription.Extensions.Key where Value == [UInt8] {
    /// A container's sample description as it was.
    public static var verbatimSampleDescription: Self { Self("VerbatimSampleDescription") }
    /// An ICC profile.
    public static var iccProfile: Self { Self("CVImageBufferICCProfile") }
    /// The payload of the mastering display colour volume SEI message.
    public static var masteringDisplayColorVolume: Self { Self("MasteringDisplayColorVolume") }
    /// The payload of the content light level SEI message.
    public static var contentLightLevelInfo: Self { Self("ContentLightLevelInfo") }
}

extension CMFormatDescription.Extensions.Key where Value == String {
    /// The format in words.
    public static var formatName: Self { Self("FormatName") }
}

extension CMFormatDescription.Extensions.Key where Value == Int {
    /// Bits of a pixel.
    public static var depth: Self { Self("Depth") }
    /// 1 for progressive pictures, 2 for interlaced ones.
    public static var fieldCount: Self { Self("CVFieldCount") }
    /// Bytes from one row to the next of uncompressed pictures.
    public static var bytesPerRow: Self { Self("CVBytesPerRow") }
}

extension CMFormatDescription.Extensions.Key where Value == Bool {
    /// Whether samples use the full range.
    public static var fullRangeVideo: Self { Self("FullRangeVideo") }
}

extension CMFormatDescription.Extensions.Key where Value == Double {
    /// The exponent that goes with the transfer function `useGamma`.
    public static var gammaLevel: Self { Self("CVImageBufferGammaLevel") }
}

extension CMFormatDescription.Extensions.Key where Value == CleanAperture {
    /// The part meant to be seen.
    public static var cleanAperture: Self { Self("CVCleanAperture") }
}

extension CMFormatDescription.Extensions.Key where Value == PixelAspectRatio {
    /// The shape of a pixel.
    public static var pixelAspectRatio: Self { Self("CVPixelAspectRatio") }
}

extension CMFormatDescription.Extensions.Key where Value == FieldDetail {
    /// How the two fields follow each other.
    public static var fieldDetail: Self { Self("CVFieldDetail") }
}

extension CMFormatDescription.Extensions.Key where Value == ColorPrimaries {
    /// The colour primaries.
    public static var colorPrimaries: Self { Self("CVImageBufferColorPrimaries") }
}

extension CMFormatDescription.Extensions.Key where Value == TransferFunction {
    /// The transfer function.
    public static var transferFunction: Self { Self("CVImageBufferTransferFunction") }
}

extension CMFormatDescription.Extensions.Key where Value == YCbCrMatrix {
    /// The matrix to RGB.
    public static var yCbCrMatrix: Self { Self("CVImageBufferYCbCrMatrix") }
}

extension CMFormatDescription.Extensions.Key where Value == ChromaLocation {
    /// Where chroma lies in frames and top fields.
    public static var chromaLocationTopField: Self { Self("CVImageBufferChromaLocationTopField") }
    /// Where chroma lies in bottom fields.
    public static var chromaLocationBottomField: Self {
        Self("CVImageBufferChromaLocationBottomField")
    }
}
