/// What sixels are written with, ready made: each is one 64-bit write, with no branch on the number of digits.
final class SixelTexts {
    /// A stretch of equal sixels.
    private struct Run: BitwiseCopyable {
        /// `!` and digits where that is shorter, the first in the low byte; in the high byte the length of all.
        var text: UInt64
        /// Times the sixel gives it as often, or where, it stands.
        var multiplier: UInt64
    }

    private let runs = ScratchMemory<Run>(capacity: 1281)
    private var runCount = 0
    /// `#` and digits; in the high byte their number.
    private let selections = ScratchMemory<UInt64>(capacity: 256)

    init() {
        for register in 0..<256 { selections.start[register] = Self.pack("#\(register)") }
    }

    private static func pack(_ text: String, length: Int? = nil) -> UInt64 {
        var packed = UInt64(length ?? text.utf8.count) << 56
        for (index, byte) in text.utf8.enumerated() { packed |= UInt64(byte) << (8 * index) }
        return packed
    }

    /// Makes the runs of a width, which is below 10000.
    func reserve(_ width: Int) {
        guard width >= runCount else { return }
        runs.reserve(width + 1, keeping: runCount)
        for count in runCount...width {
            let text = "!\(count)"
            runs.start[count] =
                count <= 3
                ? Run(text: UInt64(count) << 56, multiplier: 0x01_0101)
                : Run(
                    text: Self.pack(text, length: text.utf8.count + 1),
                    multiplier: 1 << (8 * text.utf8.count))
        }
        runCount = width + 1
    }

    /// A sixel so many times, as bytes from the low one on, and their number in the high byte.
    @inline(__always)
    func run(_ count: Int32, of sixel: UInt8) -> UInt64 {
        let run = runs.start[Int(count)]
        return run.text | UInt64(sixel) &* run.multiplier
    }

    /// The choice of a register, in the same form.
    @inline(__always)
    func selection(of register: Int32) -> UInt64 { selections.start[Int(register)] }
}
