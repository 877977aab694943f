/// A stream with the digests of its pictures, as FFmpeg made them.
public struct Clip: Sendable, CustomStringConvertible {
    /// The file's name.
    public let name: String
    /// Where it is.
    public let path: String
    /// MD5 of each picture FFmpeg puts out, in presentation order; nil where there are none to compare with.
    public let digests: [String]?
    /// MD5 of each picture as it was written, where FFmpeg does not put out all of them.
    public let writtenDigests: [String]?

    /// The name, for test reports.
    public var description: String { name }

    private init(name: String, folder: String) {
        self.name = name
        path = folder + "/" + name
        digests = Self.digests(folder + "/golden/" + name + ".framemd5")
        writtenDigests = Self.digests(folder + "/golden/" + name + ".written.framemd5")
    }

    /// The project's own clips: always there.
    public static let samples: [Clip] = Checkout.names(in: Checkout.samples)
        .filter { $0.hasSuffix(".264") }.map { Clip(name: $0, folder: Checkout.samples) }

    /// Where the real streams are, if they are.
    public static let streamsFolder = Checkout.root + "/../shared/streams"

    /// Whether the real streams are beside the checkout.
    ///
    /// Tests on them are skipped, and say so, where they are not.
    public static let hasStreams: Bool = {
        let found = Checkout.exists(streamsFolder + "/INDEX.tsv")
        if !found { print("SKIPPED: the tests on real streams; there is no \(streamsFolder)") }
        return found
    }()

    /// The real streams, H.264 or not; none where they are not there.
    public static let streams: [Clip] = Checkout.names(in: streamsFolder)
        .filter { name in
            [".264", ".h264", ".avc", ".h265"].contains { name.hasSuffix($0) }
        }.map { Clip(name: $0, folder: streamsFolder) }

    private static func digests(_ path: String) -> [String]? {
        guard let bytes = Checkout.bytes(path) else { return nil }
        return String(decoding: bytes, as: UTF8.self).split(separator: "\n")
            .filter { !$0.hasPrefix("#") }
            .compactMap { line in
                line.split(separator: ",").last.map { String($0.drop(while: { $0 == " " })) }
            }
    }
}
