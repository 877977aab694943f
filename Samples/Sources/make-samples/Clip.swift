import StreamSynthesis

/// Pictures for an encoder: what `make-samples raw NAME` writes.
struct Clip: Sendable {
    let name: String
    let count: Int
    let picture: @Sendable (Int) -> Picture

    init(_ name: String, count: Int, picture: @escaping @Sendable (Int) -> Picture) {
        self.name = name
        self.count = count
        self.picture = picture
    }

    /// The test card with change `change`, its numbers from `first` on.
    init(
        _ name: String, _ format: PictureFormat, count: Int, first: Int = 0,
        change: (inout TestCard) -> Void = { _ in }
    ) {
        var card = TestCard(format)
        change(&card)
        self.init(name, count: count) { [card] in card.picture($0 + first) }
    }

    private static let small = PictureFormat(width: 176, height: 144)
    private static let wide = PictureFormat(width: 320, height: 180)

    static let all: [Clip] = [
        Clip("showpiece", count: Showpiece.pictureCount) {
            Showpiece(picture: $0).picture(number: $0)
        },
        Clip("baseline", small, count: 100),
        Clip("main", small, count: 100),
        Clip("b-pyramid", wide, count: 100),
        Clip("open-gop", wide, count: 120),
        Clip("intra-refresh", small, count: 100),
        Clip("mbaff", count: 75) { [card = TestCard(small)] in card.interlacedPicture($0) },
        Clip("size-change-0", PictureFormat(width: 160, height: 120), count: 25),
        Clip("size-change-1", wide, count: 25, first: 25) { $0.variant = 1 },
        Clip(
            "size-change-2", PictureFormat(width: 96, height: 128, bitDepth: 10), count: 25,
            first: 50
        ) {
            $0.variant = 2
        },
        Clip("high10", PictureFormat(width: 176, height: 144, bitDepth: 10), count: 50),
        Clip("high422", PictureFormat(width: 176, height: 144, chroma: .yuv422), count: 50),
        Clip("high444", PictureFormat(width: 176, height: 144, chroma: .yuv444), count: 50),
        Clip("cropped-1080p", PictureFormat(width: 1920, height: 1080), count: 30),
        Clip("anamorphic", PictureFormat(width: 180, height: 144), count: 50) {
            $0.sampleAspectRatio = 16.0 / 11
        },
    ]
}
