import PixelBuffers
import TestSupport
import Testing

/// A pool in steady state gives pictures and takes them back, and asks nobody for memory to put them in.
@Suite("Pixel buffer pool: allocations", .enabled(if: Allocations.canBeCounted))
struct PoolAllocationTests {
    @Test(arguments: [
        CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420Planar,
        .yCbCr420BiPlanar10VideoRange, .bgra32,
    ])
    func `P-8 a steady state allocates nothing large`(_ format: CVPixelFormatType) async {
        await #expect(processExitsWith: .success) { [code = format.rawValue as UInt32] in
            let pool = try CVPixelBufferPool(
                width: 640, height: 360, pixelFormat: CVPixelFormatType(rawValue: code))
            var held: [CVPixelBuffer?] = [nil, nil, nil]
            func play(_ count: Int) throws {
                for number in 0..<count {
                    let picture = try pool.makePixelBuffer()
                    picture.attachments[.damaged] = true
                    held[number % held.count] = picture
                }
            }
            try play(20)
            let steady = try Allocations { try play(200) }
            #expect(steady.largeCount == 0, "\(steady)")
            // The buffer object and its attachments' storage.
            #expect(steady.count <= 200 * 2, "\(steady)")
            // What a picture takes without its pool is seen.
            let fresh = try Allocations {
                for _ in 0..<10 {
                    _ = try CVPixelBuffer(
                        width: 640, height: 360, pixelFormat: CVPixelFormatType(rawValue: code))
                }
            }
            #expect(fresh.largeCount >= 10, "\(fresh)")
        }
    }
}
