/// Text from outside, made safe for a terminal.
enum Printable {
    /// `text` with every control character shown as `?`, cut at 200 characters.
    static func text(_ text: String) -> String {
        var result = ""
        for scalar in text.unicodeScalars.prefix(200) {
            let isControl = scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
            result.unicodeScalars.append(isControl ? "?" : scalar)
        }
        return result
    }

    /// `text` as a word of a shell command, control characters shown as `?`.
    static func quoted(_ text: String) -> String {
        let safe = Self.text(text)
        let isPlain = safe.utf8.allSatisfy { byte in
            (0x2B...0x3A).contains(byte) || (0x41...0x5A).contains(byte)
                || (0x61...0x7A).contains(byte) || byte == 0x5F
        }
        if isPlain, !safe.isEmpty { return safe }
        return "'"
            + safe.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }
}
