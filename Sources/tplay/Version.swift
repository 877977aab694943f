import VideoCodec

/// The text of `--version`.
enum Version {
    static let number = "0.1.0"

    static var text: String { "tplay \(number)\n\(LibavVersions.text)\n" }
}
