import Glibc
import TestSupport
import Testing

@Suite("--snapshot", .timeLimit(.minutes(Checkout.patience(5))))
struct SnapshotTests {
    private let folder = "/tmp/tplay-snapshot-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"

    init() { mkdir(folder, 0o755) }

    private func cleanUp() {
        for name in Checkout.names(in: folder) { unlink(folder + "/" + name) }
        rmdir(folder)
    }

    private func size(_ png: [UInt8]) -> [Int] {
        guard png.count > 33 else { return [] }
        return [16, 20].map { at in png[at..<at + 4].reduce(0) { $0 << 8 | Int($1) } }
    }

    @Test("The picture has the size of the report", arguments: Clip.samples)
    func size(_ clip: Clip) throws {
        defer { cleanUp() }
        let path = folder + "/out.png"
        let run = Reports.run(["--snapshot", path, "--start", "5f", clip.path])
        #expect(run.status == 0)
        #expect(run.output.isEmpty && run.errors.isEmpty)
        #expect(Checkout.names(in: folder) == ["out.png"])
        let png = try #require(Checkout.bytes(path))
        #expect(png.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
        let line = try #require(
            Reports.run(["--report", "frames", "--start", "5f", "--until", "5f", clip.path])
                .lines.first)
        #expect(size(png) == ["width", "height"].map { Reports.integer(line, $0) ?? -1 })
    }

    @Test("A file and a pipe give the same bytes") func pipe() throws {
        defer { cleanUp() }
        let clip = try #require(Clip.samples.first { $0.name == "b-pyramid.264" })
        let bytes = try #require(Checkout.bytes(clip.path))
        for (name, file) in [("a", clip.path), ("b", "-")] {
            let run = Reports.run(
                ["--snapshot", "\(folder)/\(name)", "--start", "1.0", file],
                input: file == "-" ? .init(bytes) : nil)
            #expect(run.status == 0)
        }
        #expect(Checkout.bytes(folder + "/a") == Checkout.bytes(folder + "/b"))
    }

    @Test("What cannot be is said, and leaves no file") func failures() throws {
        defer { cleanUp() }
        let clip = try #require(Clip.samples.first)
        let path = folder + "/out.png"
        for (arguments, status, words) in [
            (["--snapshot", path, "--start", "9999f", clip.path], Int32(1), "behind the end"),
            (["--snapshot", folder + "/no/out.png", clip.path], 1, "No such file"),
            (["--snapshot", path, Checkout.root + "/Package.swift"], 1, "text"),
            (["--snapshot", path, clip.path, clip.path], 2, "one FILE"),
            (["--snapshot", path, "--report", "frames", clip.path], 2, "one at a time"),
        ] {
            let run = Reports.run(arguments)
            #expect(run.status == status)
            #expect(run.errors.contains(words), "\(run.errors)")
            #expect(Checkout.names(in: folder).isEmpty)
        }
    }
}
