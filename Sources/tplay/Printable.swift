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
}
