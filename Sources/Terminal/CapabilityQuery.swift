/// The questions a terminal is asked, all in one write, DA1 last: every terminal that answers anything answers it,
/// and answers in order, so nothing comes after it.
enum CapabilityQuery {
    /// The questions for a terminal.
    ///
    /// What must not be asked follows from the names: the Linux console prints what it does not know, tmux and
    /// screen take an APC for a title. Cells are asked for only where the kernel does not know the size.
    static func text(for environment: TerminalEnvironment, hasSize: Bool) -> String {
        let term = environment.term
        let fence = "\u{1B}[c"
        if term.hasPrefix("linux") || term.hasPrefix("vt") || term.hasPrefix("con") { return fence }
        let isMultiplexed =
            environment.isTmux || environment.isScreen || term.hasPrefix("tmux")
            || term.hasPrefix("screen")
        var text = "\u{1B}[>0q\u{1B}[>c\u{1B}[?2026$p\u{1B}[16t\u{1B}[14t"
        if !hasSize { text += "\u{1B}[18t" }
        text += "\u{1B}[?1;1;0S\u{1B}[?2;1;0S"
        if !isMultiplexed {
            text += "\u{1B}_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA\u{1B}\\"
            text += "\u{1B}[48;2;1;2;3m\u{1B}P$qm\u{1B}\\\u{1B}[m"
        }
        return text + fence
    }
}
