import Playback
import Terminal

/// Which key means what: those of mpv, where it has the function.
enum KeyBindings {
    /// The command of a key after the number typed before it, 0 for none.
    static func command(_ key: Key, _ count: Int) -> PlayerCommand? {
        let times = max(count, 1)
        let isShifted = key.modifiers.contains(.shift)
        switch key.code {
        case .character(let scalar): return command(scalar, times)
        case .right: return .seek(milliseconds: times * (isShifted ? 5000 : 1000))
        case .left: return .seek(milliseconds: -times * (isShifted ? 5000 : 1000))
        case .up: return .seekRandomAccess(times)
        case .down: return .seekRandomAccess(-times)
        case .home: return .goToStart
        case .end: return .goToEnd
        case .backspace: return .resetRate
        case .escape: return .quit
        default: return nil
        }
    }

    private static func command(_ scalar: Unicode.Scalar, _ times: Int) -> PlayerCommand? {
        switch scalar {
        case " ": .togglePause
        case ".": .step(times)
        case ",": .step(-times)
        case "[": .scaleRate(1 / 1.1)
        case "]": .scaleRate(1.1)
        case "{": .scaleRate(1 / 2)
        case "}": .scaleRate(2)
        case "r": .reverse
        case "g": .askForPlace
        case "l": .markLoop
        case "L": .toggleLoop
        case "i": .toggleInformation
        case "s": .snapshot
        case "v": .nextRenderer
        case ">": .changeFile(1)
        case "<": .changeFile(-1)
        case "?": .toggleKeys
        case "q": .quit
        default: nil
        }
    }
}

extension Player.Interface {
    /// The player as `tplay` has it.
    static var standard: Self {
        Self(
            command: KeyBindings.command, statusLine: StatusLine.text,
            place: { Place($0) },
            keys: Help.keys.map { entry in
                let padding = String(repeating: " ", count: max(1, 12 - entry.keys.count))
                return entry.keys + padding + entry.meaning + " "
            })
    }
}
