package import TerminalGraphics

/// How much of a picture is sent: all of it, or less for a link that does not take all.
public struct PictureDetail: Hashable, Sendable {
    /// Whether cells stand in for an image.
    public internal(set) var isStandIn = false
    /// How far a channel may be from the picture's, of 255, before a cell is sent again.
    public internal(set) var tolerance = 0
    /// Whether there are 256 colours only.
    public internal(set) var hasFewerColors = false
    /// How many dots across and down share one colour.
    public internal(set) var coarseness = 1
    /// How many times smaller it is, across and down.
    public internal(set) var shrinking = 1
    /// Whether it owes nothing to the pictures before it (``PictureRenderer/forgetPrevious()``): what stands still is looked at.
    package var isStill = false
    /// The bytes that a picture then takes, beside all of its cells exactly (seen on film in half blocks).
    package var share = 1.0

    /// All of it.
    package init() {}

    /// All of it.
    static let exact = PictureDetail()

    /// The same for a picture that stands still.
    package var still: PictureDetail {
        var detail = self
        detail.isStill = true
        return detail
    }

    /// Whether the two are drawn alike, and differ only in what is sent again.
    package func isDrawn(like other: PictureDetail) -> Bool {
        isStandIn == other.isStandIn && hasFewerColors == other.hasFewerColors
            && coarseness == other.coarseness && shrinking == other.shrinking
    }

    /// Whether nothing is left out.
    public var isExact: Bool { tolerance == 0 && isDrawn(like: .exact) }

    /// The ways to draw for a terminal, each with fewer bytes than the one before.
    ///
    /// - Parameters:
    ///   - kind: What draws when nothing is left out.
    ///   - colorDepth: The cells' colours then.
    ///   - standsIn: Whether cells may take an image's place.
    ///   - keepsColors: Whether the colours are the user's choice.
    /// - Returns: One way at least.
    package static func ladder(
        for kind: RendererKind, _ colorDepth: ColorDepth, standsIn: Bool, keepsColors: Bool
    ) -> [PictureDetail] {
        var ladder: [PictureDetail] = []
        var base = PictureDetail()
        if kind.isImage {
            var image = base
            image.share = 7
            ladder.append(image)
            guard standsIn else { return ladder }
            base.isStandIn = true
        }
        ladder.append(base)
        // Seen on bench/bbb1080 in half blocks, where all are 131 KB.
        if colorDepth == .truecolor {
            for (tolerance, share) in [(2, 0.69), (4, 0.44), (8, 0.25), (12, 0.172)] {
                var step = base
                (step.tolerance, step.share) = (tolerance, share)
                ladder.append(step)
            }
        }
        if colorDepth == .truecolor, !keepsColors {
            base.hasFewerColors = true
            base.share = 0.153
            ladder.append(base)
        }
        var coarse = base
        (coarse.coarseness, coarse.share) = (2, 0.033)
        ladder.append(coarse)
        // Large dots take several rows of cells, each written by itself; a small picture takes few.
        for (shrinking, share) in [(4, 0.012), (6, 0.007)] {
            var step = base
            (step.shrinking, step.share) = (shrinking, share)
            ladder.append(step)
        }
        return ladder
    }
}
