public import ElementaryStream
public import TerminalGraphics

/// How files are played and drawn.
public struct PlaybackOptions: Sendable {
    /// Which renderer draws.
    public enum Renderer: Hashable, Sendable {
        /// The best that the terminal says it can show.
        case auto
        /// Nothing but the status line.
        case none
        /// This one.
        case kind(RendererKind)
    }

    /// The rate of the timebase when a file begins.
    public var rate = 1.0
    /// Whether the first picture waits.
    public var isPaused = false
    /// The first picture.
    public var start: Place?
    /// The last picture; of a time, those before it.
    public var until: Place?
    /// How often each file is played; nil is for ever.
    public var loopCount: Int? = 1
    /// The picture rate, in place of the stream's.
    public var pictureRate: PictureRate?
    /// Whether pictures are shown as they are coded.
    public var isInDecodingOrder = false
    /// Whether what comes before the first random access point is shown too.
    public var showsAll = false
    /// Whether every picture is shown as soon as the one before is on the screen.
    public var isUntimed = false
    /// Whether each picture is shown when it arrives, not at its time.
    public var isLowDelay = false
    /// Whether at the end of a regular file more is waited for.
    public var followsFiles = false
    /// Whether the first damaged picture ends it all.
    public var isStrict = false
    /// Which renderer draws.
    public var renderer = Renderer.auto
    /// The cells to draw in; nil: the terminal's.
    public var grid: TerminalGrid?
    /// The pixels of a cell; nil: what the terminal says, else 8 × 16.
    public var cellSize: CellSize?
    /// Colours of cells; nil: as many as the terminal has.
    public var colorDepth: ColorDepth?
    /// How colours that cannot be shown are approached.
    public var dither = Dither.automatic
    /// The colour matrix, whatever the stream says; nil: the stream's.
    public var matrix: ColorMatrix?
    /// The range, whatever the stream says; nil: the stream's.
    public var range: ColorRange?
    /// How the fields of interlaced pictures are shown.
    public var deinterlacing = Deinterlacing.weave
    /// How pictures are fitted.
    public var fit = Fit.contain
    /// Compressed bytes kept of a pipe, to go back in.
    public var bufferByteLimit = 256 << 20
    /// Decoded bytes kept for steps back.
    public var cacheByteLimit = 256 << 20
    /// Bytes a second to the terminal at most; nil: as many as it takes.
    public var maximumRate: Int?
    /// Whether the last row is a status line.
    public var hasStatusLine = true

    /// The defaults.
    public init() {}
}
