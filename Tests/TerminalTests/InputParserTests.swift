import Terminal
import Testing

@Suite("Input parser")
struct InputParserTests {
    typealias Case = (bytes: String, inputs: [TerminalInput])

    static let keys: [(String, Key)] = [
        ("q", .character("q")), ("Q", .character("Q")), (" ", .character(" ")),
        ("\r", Key(.enter)), ("\n", Key(.enter)), ("\t", Key(.tab)),
        ("\u{7F}", Key(.backspace)), ("\u{08}", Key(.backspace)),
        ("\u{04}", .character("d", .control)), ("\u{00}", .character(" ", .control)),
        ("\u{1C}", .character("\\", .control)),
        ("é", .character("é")), ("€", .character("€")), ("😀", .character("😀")),
        // xterm, normal and application modes.
        ("\u{1B}[A", Key(.up)), ("\u{1B}[B", Key(.down)), ("\u{1B}[C", Key(.right)),
        ("\u{1B}[D", Key(.left)), ("\u{1B}OA", Key(.up)), ("\u{1B}OB", Key(.down)),
        ("\u{1B}OC", Key(.right)), ("\u{1B}OD", Key(.left)), ("\u{1B}[H", Key(.home)),
        ("\u{1B}[F", Key(.end)), ("\u{1B}OH", Key(.home)), ("\u{1B}OF", Key(.end)),
        ("\u{1B}[1;2C", Key(.right, .shift)), ("\u{1B}[1;2D", Key(.left, .shift)),
        ("\u{1B}[1;5A", Key(.up, .control)), ("\u{1B}[1;3B", Key(.down, .alt)),
        ("\u{1B}[1;8H", Key(.home, [.shift, .alt, .control])),
        ("\u{1B}O2C", Key(.right, .shift)), ("\u{1B}[2~", Key(.insert)),
        ("\u{1B}[3~", Key(.delete)), ("\u{1B}[5~", Key(.pageUp)), ("\u{1B}[6~", Key(.pageDown)),
        ("\u{1B}[5;2~", Key(.pageUp, .shift)), ("\u{1B}OP", Key(.function(1))),
        ("\u{1B}OS", Key(.function(4))), ("\u{1B}[1;2P", Key(.function(1), .shift)),
        ("\u{1B}[1;2R", Key(.function(3), .shift)), ("\u{1B}[R", Key(.function(3))),
        ("\u{1B}[15~", Key(.function(5))), ("\u{1B}[24~", Key(.function(12))),
        ("\u{1B}[34~", Key(.function(20))), ("\u{1B}[Z", Key(.tab, .shift)),
        ("\u{1B}OM", Key(.enter)), ("\u{1B}Ok", .character("+")), ("\u{1B}Op", .character("0")),
        ("\u{1B}Oy", .character("9")), ("\u{1B}OX", .character("=")),
        ("\u{1B}[27;5;46~", .character(".", .control)), ("\u{1B}[46;5u", .character(".", .control)),
        // rxvt.
        ("\u{1B}[c", Key(.right, .shift)), ("\u{1B}[d", Key(.left, .shift)),
        ("\u{1B}[a", Key(.up, .shift)), ("\u{1B}Oc", Key(.right, .control)),
        ("\u{1B}[7~", Key(.home)), ("\u{1B}[8~", Key(.end)), ("\u{1B}[5$", Key(.pageUp, .shift)),
        ("\u{1B}[7^", Key(.home, .control)), ("\u{1B}[8@", Key(.end, [.shift, .control])),
        ("\u{1B}[11~", Key(.function(1))), ("\u{1B}\u{1B}[C", Key(.right, .alt)),
        ("\u{1B}\u{1B}OC", Key(.right, .alt)),
        // The Linux console.
        ("\u{1B}[1~", Key(.home)), ("\u{1B}[4~", Key(.end)), ("\u{1B}[[A", Key(.function(1))),
        ("\u{1B}[[E", Key(.function(5))),
        // Alt.
        ("\u{1B}x", .character("x", .alt)), ("\u{1B}\r", Key(.enter, .alt)),
        ("\u{1B}\u{7F}", Key(.backspace, .alt)), ("\u{1B}é", .character("é", .alt)),
    ]

