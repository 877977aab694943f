/// Takes the bytes that come from a terminal apart: keys here, answers there.
///
/// Pure: fed bytes in pieces of any size, it gives the same inputs as fed all at once. What may be a key or the
/// beginning of more (Escape alone) stays pending until more comes or the caller, after ``pendingTimeout``, calls
/// ``timeOut()``.
///
/// Understood are the keys of xterm (normal and application modes), rxvt, the Linux console and what is like them,
/// in UTF-8. Pasted text (bracketed) and the mouse are dropped: a player must not obey a clipboard.
public struct InputParser: Sendable {
    enum State: Hashable, Sendable {
        case ground
        /// Inside a character: its bits so far, bytes still to come, and the least value it may have.
        case character(bits: UInt32, missing: Int, least: UInt32)
        case escape
        /// `ESC O`.
        case singleShift
        /// `CSI`, its parameters in `sequence`.
        case control
        /// `CSI` with more parameters than anything has; dropped to its end.
        case controlOverflow
        /// `CSI [`: a function key of the Linux console.
        case linuxFunction
        /// `ESC P`, `ESC ]` or `ESC _`, its text in `sequence`.
        case string(introducer: UInt8)
        /// An Escape inside one: its end, if `\` comes.
        case stringEscape(introducer: UInt8)
        /// Bytes of a mouse report to drop.
        case mouse(missing: Int)
        /// Pasted text to drop, `matched` bytes of its end seen.
        case paste(matched: Int)
    }

    static let pasteEnd: [UInt8] = Array("\u{1B}[201~".utf8)
    static let longestControl = 128
    static let longestString = 4096

    var state = State.ground
    var sequence: [UInt8] = []
    /// Whether another Escape stood before: Alt, as rxvt has it.
    var hasMeta = false
    /// Whether the Escape of what follows has already been given out as a key.
    var isOrphan = false
    var inputs: [TerminalInput] = []

    /// Whether answers are on their way: one that was torn after its Escape, which became a key, is then still
    /// known for one, and one that is never finished is waited for.
    public var expectsReply = false

    /// How long an Escape, and what else may be a key, waits for what may belong to it.
    public var escapeTimeout = Duration.milliseconds(80)

    /// A parser in its ground state.
    public init() {}

    /// How long to wait for more before ``timeOut()``; nil when nothing is pending that time decides.
    public var pendingTimeout: Duration? {
        switch state {
        case .ground, .controlOverflow, .mouse: return nil
        case .escape, .singleShift, .linuxFunction, .stringEscape:
            return escapeTimeout
        case .control:
            // With parameters it is no key: an answer that is due is waited for however late.
            if sequence.isEmpty { return escapeTimeout }
            return expectsReply ? nil : .milliseconds(500)
        case .string:
            if sequence.isEmpty { return escapeTimeout }
            // No answer is due: a key with Alt, and what was typed behind it.
            return expectsReply ? nil : .milliseconds(300)
        case .character: return .seconds(1)
        case .paste: return .seconds(2)
        }
    }

    /// Takes bytes.
    ///
    /// - Parameter bytes: What was read, in order.
    /// - Returns: The keys and answers that these bytes complete.
    public mutating func parse(_ bytes: some Sequence<UInt8>) -> [TerminalInput] {
        for byte in bytes { take(byte) }
        defer { inputs.removeAll(keepingCapacity: true) }
        return inputs
    }

    /// Decides what is pending: nothing more belongs to it.
    ///
    /// - Returns: The keys that it turns out to be.
    public mutating func timeOut() -> [TerminalInput] {
        let wasOrphan = isOrphan
        isOrphan = false
        switch state {
        case .escape:
            if hasMeta { emit(Key(.escape)) }
            emit(Key(.escape))
            isOrphan = expectsReply
        case .singleShift: emitIntroducer(UInt8(ascii: "O"), wasOrphan)
        case .linuxFunction:
            emitIntroducer(UInt8(ascii: "["), wasOrphan)
            emit(.character("["))
        case .control where sequence.isEmpty: emitIntroducer(UInt8(ascii: "["), wasOrphan)
        case .string(let introducer) where sequence.isEmpty: emitIntroducer(introducer, wasOrphan)
        case .stringEscape: emit(Key(.escape))
        default: break
        }
        state = .ground
        hasMeta = false
        sequence.removeAll(keepingCapacity: true)
        defer { inputs.removeAll(keepingCapacity: true) }
        return inputs
    }

    /// What looked like the second byte of a sequence was a key with Alt, or, after its Escape was given out, alone.
    private mutating func emitIntroducer(_ byte: UInt8, _ wasOrphan: Bool) {
        emit(.character(Unicode.Scalar(byte), wasOrphan ? [] : .alt))
    }

    mutating func emit(_ key: Key) { inputs.append(.key(key)) }

    mutating func emit(_ reply: TerminalReply) {
        // No answer comes with Alt: the Escape before it was a key that had no time to be known for one.
        if hasMeta { emit(Key(.escape)) }
        hasMeta = false
        inputs.append(.reply(reply))
    }

