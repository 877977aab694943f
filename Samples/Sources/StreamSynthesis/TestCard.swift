internal import Glibc

/// The generated picture of the samples and tests: colour bars, steps of grey, a circle with a hand going round, moving stripes, and the
/// picture's number twice, in digits and as ``PictureCounter``.
package struct TestCard: Sendable {
    package var format: PictureFormat
    /// Samples of one value are this wide and high (in frame rows): 4 × 4, or 4 × 8 for field coding, suits the cells of ``StreamWriter``.
    package var cellWidth = 1
    package var cellHeight = 1
    /// Width of a sample by its height, so that the circle is shown round.
    package var sampleAspectRatio = 1.0
    package var matrix = ColourMatrix.itu601
    /// Pictures that the hand needs to go round.
    package var period = 50.0
    /// Turns the colours, to tell apart the parts of a stream.
    package var variant = 0

    package init(_ format: PictureFormat, cellWidth: Int = 1, cellHeight: Int = 1) {
        self.format = format
        self.cellWidth = cellWidth
        self.cellHeight = cellHeight
    }

    /// The card with the number `number`, moving things where they are at `time` (in pictures; the number itself unless said).
    package func picture(_ number: Int, at time: Double? = nil) -> Picture {
        var picture = Picture(format)
        let scene = Scene(card: self, number: number, time: time ?? Double(number))
        fill(&picture, plane: 0) {
            matrix.luma(scene.colour($0, $1), bitDepth: format.bitDepthLuma)
        }
        guard format.planeCount == 3 else { return picture }
        let depth = format.bitDepthChroma
        fill(&picture, plane: 1) { matrix.chroma(scene.colour($0, $1), bitDepth: depth).cb }
        fill(&picture, plane: 2) { matrix.chroma(scene.colour($0, $1), bitDepth: depth).cr }
        return picture
    }

    /// A frame of two fields half a picture apart in time, the top one first unless said.
    package func interlacedPicture(_ number: Int, first: FieldParity = .top) -> Picture {
        let early = picture(number, at: Double(number))
        let late = picture(number, at: Double(number) + 0.5)
        let (top, bottom) = first == .top ? (early, late) : (late, early)
        return Picture(top: top.field(.top), bottom: bottom.field(.bottom))
    }

    /// Fills a plane cell by cell with the value at each cell's centre, given in luma samples.
    private func fill(
        _ picture: inout Picture, plane: Int, _ value: (_ x: Double, _ y: Double) -> UInt16
    ) {
        let stepX = Double(plane == 0 ? 1 : format.chromaStepX)
        let stepY = Double(plane == 0 ? 1 : format.chromaStepY)
        let width = picture.planes[plane].width
        let height = picture.planes[plane].height
        for y in stride(from: 0, to: height, by: cellHeight) {
            for x in stride(from: 0, to: width, by: cellWidth) {
                let sample = value(
                    (Double(x) + Double(cellWidth) / 2) * stepX,
                    (Double(y) + Double(cellHeight) / 2) * stepY)
                for row in y..<min(y + cellHeight, height) {
                    for column in x..<min(x + cellWidth, width) {
                        picture.planes[plane][column, row] = sample
                    }
                }
            }
        }
    }
}

extension TestCard {
    /// One picture's colours by place.
    private struct Scene {
        let card: TestCard
        let number: Int
        let width: Double
        let height: Double
        let aspect: Double
        let softness: Double
        /// Chroma cells are too big to follow what moves, so that is grey.
        let isCoarse: Bool
        let hand: (x: Double, y: Double)
        let shift: Double

        private static let bars = [
            Colour(0.92), Colour(0.9, 0.85, 0.1), Colour(0.1, 0.8, 0.85), Colour(0.15, 0.75, 0.2),
            Colour(0.8, 0.2, 0.75), Colour(0.85, 0.15, 0.12), Colour(0.12, 0.2, 0.85), Colour(0.08),
        ]
        private static let grounds = [
            Colour(0.10, 0.13, 0.22), Colour(0.20, 0.09, 0.15), Colour(0.06, 0.19, 0.15),
        ]

        init(card: TestCard, number: Int, time: Double) {
            self.card = card
            self.number = number
            width = Double(card.format.width)
            height = Double(card.format.height)
            aspect = card.sampleAspectRatio
            isCoarse = card.cellWidth > 1
            softness = isCoarse ? 0.01 : 1
            let turn = 2 * Double.pi * time / card.period
            hand = (sin(turn), -cos(turn))
            shift = time * 2
        }

        func colour(_ x: Double, _ y: Double) -> Colour {
            let v = y / height
            if let white = PictureCounter.isWhite(number, .edge, x: x / width, y: v) {
                return Colour(white ? 1 : 0)
            }
            switch v {
            case ..<0.25:
                return Self.bars[(Int(x / width * 8) + card.variant * 3) % 8]
            case 0.70..<0.80:
                let period = max(16, width / 8)
                let at = (x + y - shift * period / 16) / period
                let stripe = at - at.rounded(.down) < 0.5
                if isCoarse { return Colour(stripe ? 0.85 : 0.15) }
                return stripe ? Colour(0.95, 0.75, 0.2) : Colour(0.15, 0.15, 0.2)
            case 0.80...:
                return Colour((x / width * 12).rounded(.down) / 11)
            default:
                return middle(x, y)
            }
        }

        /// Digits on the left, the circle on the right.
        private func middle(_ x: Double, _ y: Double) -> Colour {
            let ground = Self.grounds[card.variant % 3]
            let dot = max((height / 20 / 8).rounded(), 0.5) * 8
            let dotX = dot / aspect
            let column = (x - dotX) / dotX
            let row = (y - (height * 0.475 - 2.5 * dot)) / dot
            if column >= 0, row >= 0,
                Digits.isSet(number, count: 3, x: Int(column), y: Int(row))
            {
                return Colour(0.97)
            }
            let radius = height * 0.19
            let dx = (x - width * 0.8) * aspect / radius
            let dy = (y - height * 0.475) / radius
            let distance = (dx * dx + dy * dy).squareRoot()
            let soft = softness / radius
            func edge(_ value: Double) -> Double { min(max(value / soft + 0.5, 0), 1) }
            var colour = ground.mixed(with: Colour(0.85, 0.88, 0.95), edge(1 - distance))
            colour = colour.mixed(with: Colour(0.05, 0.08, 0.15), edge(0.86 - distance))
            // The hand: near the half line from the centre outwards.
            let along = dx * hand.x + dy * hand.y
            let aside = abs(dx * hand.y - dy * hand.x)
            let isOnHand = edge(0.14 - aside) * edge(along) * edge(0.8 - along)
            return colour.mixed(with: isCoarse ? Colour(0.9) : Colour(0.98, 0.35, 0.2), isOnHand)
        }
    }
}
