/// The control sequences this module sends.
enum ControlSequence {
    /// Ends whatever sequence the terminal is in the middle of: CAN for those that heed it, ST
    /// for strings (sixel, kitty) of those that do not.
    ///
    /// In the ground state neither does anything.
    static let abort = "\u{18}\u{1B}\\"
    /// Lets the terminal show what it held back (mode 2026), and takes colours off.
    static let settle = "\u{1B}[?2026l\u{1B}[m"
    /// Alternate screen, cleared; cursor hidden; no autowrap.
    static let enter = "\u{1B}[?1049h\u{1B}[?25l\u{1B}[?7l\u{1B}[m\u{1B}[2J\u{1B}[H"
    /// All of ``enter`` undone, from any state.
    static let leave = abort + settle + "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l"
    /// The same where there is no alternate screen to leave: the last picture goes.
    static let leaveCleared = abort + settle + "\u{1B}[?7h\u{1B}[?25h\u{1B}[?1049l\u{1B}[H\u{1B}[2J"
    /// DSR: answered when all before has been treated.
    static let statusRequest = "\u{1B}[5n"
}
