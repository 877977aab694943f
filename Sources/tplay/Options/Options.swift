import ElementaryStream
import Playback
import TerminalGraphics

/// What the command line asks for.
struct Options: Sendable {
    /// What to do in place of playing.
    enum Report: String, CaseIterable, Sendable {
        case summary, frames, nals
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
    var isStrict = false
    var logPath: String?
    var bufferByteLimit = 256 << 20
    var cacheByteLimit = 256 << 20
    var renderer = PlaybackOptions.Renderer.auto
    var size: TerminalGrid?
    var cellSize: CellSize?
    var fit = Fit.contain
    var hasStatus = true
    var report: Report?
    var hasDigests = false
    var wantsHelp = false
    var wantsVersion = false
}

/// Why a command line cannot be obeyed: one line.
struct UsageError: Error, Hashable {
    var text: String
}
