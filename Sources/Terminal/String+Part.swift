extension String {
    /// Whether `part` stands somewhere in the string, byte for byte.
    ///
    /// `contains` of another string comes from `_StringProcessing`, which with its regular expressions makes a
    /// static program a megabyte larger.
    func hasPart(_ part: String) -> Bool {
        utf8.indices.contains { utf8[$0...].starts(with: part.utf8) }
    }
}
