/// What a user can ask of a player; which key means what is the program's matter.
public enum PlayerCommand: Hashable, Sendable {
    /// Pauses, or plays on.
    case togglePause
    /// Pauses, and goes so many pictures on, or back where negative.
    case step(Int)
    /// Goes so many milliseconds on, or back where negative.
    case seek(milliseconds: Int)
    /// Goes so many random access points on, or back where negative.
    case seekRandomAccess(Int)
    /// Goes to the first picture.
    case goToStart
    /// Goes to the last picture.
    case goToEnd
    /// Asks for a place, and goes there.
    case askForPlace
    /// Multiplies the rate.
    case scaleRate(Double)
    /// Rate 1.
    case resetRate
    /// Plays the other way.
    case reverse
    /// Marks where a loop begins, then where it ends, then forgets both.
    case markLoop
    /// Plays the file for ever, or no longer.
    case toggleLoop
    /// Goes to the next file, or with -1 to the previous.
    case changeFile(Int)
    /// Shows or hides the overlay of keys.
    case toggleKeys
    /// Shows or hides the overlay of facts.
    case toggleInformation
    /// Keeps the picture on show as a PNG file.
    case snapshot
    /// Draws with the next renderer.
    case nextRenderer
    /// Ends.
    case quit
}

extension PlayerCommand {
    /// Whether it goes elsewhere than where a stream that is being made has come to.
    var leavesTheEnd: Bool {
        switch self {
        case .togglePause, .step, .seek, .seekRandomAccess, .goToStart, .askForPlace, .scaleRate,
            .reverse, .markLoop:
            true
        case .goToEnd, .resetRate, .toggleLoop, .changeFile, .toggleKeys, .toggleInformation,
            .snapshot, .nextRenderer, .quit:
            false
        }
    }
}
