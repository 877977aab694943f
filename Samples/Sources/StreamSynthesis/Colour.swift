/// A colour as light, each part 0…1, gamma applied.
package struct Colour: Hashable, Sendable {
    package var red: Double
    package var green: Double
    package var blue: Double

    package init(_ red: Double, _ green: Double, _ blue: Double) {
        self.red = red
        self.green = green
        self.blue = blue
    }

    /// Grey.
    package init(_ level: Double) { self.init(level, level, level) }

    /// The way from this colour (`part` 0) to another (1).
    package func mixed(with other: Colour, _ part: Double) -> Colour {
        Colour(
            red + (other.red - red) * part, green + (other.green - green) * part,
            blue + (other.blue - blue) * part)
    }
}

/// From light to samples.
package struct ColourMatrix: Hashable, Sendable {
    package let red: Double
    package let blue: Double

    package static let itu601 = ColourMatrix(red: 0.299, blue: 0.114)
    package static let itu709 = ColourMatrix(red: 0.2126, blue: 0.0722)

    /// Limited-range luma of `bitDepth` bits.
    package func luma(_ colour: Colour, bitDepth: Int = 8) -> UInt16 {
        sample(16 + 219 * brightness(colour), bitDepth)
    }

    /// Limited-range chroma of `bitDepth` bits.
    package func chroma(_ colour: Colour, bitDepth: Int = 8) -> (cb: UInt16, cr: UInt16) {
        let y = brightness(colour)
        return (
            sample(128 + 224 * (colour.blue - y) / (2 - 2 * blue), bitDepth),
            sample(128 + 224 * (colour.red - y) / (2 - 2 * red), bitDepth)
        )
    }

    private func brightness(_ colour: Colour) -> Double {
        red * colour.red + (1 - red - blue) * colour.green + blue * colour.blue
    }

    private func sample(_ value: Double, _ bitDepth: Int) -> UInt16 {
        let scaled = value * Double(1 << (bitDepth - 8))
        return UInt16(min(max(scaled.rounded(), 0), Double(1 << bitDepth - 1)))
    }
}
