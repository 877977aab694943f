import Glibc
import SampleBuffers
import TestSupport
import Testing
import VideoCodec

/// Memory and threads go with a session.
@Suite("Decompression session: resources", .serialized)
struct ResourceTests {
    private static func residentPages() -> Int {
        let text = String(decoding: readPseudoFile("/proc/self/statm"), as: UTF8.self)
        let fields = text.split(separator: " ")
        return fields.count > 1 ? Int(fields[1]) ?? 0 : 0
    }

    /// Files under /proc have no size.
    private static func readPseudoFile(_ path: String) -> [UInt8] {
        guard let file = fopen(path, "r") else { return [] }
        defer { fclose(file) }
        return [UInt8](unsafeUninitializedCapacity: 4096) { buffer, count in
            count = fread(buffer.baseAddress, 1, buffer.count, file)
        }
    }

    @Test(.disabled(if: Checkout.isSanitized, "SKIPPED: a sanitizer keeps what is freed"))
    func `sessions leave nothing behind`() async {
        // A process of its own: other tests take memory at the same time.
        await #expect(processExitsWith: .success) {
            for flags in [VTDecodeFrameFlags([]), .enableTemporalProcessing] {
                try Self.run(20, flags)
                let before = Self.residentPages()
                try Self.run(200, flags)
                let growth = Self.residentPages() - before
                // A session's pictures alone are 60 pages; the allocator's own unrest is less than ten.
                // The status tells by how much it failed.
                if growth >= 1500 { exit(Int32(min(growth / 100, 200))) }
            }
        }
    }

    private static func run(_ count: Int, _ flags: VTDecodeFrameFlags) throws {
        let (stream, _) = Synthesis.pyramid(groups: 2, saying: nil)
        for number in 0..<count {
            let request = number % 2 == 0 ? PixelBufferRequest.native : .default
            let entries = try stream.decode(flags, request: request, threadCount: 3)
            precondition(entries.count == stream.units.count)
        }
    }
}
