import Foundation

/// A file that goes with the test.
public final class TemporaryFile {
    /// Where it is.
    public let path: String

    /// Writes a file that has a name of its own.
    public init(_ bytes: [UInt8], suffix: String = ".264") throws {
        path = FileManager.default.temporaryDirectory.path + "/tplay-\(UUID().uuidString)\(suffix)"
        try Data(bytes).write(to: URL(filePath: path))
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