    static let replies: [(String, TerminalReply)] = [
        ("\u{1B}[?62;4;22c", .primaryAttributes([62, 4, 22])),
        ("\u{1B}[?6c", .primaryAttributes([6])),
        ("\u{1B}[>41;379;0c", .secondaryAttributes([41, 379, 0])),
        ("\u{1B}P>|XTerm(379)\u{1B}\\", .version("XTerm(379)")),
        ("\u{1B}P>|bad\u{07}name\u{1B}\\", .version("bad?name")),
        ("\u{1B}[?2026;2$y", .mode(2026, value: 2)),
        ("\u{1B}[6;16;8t", .cellSize(TerminalPixelSize(width: 8, height: 16))),
        ("\u{1B}[4;640;960t", .areaSize(TerminalPixelSize(width: 960, height: 640))),
        ("\u{1B}[8;40;120t", .areaCells(rows: 40, columns: 120)),
        ("\u{1B}[?1;0;256S", .graphics(item: 1, status: 0, values: [256])),
        ("\u{1B}[?2;0;1000;800S", .graphics(item: 2, status: 0, values: [1000, 800])),
        ("\u{1B}[?2;3;0S", .graphics(item: 2, status: 3, values: [0])),
        ("\u{1B}_Gi=31;OK\u{1B}\\", .kittyGraphics(keys: "i=31", message: "OK")),
        (
            "\u{1B}_Gi=31;ENOTSUP:no;no\u{1B}\\",
            .kittyGraphics(keys: "i=31", message: "ENOTSUP:no;no")
        ),
        ("\u{1B}P1$r48:2:1:2:3m\u{1B}\\", .setting("48:2:1:2:3m")),
        ("\u{1B}[0n", .status), ("\u{1B}[12;40R", .cursorPosition(row: 12, column: 40)),
        ("\u{1B}]11;rgb:0000/0000/0000\u{07}", .other),
        ("\u{1B}]11;rgb:0000/0000/0000\u{1B}\\", .other),
        ("\u{1B}P0$r\u{1B}\\", .other), ("\u{1B}[?1u", .other), ("\u{1B}[<0;3;4M", .other),
        ("\u{1B}[99999999999999999999;1;1t", .other),
    ]

    /// Nothing at all comes of these.
    static let dropped = [
        "\u{1B}[200~rm -rf q\r\u{1B}[1;2Dq\u{1B}[201~", "\u{1B}[I", "\u{1B}[O", "\u{1B}[Mqqq",
        "\u{1B}[201~", "\u{1B}[3;4;5z", "\u{1B}[200~\u{1B}[20\u{1B}[201~",
        "\u{1B}[" + String(repeating: "1;", count: 300) + "c",
    ]

    static func whole(_ bytes: [UInt8]) -> [TerminalInput] {
        var parser = InputParser()
        return parser.parse(bytes) + parser.timeOut()
    }

    @Test("a key alone", arguments: keys)
    func key(bytes: String, expected: Key) {
        #expect(Self.whole(Array(bytes.utf8)) == [.key(expected)])
    }

    @Test("an answer alone", arguments: replies)
    func reply(bytes: String, expected: TerminalReply) {
        #expect(Self.whole(Array(bytes.utf8)) == [.reply(expected)])
    }

