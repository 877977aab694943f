import Dispatch
import PixelBuffers
import Testing

@Suite("Pixel buffer pool")
struct CVPixelBufferPoolTests {
    private func makePool(
        minimum: Int = 0, age: Duration = .seconds(60)
    ) throws -> CVPixelBufferPool {
        var attributes = CVPixelBufferPool.Attributes()
        attributes.minimumBufferCount = minimum
        attributes.maximumBufferAge = age
        return try CVPixelBufferPool(
            width: 64, height: 48, pixelFormat: .yCbCr420BiPlanarVideoRange,
            attributes: attributes)
    }

    private func address(_ buffer: CVPixelBuffer) -> UnsafeMutablePointer<UInt8>? {
        buffer.withPlanes { $0.addresses[0] }
    }

    @Test func `P-8 memory comes back with the last reference and is used again`() throws {
        let pool = try makePool()
        var addresses: Set<UnsafeMutablePointer<UInt8>?> = []
        for _ in 0..<1000 {
            let first = try pool.makePixelBuffer()
            let second = try pool.makePixelBuffer()
            #expect(first.attachments.isEmpty)
            first.attachments[.damaged] = true
            addresses.insert(address(first))
            addresses.insert(address(second))
            #expect(pool.counts.out == 2)
        }
        #expect(addresses.count == 2, "a steady state allocates no pictures")
        #expect(pool.counts == (0, 2))
    }

    @Test func `P-8 buffers are what the pool was asked for`() throws {
        var attributes = CVPixelBufferAttributes()
        attributes.bytesPerRowAlignment = 256
        let pool = try CVPixelBufferPool(
            width: 20, height: 10, pixelFormat: .bgra32, pixelBufferAttributes: attributes)
        let buffer = try pool.makePixelBuffer()
        #expect(buffer.width == 20)
        #expect(buffer.height == 10)
        #expect(buffer.pixelFormat == .bgra32)
        #expect(buffer.bytesPerRow == 256)
        #expect(pool.pixelBufferAttributes == attributes)
        #expect(throws: CVError.invalidSize) {
            try CVPixelBufferPool(width: 0, height: 1, pixelFormat: .bgra32)
        }
        #expect(throws: CVError.invalidPoolAttributes) { try makePool(minimum: -1) }
    }

    @Test func `P-8 old buffers go, down to the minimum`() throws {
        let pool = try makePool(minimum: 2, age: .zero)
        try withExtendedLifetime((0..<5).map { _ in try pool.makePixelBuffer() }) { _ in }
        #expect(pool.counts.unused <= 3)
        pool.flush()
        #expect(pool.counts == (0, 2))
        let young = try makePool(minimum: 0, age: .seconds(60))
        try withExtendedLifetime((0..<5).map { _ in try young.makePixelBuffer() }) { _ in }
        young.flush()
        #expect(young.counts == (0, 5))
        young.flush(.excessBuffers)
        #expect(young.counts == (0, 0))
    }

    @Test func `P-8 buffers outlive their pool`() throws {
        var pool: CVPixelBufferPool? = try makePool()
        let buffer = try #require(try pool?.makePixelBuffer())
        pool = nil
        buffer.lockBaseAddress()
        buffer.baseAddress?.storeBytes(of: 1, as: UInt8.self)
        buffer.unlockBaseAddress()
        #expect(buffer.width == 64)
    }

    @Test func `P-9 a threshold limits what is out`() throws {
        let pool = try makePool()
        let first = try pool.makePixelBuffer(allocationThreshold: 2)
        var second: CVPixelBuffer? = try pool.makePixelBuffer(allocationThreshold: 2)
        #expect(throws: CVError.wouldExceedAllocationThreshold) {
            try pool.makePixelBuffer(allocationThreshold: 2)
        }
        #expect(CVError.wouldExceedAllocationThreshold.code == -6689)
        #expect(second != nil)
        second = nil
        _ = try pool.makePixelBuffer(allocationThreshold: 2)
        _ = try pool.makePixelBuffer()
        withExtendedLifetime(first) {}
    }

    @Test func `a pool serves several threads`() throws {
        let pool = try makePool()
        DispatchQueue.concurrentPerform(iterations: 8) { _ in
            for _ in 0..<200 {
                let buffer = try? pool.makePixelBuffer()
                buffer?.attachments[.fieldCount] = 2
                #expect(buffer?.attachments.count == 1)
            }
        }
        #expect(pool.counts.out == 0)
        #expect(pool.counts.unused <= 8)
    }
}
