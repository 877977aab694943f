/// What a user can ask of a player; which key means what is the program's matter.
public enum PlayerCommand: Hashable, Sendable {
    /// Pauses, or plays on.
    case togglePause
    /// Pauses, and goes so many pictures on, or back where negative.
    case step(Int)
    /// Goes so many milliseconds on, or back where negative.
    case seek(milliseconds: Int)
    /// Multiplies the rate.
    case scaleRate(Double)
    /// Rate 1.
    case resetRate
    /// Goes to the next file, or with -1 to the previous.
    case changeFile(Int)
    /// Shows or hides the overlay of keys.
    case toggleKeys
    /// Ends.
    case quit
}