    mutating func take(_ byte: UInt8) {
        switch state {
        case .ground: takeInGround(byte)
        case .character(let bits, let missing, let least):
            takeInCharacter(byte, bits: bits, missing: missing, least: least)
        case .escape: takeAfterEscape(byte)
        case .singleShift: takeAfterSingleShift(byte)
        case .control: takeInControl(byte)
        case .controlOverflow:
            if byte == 0x1B {
                begin(.escape)
            } else if (0x40...0x7E).contains(byte) || byte < 0x20 {
                begin(.ground)
            }
        case .linuxFunction:
            if (0x41...0x45).contains(byte) {
                emit(Key(.function(Int(byte) - 0x40), hasMeta ? .alt : []))
                begin(.ground)
            } else {
                begin(.ground)
                take(byte)
            }
        case .string(let introducer): takeInString(byte, introducer)
        case .stringEscape(let introducer):
            if byte == UInt8(ascii: "\\") {
                finishString(introducer)
                begin(.ground)
            } else {
                begin(.escape)
                take(byte)
            }
        case .mouse(let missing): state = missing > 1 ? .mouse(missing: missing - 1) : .ground
        case .paste(let matched):
            if byte == Self.pasteEnd[matched] {
                state = matched + 1 < Self.pasteEnd.count ? .paste(matched: matched + 1) : .ground
            } else {
                state = .paste(matched: byte == 0x1B ? 1 : 0)
            }
        }
    }

    /// Goes to a state with nothing remembered.
    mutating func begin(_ next: State) {
        state = next
        sequence.removeAll(keepingCapacity: true)
        if next == .ground || next == .escape { hasMeta = false }
        if next == .ground { isOrphan = false }
    }

    private mutating func takeInGround(_ byte: UInt8) {
        if isOrphan, "[OP]_".utf8.contains(byte) {
            begin(.escape)
            takeAfterEscape(byte)
            isOrphan = true
            return
        }
        isOrphan = false
        if byte == 0x1B {
            begin(.escape)
        } else {
            takeCharacter(byte, [])
        }
    }

    /// A byte that is a key or begins a character.
    private mutating func takeCharacter(_ byte: UInt8, _ modifiers: Key.Modifiers) {
        state = .ground
        switch byte {
        case 0x0A, 0x0D: emit(Key(.enter, modifiers))
        case 0x09: emit(Key(.tab, modifiers))
        case 0x08, 0x7F: emit(Key(.backspace, modifiers))
        case 0x00: emit(.character(" ", modifiers.union(.control)))
        case 0x01...0x1A:
            emit(.character(Unicode.Scalar(byte | 0x60), modifiers.union(.control)))
        case 0x1B: begin(.escape)
        case 0x1C...0x1F:
            emit(.character(Unicode.Scalar(byte | 0x40), modifiers.union(.control)))
        case 0x20...0x7E: emit(.character(Unicode.Scalar(byte), modifiers))
        case 0xC2...0xDF: beginCharacter(byte & 0x1F, missing: 1, least: 0x80, modifiers)
        case 0xE0...0xEF: beginCharacter(byte & 0x0F, missing: 2, least: 0x800, modifiers)
        case 0xF0...0xF4: beginCharacter(byte & 0x07, missing: 3, least: 0x10000, modifiers)
        default: break  // Not UTF-8: no key.
        }
    }

    private mutating func beginCharacter(
        _ bits: UInt8, missing: Int, least: UInt32, _ modifiers: Key.Modifiers
    ) {
        hasMeta = modifiers.contains(.alt)
        state = .character(bits: UInt32(bits), missing: missing, least: least)
    }

    private mutating func takeInCharacter(
        _ byte: UInt8, bits: UInt32, missing: Int, least: UInt32
    ) {
        guard byte & 0xC0 == 0x80 else {
            begin(.ground)
            take(byte)
            return
        }
        let more = bits << 6 | UInt32(byte & 0x3F)
        guard missing == 1 else {
            state = .character(bits: more, missing: missing - 1, least: least)
            return
        }
        if more >= least, let scalar = Unicode.Scalar(more) {
            emit(.character(scalar, hasMeta ? .alt : []))
        }
        begin(.ground)
    }

    private mutating func takeAfterEscape(_ byte: UInt8) {
        let meta = hasMeta
        switch byte {
        case UInt8(ascii: "["): begin(.control)
        case UInt8(ascii: "O"): begin(.singleShift)
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"):
            begin(.string(introducer: byte))
        case 0x1B:
            if meta { emit(Key(.escape)) }
            state = .escape
            hasMeta = true
            return
        default:
            if meta { emit(Key(.escape)) }
            begin(.ground)
            takeCharacter(byte, .alt)
            return
        }
        hasMeta = meta
    }

    private mutating func takeInString(_ byte: UInt8, _ introducer: UInt8) {
        switch byte {
        case 0x1B: state = .stringEscape(introducer: introducer)
        case 0x18, 0x1A: begin(.ground)
        case 0x07 where introducer == UInt8(ascii: "]"):
            finishString(introducer)
            begin(.ground)
        default:
            // What is too long is dropped to its end, and was no answer of ours.
            if sequence.count < Self.longestString { sequence.append(byte) }
        }
    }
}
