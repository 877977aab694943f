import ElementaryStream
import Playback
import TerminalGraphics

/// What the command line asks for.
struct Options: Sendable {
    /// What to do in place of playing.
    enum Report: String, CaseIterable, Sendable {
        case summary, frames, nals
    }

    /// In which order pictures come.
    enum Order: String, CaseIterable, Sendable {
        case presentation, decode
    }

    var files: [String] = []
    var rate = 1.0
    var start: Place?
    var until: Place?
    var isPaused = false
    /// How often to play; nil is for ever.
    var loopCount: Int? = 1
    var pictureRate: PictureRate?
    var isUntimed = false
    var isLowDelay = false
    /// Whether at the end of a regular file more is waited for.
    var follows = false
    var isStrict = false
    var order = Order.presentation
    /// Whether what comes before the first random access point is shown too.
    var showsAll = false
    var logPath: String?
    var bufferByteLimit = 256 << 20
    var cacheByteLimit = 256 << 20
    var renderer = PlaybackOptions.Renderer.auto
    var colorDepth: ColorDepth?
    var dither = Dither.automatic
    var matrix: ColorMatrix?
    var range: ColorRange?
    var size: TerminalGrid?
    var cellSize: CellSize?
    var fit = Fit.contain
    var deinterlacing = Deinterlacing.weave
    /// Bytes a second to the terminal at most; nil: no limit.
    var maximumRate: Int?
    var hasStatus = true
    var report: Report?
    var hasDigests = false
    /// Where the picture at ``start`` goes as PNG.
    var snapshotPath: String?
    var probesTerminal = false
    var wantsTestPattern = false
    var wantsHelp = false
    var wantsVersion = false

    /// Whether the last picture comes first.
    var isBackwards: Bool { rate < 0 }
}

/// Why a command line cannot be obeyed: one line.
struct UsageError: Error, Hashable {
    var text: String
}
