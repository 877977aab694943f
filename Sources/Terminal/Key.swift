/// A key of the keyboard, with what was held down.
public struct Key: Hashable, Sendable {
    /// Which key.
    public enum Code: Hashable, Sendable {
        /// A character as typed: `A` comes as `A`, without ``Modifiers/shift``. Space is a character.
        case character(Unicode.Scalar)
        /// Return or Enter, also that of the keypad.
        case enter
        /// Tab.
        case tab
        /// Backspace, whichever of the two codes the terminal sends.
        case backspace
        /// Escape.
        case escape
        /// An arrow.
        case up, down, left, right
        /// A key of the block above the arrows.
        case home, end, pageUp, pageDown, insert, delete
        /// F1 to F20.
        case function(Int)
    }

    /// What was held down.
    public struct Modifiers: OptionSet, Hashable, Sendable {
        /// Bits as xterm has them, less one.
        public let rawValue: UInt8

        /// Bits as xterm has them, less one.
        public init(rawValue: UInt8) { self.rawValue = rawValue }

        /// Shift; not told with characters.
        public static let shift = Modifiers(rawValue: 1)
        /// Alt, Option or Meta.
        public static let alt = Modifiers(rawValue: 2)
        /// Control.
        public static let control = Modifiers(rawValue: 4)
    }

    /// Which key.
    public var code: Code
    /// What was held down.
    public var modifiers: Modifiers

    /// A key.
    public init(_ code: Code, _ modifiers: Modifiers = []) {
        self.code = code
        self.modifiers = modifiers
    }

    /// The key of a character.
    public static func character(_ character: Unicode.Scalar, _ modifiers: Modifiers = []) -> Key {
        Key(.character(character), modifiers)
    }
}