    @Test("what is no key and no answer", arguments: dropped)
    func drop(bytes: String) {
        #expect(Self.whole(Array(bytes.utf8)) == [])
        #expect(
            Self.whole(Array((bytes + "q").utf8)) == [.key(.character("q"))],
            "the key after it counts")
    }

    /// Keys and answers in turn, and what is dropped between them.
    static var mixture: (bytes: [UInt8], inputs: [TerminalInput]) {
        var bytes: [UInt8] = []
        var inputs: [TerminalInput] = []
        for index in 0..<max(keys.count, replies.count) {
            let (keyBytes, key) = keys[index % keys.count]
            let (replyBytes, reply) = replies[index % replies.count]
            bytes += Array(keyBytes.utf8) + Array(replyBytes.utf8)
            inputs += [.key(key), .reply(reply)]
            bytes += Array(dropped[index % dropped.count].utf8)
        }
        return (bytes, inputs)
    }

    @Test(arguments: replies) func `Escape right before an answer is a key`(
        text: String, reply: TerminalReply
    ) {
        var parser = InputParser()
        parser.expectsReply = true
        #expect(parser.parse("\u{1B}\(text)".utf8) == [.key(Key(.escape)), .reply(reply)])
        #expect(parser.parse(text.utf8) == [.reply(reply)])
    }

    @Test func `keys and answers interleaved come out the same whole and in single bytes`() {
        let (bytes, inputs) = Self.mixture
        #expect(Self.whole(bytes) == inputs)
        var parser = InputParser()
        #expect(bytes.flatMap { parser.parse([$0]) } + parser.timeOut() == inputs)
    }

    @Test func `a cut at every place changes nothing`() {
        for index in 0..<max(Self.keys.count, Self.replies.count) {
            let (keyBytes, key) = Self.keys[index % Self.keys.count]
            let (replyBytes, reply) = Self.replies[index % Self.replies.count]
            let dropped = Self.dropped[index % Self.dropped.count]
            let bytes = Array((keyBytes + replyBytes + dropped + keyBytes).utf8)
            let inputs: [TerminalInput] = [.key(key), .reply(reply), .key(key)]
            for cut in 0...bytes.count {
                var parser = InputParser()
                let found = parser.parse(bytes[..<cut]) + parser.parse(bytes[cut...])
                guard found + parser.timeOut() == inputs else {
                    Issue.record("\(bytes) cut at \(cut)")
                    return
                }
            }
        }
    }

    @Test func `an answer torn for long after any byte is still no key`() {
        for (text, reply) in Self.replies where text.utf8.count < 60 {
            let bytes = Array(text.utf8)
            for cut in 2..<bytes.count {
                var parser = InputParser()
                parser.expectsReply = true
                var found = parser.parse(bytes[..<cut])
                // Waits whatever the time, or gives up what is known to be no key.
                if cut > 2 { #expect(parser.pendingTimeout == nil || cut == bytes.count - 1) }
                found += parser.parse(bytes[cut...])
                #expect(found == [.reply(reply)], "cut at \(cut)")
            }
        }
    }

    @Test func `an answer torn after its Escape gives the Escape and nothing else`() {
        for (text, reply) in Self.replies {
            let bytes = Array(text.utf8)
            var parser = InputParser()
            parser.expectsReply = true
            let found = parser.parse(bytes[..<1]) + parser.timeOut() + parser.parse(bytes[1...])
            #expect(found == [.key(Key(.escape)), .reply(reply)])
        }
    }

    @Test func `Escape alone is a key after a while`() {
        var parser = InputParser()
        #expect(parser.parse([0x1B]) == [])
        #expect(parser.pendingTimeout == .milliseconds(80))
        #expect(parser.timeOut() == [.key(Key(.escape))])
        #expect(parser.pendingTimeout == nil)
        #expect(parser.parse([0x1B, 0x1B]) == [])
        #expect(parser.timeOut() == [.key(Key(.escape)), .key(Key(.escape))])
    }

    @Test("Alt with what introduces a sequence", arguments: ["[", "O", "P", "]", "_"])
    func introducer(text: String) {
        var parser = InputParser()
        let scalar = text.unicodeScalars.first!
        #expect(parser.parse(Array("\u{1B}\(text)".utf8)) == [])
        #expect(parser.timeOut() == [.key(.character(scalar, .alt))])
        // The same two, typed one after the other while answers are awaited.
        parser.expectsReply = true
        #expect(parser.parse([0x1B]) + parser.timeOut() == [.key(Key(.escape))])
        let alone = parser.parse(Array(text.utf8)) + parser.timeOut()
        #expect(alone == [.key(.character(scalar))])
    }

    @Test func `an Escape ends what was pending and begins anew`() {
        #expect(Self.whole(Array("\u{1B}[12\u{1B}[A".utf8)) == [.key(Key(.up))])
        #expect(Self.whole(Array("\u{1B}P>|x\u{1B}[A".utf8)) == [.key(Key(.up))])
        #expect(
            Self.whole(Array("\u{1B}[12\rq".utf8)) == [.key(Key(.enter)), .key(.character("q"))])
        #expect(Self.whole(Array("\u{1B}[12\u{18}q".utf8)) == [.key(.character("q"))])
    }

    @Test(
        "bytes that are not UTF-8 are no keys",
        arguments: [
            [0x80], [0xFF], [0xC0, 0x80], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80],
            [0xF4, 0x90, 0x80, 0x80],
            [0xC3], [0xE2, 0x82],
        ] as [[UInt8]])
    func invalid(bytes: [UInt8]) {
        #expect(Self.whole(bytes) == [])
        #expect(Self.whole(bytes + Array("q".utf8)) == [.key(.character("q"))])
    }

    @Test func `any bytes at all are survived, and q is heard in the end`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<2000 {
            let bytes = (0..<64).map { _ in
                Bool.random(using: &generator)
                    ? UInt8.random(in: 0...255, using: &generator)
                    : Array("\u{1B}[]P_O?;$0123\\~M".utf8).randomElement(using: &generator)!
            }
            var whole = InputParser()
            var single = InputParser()
            let expected = whole.parse(bytes)
            #expect(bytes.flatMap { single.parse([$0]) } == expected, "\(bytes)")
            // However it stands: a string is given up after its time, a mouse report has three bytes.
            _ = whole.timeOut()
            var heard = false
            for _ in 0..<5 where !heard {
                heard = whole.parse([UInt8(ascii: "q")]).contains(.key(.character("q")))
            }
            #expect(heard, "\(bytes)")
        }
    }
}
