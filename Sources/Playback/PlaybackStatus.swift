public import PixelBuffers
public import TerminalGraphics

/// What a status line can tell.
public struct PlaybackStatus: Sendable {
    /// The file as named by the user.
    public var file = ""
    /// The picture on show, in presentation order from 0; nil before the first.
    public var picture: Int?
    /// How many there are; nil while nothing is known.
    public var total: Int?
    /// Whether `total` is an estimate.
    public var isTotalEstimated = false
    /// The time of the picture on show, in ticks.
    public var ticks: Int64 = 0
    /// Ticks a second.
    public var timescale: Int32 = 1
    /// `I`, `P`, `B`, `SI` or `SP`; empty before the first picture.
    public var pictureType = ""
    /// The field on show; nil where the picture is shown whole.
    public var field: Field?
    /// Whether the picture on show is damaged.
    public var isDamaged = false
    /// The rate of the timebase, as asked for.
    public var rate = 1.0
    /// Whether it is paused.
    public var isPaused = false
    /// Whether pictures are shown without regard to time.
    public var isUntimed = false
    /// Whether each picture is shown when it arrives.
    public var isLowDelay = false
    /// Whether the stream has not gone on for a while.
    public var isWaitingForData = false
    /// The picture's size after cropping; 0 before the first.
    public var width = 0
    /// The picture's height after cropping.
    public var height = 0
    /// The matrix that the picture is drawn by.
    public var matrix: ColorMatrix?
    /// Whether it is drawn as of full range.
    public var isFullRange = false
    /// The shape of its samples, where they are not square.
    public var pixelAspectRatio: PixelAspectRatio?
    /// The renderer's name.
    public var renderer = ""
    /// How much of the picture is on the screen.
    public var detail = PictureDetail()
    /// Bytes a second that the terminal takes; nil while that is not known.
    public var linkRate: Int?
    /// Pictures not shown because they came too late.
    public var dropped = 0
    /// Damaged pictures shown.
    public var damaged = 0
    /// Pictures skipped at the start, while waiting for a random access point.
    public var skipped = 0
    /// Whether the file is played for ever.
    public var isLooping = false
    /// A loop between two pictures, as marked so far.
    public var loopStart: Int?
    /// Where the loop ends.
    public var loopEnd: Int?
    /// A place being typed.
    public var entry: String?
    /// Something to tell for a moment.
    public var message: String?

    /// Nothing known yet.
    public init() {}
}
