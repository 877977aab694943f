/// One option of the command: the parser, `--help` and the man page all read the same table.
struct Option: Sendable {
    /// The headings of `--help`.
    enum Group: String, CaseIterable, Sendable {
        case playing = "PLAYING"
        case drawing = "DRAWING"
        case instead = "INSTEAD OF PLAYING"
    }

    /// Which member of ``Options`` it sets.
    enum Name: String, CaseIterable, Sendable {
        case timebaseRate = "timebase-rate"
        case start, until, paused, loop, fps, untimed, order
        case fromAny = "from-any"
        case lowDelay = "low-delay"
        case follow, buffer, cache, strict, log
        case renderer, colors, dither, size
        case cellSize = "cell-size"
        case fit, matrix, range, deinterlace
        case maxRate = "max-rate"
        case noStatus = "no-status"
        case probeTerminal = "probe-terminal"
        case testPattern = "test-pattern"
        case report, md5, snapshot
        case help, version
    }

    var name: Name
    var group: Group
    /// The placeholder of its argument in `--help`; nil where it takes none.
    var argument: String?
    /// One line for `--help`, with the default.
    var help: String
    /// Its one-letter form.
    var letter: Character?
}

extension Option {
    /// Every option of the command, in the order of `--help`.
    static let all: [Option] = [
        .init(
            name: .timebaseRate, group: .playing, argument: "R",
            help: "rate of playback: 0.5, 1/3, -1, 0 is paused (default: 1)"),
        .init(
            name: .start, group: .playing, argument: "W",
            help: "first picture: 12.5, 1:02.5 or #120, 120f (default: 0f)"),
        .init(
            name: .until, group: .playing, argument: "W",
            help: "last picture; of a time T, those before T (default: all)"),
        .init(
            name: .paused, group: .playing, argument: nil,
            help: "show the first picture and wait (default: play)"),
        .init(
            name: .loop, group: .playing, argument: "N|inf",
            help: "play N times, or for ever (default: 1)"),
        .init(
            name: .fps, group: .playing, argument: "N[/D]",
            help: "picture rate (default: the stream's, else 25)"),
        .init(
            name: .untimed, group: .playing, argument: nil,
            help: "every picture as fast as possible (default: at its time)"),
        .init(
            name: .order, group: .playing, argument: "O",
            help: "presentation or decode (default: presentation)"),
        .init(
            name: .fromAny, group: .playing, argument: nil,
            help: "what comes before random access too (default: no)"),
        .init(
            name: .lowDelay, group: .playing, argument: nil,
            help: "show a picture when it arrives (default: at its time)"),
        .init(
            name: .follow, group: .playing, argument: nil,
            help: "at the end of the file wait for more (default: end)"),
        .init(
            name: .buffer, group: .playing, argument: "B",
            help: "compressed bytes kept of a pipe (default: 256M)"),
        .init(
            name: .cache, group: .playing, argument: "B",
            help: "decoded bytes kept for steps back (default: 256M)"),
        .init(
            name: .strict, group: .playing, argument: nil,
            help: "end with status 1 at the first damage (default: play on)"),
        .init(
            name: .log, group: .playing, argument: "FILE",
            help: "keep libav's messages in FILE (default: drop them)"),

        .init(
            name: .renderer, group: .drawing, argument: "R",
            help: "auto, half, quadrant, … kitty, none (default: auto)"),
        .init(
            name: .colors, group: .drawing, argument: "C",
            help: "auto, truecolor, 256, 16 or mono (default: auto)"),
        .init(
            name: .dither, group: .drawing, argument: "D",
            help: "auto, none, ordered or diffusion (default: auto)"),
        .init(
            name: .size, group: .drawing, argument: "CxR",
            help: "cells to draw in (default: the terminal's)"),
        .init(
            name: .cellSize, group: .drawing, argument: "WxH",
            help: "pixels in a cell (default: the terminal's, else 8x16)"),
        .init(
            name: .fit, group: .drawing, argument: "F",
            help: "contain, cover, fill or none (default: contain)"),
        .init(
            name: .matrix, group: .drawing, argument: "M",
            help: "601, 709, 2020 or 240 (default: the stream's)"),
        .init(
            name: .range, group: .drawing, argument: "R",
            help: "limited or full (default: the stream's)"),
        .init(
            name: .deinterlace, group: .drawing, argument: "D",
            help: "weave, bob or fields (default: weave)"),
        .init(
            name: .maxRate, group: .drawing, argument: "B",
            help: "bytes a second to the terminal: 200K (default: no limit)"),
        .init(
            name: .noStatus, group: .drawing, argument: nil,
            help: "no status line (default: the last row)"),

        .init(
            name: .report, group: .instead, argument: "WHAT",
            help: "JSON Lines: summary, frames or nals (default: play)"),
        .init(
            name: .md5, group: .instead, argument: nil,
            help: "with frames: MD5 of each decoded picture (default: none)"),
        .init(
            name: .snapshot, group: .instead, argument: "OUT.png",
            help: "write the picture at --start as PNG (default: the first)"),
        .init(
            name: .probeTerminal, group: .instead, argument: nil,
            help: "print what the terminal was found to be"),
        .init(
            name: .testPattern, group: .instead, argument: nil,
            help: "print glyphs, colours and a circle"),
        .init(
            name: .help, group: .instead, argument: nil, help: "show this help", letter: "h"),
        .init(
            name: .version, group: .instead, argument: nil,
            help: "show the version, and FFmpeg's"),
    ]
}
