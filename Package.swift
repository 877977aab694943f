// swift-tools-version: 6.2
import PackageDescription

/// What every Swift target is built with.
let common: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

/// Every unsafe use spelt out, for modules whose work is not memory.
///
/// Where owning and lending memory is the job itself (buffers, libav, the tty) the `unsafe` on each
/// line would hide the few lines that matter.
let strict = common + [.strictMemorySafety()]

/// A module of the pipeline, and its tests.
func module(
    _ name: String, _ dependencies: [Target.Dependency] = [], settings: [SwiftSetting] = common,
    test: [Target.Dependency] = [], testData: [String] = []
) -> [Target] {
    [
        .target(name: name, dependencies: dependencies, swiftSettings: settings),
        .testTarget(
            name: name + "Tests",
            dependencies: [.init(stringLiteral: name), "TestSupport"] + dependencies + test,
            exclude: testData, swiftSettings: common),
    ]
}

/// One of the walk-throughs: a program on the stack's public interface alone.
func sample(_ name: String) -> Target {
    .executableTarget(
        name: name,
        dependencies: [
            "ElementaryStream", "SampleDisplay", "VideoCodec", "SampleBuffers", "PixelBuffers",
            "MediaTime", "H264",
        ],
        path: "Samples/Sources/\(name)", swiftSettings: common)
}

let package = Package(
    name: "tplay",
    products: [
        .executable(name: "tplay", targets: ["tplay"]),
        .library(name: "H264", targets: ["H264"]),
        .library(
            name: "MediaStack",
            targets: [
                "H264", "MediaTime", "PixelBuffers", "SampleBuffers", "VideoCodec", "SampleDisplay",
                "ElementaryStream",
            ]),
    ],
    targets: [
        // The C libraries.
        .systemLibrary(
            name: "CFFmpeg", path: "Sources/CFFmpeg",
            providers: [.apt(["libavcodec-dev", "libavutil-dev", "libswscale-dev"])]),
        .systemLibrary(
            name: "CNcurses", path: "Sources/CNcurses", providers: [.apt(["libncurses-dev"])]),
        .target(name: "CFFmpegShims", dependencies: ["CFFmpeg"]),
        .target(name: "CGetopt"),
        .target(name: "CTerminalShims"),
    ]
        // The pipeline, from bytes to the terminal.
        + module("H264", settings: strict, test: ["StreamSynthesis"])
        + module("MediaTime", settings: strict)
        + module("PixelBuffers", ["CFFmpeg"])
        + module("SampleBuffers", ["MediaTime", "PixelBuffers", "H264"])
        + module(
            "VideoCodec",
            ["SampleBuffers", "PixelBuffers", "MediaTime", "H264", "CFFmpeg", "CFFmpegShims"],
            test: ["StreamSynthesis"], testData: ["NotReproducible.tsv"])
        + module(
            "SampleDisplay", ["VideoCodec", "SampleBuffers", "PixelBuffers", "MediaTime", "H264"],
            test: ["StreamSynthesis"])
        + module(
            "ElementaryStream", ["SampleBuffers", "MediaTime", "H264"], test: ["StreamSynthesis"])
        + module("TerminalGraphics", ["PixelBuffers", "CFFmpeg"], testData: ["Golden"])
        + module(
            "Terminal", ["CNcurses", "CTerminalShims"],
            test: ["CPseudoTerminal", "terminal-probe"])
        + module(
            "Playback",
            [
                "SampleDisplay", "ElementaryStream", "TerminalGraphics", "Terminal", "VideoCodec",
                "SampleBuffers", "PixelBuffers", "MediaTime", "H264",
            ], settings: strict)
        + [
            .executableTarget(
                name: "tplay",
                dependencies: [
                    "CGetopt", "Playback", "ElementaryStream", "TerminalGraphics", "Terminal",
                    "VideoCodec", "SampleBuffers", "PixelBuffers", "MediaTime", "H264",
                ],
                exclude: ["tplay.1"],
                swiftSettings: strict),
            .testTarget(
                name: "tplayTests",
                dependencies: ["tplay", "TestSupport", "CPseudoTerminal", "StreamSynthesis"],
                exclude: ["unreproducible.tsv"], swiftSettings: common),

            // What tests share: where the streams are, golden files, a pseudo-terminal, streams no encoder makes.
            .target(
                name: "TestSupport", dependencies: ["CPseudoTerminal", "CAllocationCount"],
                path: "Tests/Support/TestSupport", swiftSettings: common),
            .executableTarget(
                name: "stack-bench", dependencies: ["H264"], path: "Tests/Support/stack-bench",
                swiftSettings: common),
            .executableTarget(
                name: "stack-example",
                dependencies: [
                    "ElementaryStream", "VideoCodec", "SampleBuffers", "PixelBuffers", "MediaTime",
                ],
                path: "Tests/Support/stack-example", swiftSettings: common),
            .target(name: "CPseudoTerminal", path: "Tests/Support/CPseudoTerminal"),
            .target(name: "CAllocationCount", path: "Tests/Support/CAllocationCount"),
            .executableTarget(
                name: "terminal-probe", dependencies: ["Terminal"],
                path: "Tests/Support/terminal-probe", swiftSettings: common),
            .target(
                name: "StreamSynthesis",
                path: "Samples/Sources/StreamSynthesis",
                swiftSettings: common),
            .testTarget(
                name: "StreamSynthesisTests",
                dependencies: [
                    "StreamSynthesis", "ElementaryStream", "VideoCodec", "SampleBuffers",
                    "PixelBuffers", "MediaTime", "TestSupport",
                ],
                swiftSettings: common),
            .executableTarget(
                name: "make-samples", dependencies: ["StreamSynthesis"],
                path: "Samples/Sources/make-samples", swiftSettings: common),
            sample("play-pipe"), sample("decode-pictures"), sample("compress-file"),
            sample("compress-send"),
            .testTarget(
                name: "SampleProgramTests",
                dependencies: [
                    "play-pipe", "decode-pictures", "compress-file", "compress-send",
                    "make-samples", "stack-example", "TestSupport",
                ],
                swiftSettings: common),
        ]
)
