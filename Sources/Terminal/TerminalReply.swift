/// What a terminal answers to a query.
public enum TerminalReply: Hashable, Sendable {
    /// DA1, `CSI ? Ps ; … c`: the class and the extensions. 4 is sixel.
    case primaryAttributes([Int])
    /// DA2, `CSI > Pp ; Pv ; Pc c`: type and version.
    case secondaryAttributes([Int])
    /// XTVERSION, `DCS > | text ST`: name and version.
    case version(String)
    /// DECRPM, `CSI ? mode ; value $ y`: 0 unknown, 1 set, 2 reset, 3 always set, 4 never set.
    case mode(Int, value: Int)
    /// `CSI 6 ; height ; width t`.
    case cellSize(TerminalPixelSize)
    /// `CSI 4 ; height ; width t`: the text area.
    case areaSize(TerminalPixelSize)
    /// `CSI 8 ; rows ; columns t`: the text area in cells.
    case areaCells(rows: Int, columns: Int)
    /// XTSMGRAPHICS, `CSI ? item ; status ; … S`: item 1 is the number of colour registers, 2 the sixel size;
    /// status 0 is success.
    case graphics(item: Int, status: Int, values: [Int])
    /// The answer to a command of kitty's graphics protocol: its keys, and `OK` or an error.
    case kittyGraphics(keys: String, message: String)
    /// DECRPSS, `DCS 1 $ r text ST`: a setting, here the colours (`… m`).
    case setting(String)
    /// DSR, `CSI 0 n`: all that was written before has been treated.
    case status
    /// CPR, `CSI row ; column R`, from 1.
    case cursorPosition(row: Int, column: Int)
    /// Anything else that only a terminal sends.
    case other
}
