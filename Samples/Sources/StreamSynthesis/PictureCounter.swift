/// A number burnt into a picture so that a machine can read it back, also after scaling to a terminal.
///
/// Sixteen blocks side by side, black or white: a white and a black one to find the levels by, twelve bits of the number with the
/// highest first, a bit that makes the number of white ones among them even, a white one.
package enum PictureCounter {
    /// Numbers count modulo this.
    package static let modulus = 1 << 12

    /// Where the blocks are, in parts of the picture's width and height.
    package struct Place: Hashable, Sendable {
        package var left: Double
        package var top: Double
        package var width: Double
        package var height: Double

        package init(left: Double, top: Double, width: Double, height: Double) {
            self.left = left
            self.top = top
            self.width = width
            self.height = height
        }

        /// Along the whole lower edge.
        package static let edge = Place(left: 0, top: 11.0 / 12, width: 1, height: 1.0 / 12)
        /// Small in the lower right corner.
        package static let corner = Place(left: 0.875, top: 0.925, width: 0.1, height: 0.03)
    }

    /// The blocks from the left: whether each is white.
    package static func blocks(_ number: Int) -> [Bool] {
        let bits = (0..<12).map { number >> (11 - $0) & 1 == 1 }
        return [true, false] + bits + [bits.count(where: \.self) % 2 == 1, true]
    }

    /// Whether a point, in parts of the picture, is in a white block; `nil` outside the blocks.
    package static func isWhite(_ number: Int, _ place: Place, x: Double, y: Double) -> Bool? {
        let across = (x - place.left) / place.width * 16
        let down = (y - place.top) / place.height
        guard across >= 0, across < 16, down >= 0, down < 1 else { return nil }
        return blocks(number)[Int(across)]
    }

    /// Reads the number out of a picture of `width` × `height` points.
    ///
    /// `luma` gives the brightness of a point in any unit; the result is `nil` where the blocks are not to be seen.
    package static func read(
        width: Int, height: Int, place: Place = .edge, luma: (_ x: Int, _ y: Int) -> Int
    ) -> Int? {
        let y = Int((place.top + place.height / 2) * Double(height))
        let values = (0..<16).map { block in
            let x = (place.left + place.width * (Double(block) + 0.5) / 16) * Double(width)
            return luma(min(Int(x), width - 1), min(y, height - 1))
        }
        guard values[0] > values[1] else { return nil }
        let middle = (values[0] + values[1]) / 2
        let bits = values.map { $0 > middle }
        let number = bits[2..<14].reduce(0) { $0 << 1 | ($1 ? 1 : 0) }
        return bits == blocks(number) ? number : nil
    }

    /// Reads the number out of a picture.
    package static func read(_ picture: Picture, place: Place = .edge) -> Int? {
        read(width: picture.format.width, height: picture.format.height, place: place) {
            Int(picture.planes[0][$0, $1])
        }
    }
}
