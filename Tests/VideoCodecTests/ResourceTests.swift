import Glibc
import SampleBuffers
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

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `sessions leave nothing behind`(_ flags: VTDecodeFrameFlags) throws {
        let (stream, _) = Synthesis.pyramid(groups: 2, saying: nil)
        func run(_ count: Int) throws {
            for number in 0..<count {
                let request = number % 2 == 0 ? PixelBufferRequest.native : .default
                let entries = try stream.decode(flags, request: request, threadCount: 3)
                #expect(entries.count == stream.units.count)
            }
        }
        try run(20)
        let before = Self.residentPages()
        try run(200)
        // A session's pictures alone are 60 pages; the allocator's own unrest is less than one a session.
        #expect(Self.residentPages() - before < 1500)
    }
}
