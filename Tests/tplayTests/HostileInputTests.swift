import Glibc
import TestSupport
import Testing

extension TPlayTests {
    @Suite("Hostile input", .timeLimit(.minutes(Checkout.patience(5))))
    struct HostileInputTests {
        private struct Random {
            var state: UInt64
            mutating func next(below bound: Int) -> Int {
                state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
                return Int(state >> 33) % bound
            }
        }

        /// All of it in a few processes: each ends by itself, in time, with a status of its own.
        private func survive(_ streams: [[UInt8]], _ what: String) throws {
            let files = try streams.map { try TemporaryFile($0) }
            for way in [
                ["--report", "frames", "--md5"], ["--report", "nals"], ["--report", "summary"],
                ["--untimed", "--size", "8x4"],
            ] {
                let result = Subprocess.run(
                    "/usr/bin/timeout", ["-k", "1", "100", TPlay.path] + way + files.map(\.path))
                #expect(
                    [0, 1].contains(result.status),
                    "\(what), \(way): \(result.status) \(result.errors.suffix(300))")
                for line in result.errors.split(separator: "\n") {
                    #expect(line.hasPrefix("tplay: "), "\(line)")
                }
                if way.contains("--report") { _ = TPlay.objects(result) }
            }
        }

        @Test func `random bytes with start codes`() throws {
            var random = Random(state: 1)
            var streams: [[UInt8]] = []
            for number in 0..<30 {
                var bytes: [UInt8] = []
                for _ in 0..<60 {
                    bytes += [0, 0, 1]
                    // Types as in streams more often than not.
                    let types: [UInt8] = [0x67, 0x68, 0x65, 0x41, 0x01, 0x06, 0x09, 0x21]
                    bytes.append(
                        number % 2 == 0
                            ? types[random.next(below: 8)] : UInt8(random.next(below: 256)))
                    for _ in 0..<random.next(below: 80) {
                        bytes.append(UInt8(random.next(below: 256)))
                    }
                }
                streams.append(bytes)
            }
            try survive(streams, "random")
        }

        @Test(arguments: ["size-change.264", "lone-fields.264", "open-gop.264"])
        func `a sample cut off at every NAL unit`(name: String) throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample(name)))
            let nals = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample(name)]))
            var streams: [[UInt8]] = []
            for nal in nals.prefix(40) {
                let end = try #require(nal["offset"] as? Int)
                guard end > 0 else { continue }
                streams.append(Array(bytes[..<end]))
                streams.append(Array(bytes[..<min(bytes.count, end + 7)]))
                streams.append(Array(bytes[end..<min(bytes.count, end + 4000)]))
            }
            try survive(streams, name)
        }

        @Test(arguments: [
            "baseline.264", "mbaff.264", "paff.264", "gaps-mmco.264", "b-pyramid.264",
        ])
        func `samples with bytes changed`(name: String) throws {
            let bytes = try #require(Checkout.bytes(TPlay.sample(name)))
            var random = Random(state: 7)
            var streams: [[UInt8]] = []
            for number in 0..<12 {
                var changed = Array(bytes.prefix(12_000))
                for _ in 0..<(number < 6 ? 3 : 60) {
                    // The parameter sets too.
                    let place = random.next(below: number % 2 == 0 ? changed.count : 200)
                    changed[place] = UInt8(random.next(below: 256))
                }
                streams.append(changed)
            }
            try survive(streams, name)
        }

        @Test func `NAL units lost, doubled and in another order`() throws {
            let name = "b-pyramid.264"
            let bytes = try #require(Checkout.bytes(TPlay.sample(name)))
            let nals = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample(name)])).compactMap
            {
                nal -> ArraySlice<UInt8>? in
                guard let offset = nal["offset"] as? Int, let code = nal["start_code"] as? Int,
                    let count = nal["bytes"] as? Int
                else { return nil }
                return bytes[offset..<offset + code + count]
            }
            var random = Random(state: 3)
            var streams: [[UInt8]] = []
            for number in 0..<12 {
                var pieces = nals
                for _ in 0..<10 {
                    let place = random.next(below: pieces.count - 1)
                    switch number % 3 {
                    case 0: pieces.remove(at: place)
                    case 1: pieces.insert(pieces[place], at: random.next(below: pieces.count))
                    default: pieces.swapAt(place, random.next(below: pieces.count))
                    }
                }
                streams.append(pieces.flatMap(\.self))
            }
            try survive(streams, name)
        }

        @Test func `a great many tiny NAL units`() throws {
            let head = try #require(Checkout.bytes(TPlay.sample("baseline.264"))).prefix(3000)
            var streams: [[UInt8]] = []
            for header in [UInt8(0x41), 0x09, 0x06, 0x0C, 0x67, 0x00] {
                var bytes = Array(head)
                for _ in 0..<50_000 { bytes += [0, 0, 1, header] }
                streams.append(bytes)
            }
            try survive(streams, "tiny")
        }

        /// The most memory a running process has had, in kilobytes; its own, not what it was forked from.
        private func highWaterMark(_ process: Int32) -> Int? {
            guard let file = fopen("/proc/\(process)/status", "r") else { return nil }
            defer { fclose(file) }
            var bytes = [UInt8](repeating: 0, count: 4096)
            let count = fread(&bytes, 1, bytes.count, file)
            let text = String(decoding: bytes.prefix(count), as: UTF8.self)
            return text.firstMatch(of: /VmHWM:\s+(\d+)/).flatMap { Int($0.1) }
        }

        @Test func `a long run of zeros takes no memory`() throws {
            let head = try #require(Checkout.bytes(TPlay.sample("baseline.264")))
            let file = try TemporaryFile([])
            // Two holes of 256 MB, a sample between.
            let descriptor = open(file.path, O_WRONLY)
            #expect(pwrite(descriptor, head, head.count, 256 << 20) == head.count)
            #expect(ftruncate(descriptor, 512 << 20) == 0)
            close(descriptor)
            let terminal = try PseudoTerminal(TPlay.path, ["--report", "summary", file.path])
            var most = 0
            let isDone = terminal.run(
                until: {
                    // Not the largest of all: before it executes the program it is a copy of the test.
                    most = highWaterMark(terminal.processID) ?? most
                    return terminal.exit != nil
                }, timeout: .seconds(60))
            #expect(isDone)
            #expect(terminal.exit == .status(0))
            #expect(most < 60 << 10, "kilobytes")
        }

        @Test(.enabled(if: Clip.hasStreams)) func `every real stream plays to its end`() throws {
            let paths = Clip.streams.filter { clip in
                // Large pictures take their time in other tests.
                !clip.name.hasPrefix("tsduck") && !clip.name.hasPrefix("PPH10")
            }.map(\.path)
            let result = Subprocess.run(
                "/usr/bin/timeout",
                ["200", TPlay.path, "--untimed", "--size", "8x2"] + paths)
            #expect(result.status == 1, "some cannot be shown")
            // Every picture that is shown, as two lines.
            let shown = Clip.streams.filter { paths.contains($0.path) }
                .reduce(0) { $0 + ($1.digests?.count ?? 0) }
            #expect(result.lines.count >= shown * 2)
        }
    }
}
