/// What comes from a terminal: somebody's key, or its answer.
public enum TerminalInput: Hashable, Sendable {
    /// A key.
    case key(Key)
    /// An answer; never taken for a key.
    case reply(TerminalReply)
}
