public import Terminal
public import TerminalGraphics

extension RendererKind {
    /// What `auto` means on a terminal: the best that it says it can show, where that is also soon seen.
    ///
    /// Inside tmux and screen only what they say themselves counts: they answer DA1 in the terminal's place. Kitty's images
    /// are large: across a network sixels, or else cells, are seen sooner.
    public static func best(for capabilities: TerminalCapabilities) -> RendererKind {
        if capabilities.hasKittyGraphics, !capabilities.environment.isRemote { return .kitty }
        return capabilities.hasSixel ? .sixel : .half
    }
}
