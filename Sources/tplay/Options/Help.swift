/// The text of `--help`: at most 50 lines of 80 columns.
enum Help {
    /// The keys, a pair of keys and meaning each; the overlay of `?` shows the same.
    static let keys: [(keys: String, meaning: String)] = [
        ("space", "pause and go on"),
        (". ,", "1 picture on, back; 9. is 9"),
        ("← →", "1 s back, on; with shift 5"),
        ("↑ ↓", "next, previous entry point"),
        ("Home End g", "first, last; go to a place"),
        ("[ ] { }", "rate ÷ 1.1, × 1.1, ÷ 2, × 2"),
        ("Backspace r", "rate 1; the other way"),
        ("l L", "mark A, B, off; loop file"),
        ("i s v", "about; PNG; renderer"),
        ("< >", "previous, next FILE"),
        ("?", "show the keys"),
        ("q Esc", "quit"),
    ]

    static var text: String {
        var lines = [
            "tplay [OPTIONS] FILE...  plays raw H.264 (Annex B); FILE is - for standard input"
        ]
        for group in Option.Group.allCases {
            if lines.count > 1 { lines.append("") }
            lines.append(group.rawValue + ":")
            for option in Option.all where option.group == group {
                var left = "  " + (option.letter.map { "-\($0), " } ?? "")
                left += "--" + option.name.rawValue + (option.argument.map { " " + $0 } ?? "")
                let padding = String(repeating: " ", count: max(1, 22 - left.count))
                lines.append(left + padding + option.help)
            }
        }
        lines += ["", "KEYS:"]
        // Two columns.
        let entries = Self.keys.map { entry in
            entry.keys + String(repeating: " ", count: max(1, 12 - entry.keys.count))
                + entry.meaning
        }
        let half = (entries.count + 1) / 2
        for (left, right) in zip(entries[..<half], entries[half...] + [""]) {
            let gap = right.isEmpty ? 0 : max(1, 40 - left.count)
            lines.append("  " + left + String(repeating: " ", count: gap) + right)
        }
        lines += [
            "A place W is 12.5, 1:02.5, 1:01:02.5 seconds, or a picture from 0: #120, 120f.",
            "Exit status: 0 played or quit, 1 nothing could be shown, 2 wrong options.",
        ]
        return lines.joined(separator: "\n") + "\n"
    }
}
