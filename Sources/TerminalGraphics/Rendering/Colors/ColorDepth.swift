/// How many colours cells may have.
public enum ColorDepth: String, CaseIterable, Hashable, Sendable {
    /// 24 bits, `SGR 38;2;R;G;B`.
    case truecolor
    /// The 240 fixed colours of the 256-colour palette, `SGR 38;5;N`.
    case palette256 = "256"
    /// The 16 colours that a theme sets, taken to be xterm's.
    case palette16 = "16"
    /// The terminal's foreground and background.
    case mono
}
