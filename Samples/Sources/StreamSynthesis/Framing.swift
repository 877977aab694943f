/// How NAL units are laid out in the byte stream.
///
/// Source: ITU-T H.264 (08/2021) B.1.
package struct Framing: Sendable {
    /// Which start codes have three bytes.
    package enum StartCodes: Hashable, Sendable {
        /// Four bytes everywhere.
        case long
        /// Four where B.1.2 asks for them (parameter sets, first of an access unit), else three.
        case mixed
        /// Three bytes everywhere, the very first included.
        case short
    }

    package var startCodes: StartCodes
    /// `trailing_zero_8bits` after the NAL unit with this index.
    package var paddingAfter: @Sendable (Int) -> Int

    package init(_ startCodes: StartCodes, padding: @escaping @Sendable (Int) -> Int = { _ in 0 }) {
        self.startCodes = startCodes
        paddingAfter = padding
    }

    /// The byte stream of `nalUnits`.
    package func bytes(of nalUnits: [SynthesizedNALUnit]) -> [UInt8] {
        var bytes: [UInt8] = []
        var previousPicture: Int?
        for (index, unit) in nalUnits.enumerated() {
            let isFirst = unit.picture != previousPicture
            let isLong =
                switch startCodes {
                case .long: true
                case .short: false
                case .mixed: isFirst || unit.type == 7 || unit.type == 8
                }
            bytes += isLong ? [0, 0, 0, 1] : [0, 0, 1]
            bytes += unit.bytes
            bytes += Array(repeating: 0, count: paddingAfter(index))
            previousPicture = unit.picture
        }
        return bytes
    }
}
