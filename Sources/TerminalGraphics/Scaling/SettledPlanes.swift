/// Planes of 8-bit codes that follow finer ones with play, so that noise about a rounding boundary does not show.
///
/// Each code is within 0.75 of the value it stands for: rounding alone would be within 0.5.
final class SettledPlanes {
    let memory = PlaneMemory()
    /// Whether the next picture is rounded as it is, whatever was there.
    private var forgets = true

    /// Has the next picture come out as if it were the first.
    func forget() { forgets = true }

    /// Takes over three planes of 10-bit values.
    func follow(_ fine: PlaneMemory, size: PixelSize) {
        // Of another size the old codes mean nothing; they are within reach of no more than their own values, so they do no harm either.
        memory.resize(to: size)
        defer { forgets = false }
        for plane in 0..<3 {
            for row in 0..<size.height {
                let values = UnsafeRawPointer(fine.plane(plane) + row * fine.stride)
                    .assumingMemoryBound(to: UInt16.self)
                follow(values, memory.plane(plane) + row * memory.stride, count: size.width)
            }
        }
    }

    private func follow(
        _ values: UnsafePointer<UInt16>, _ codes: UnsafeMutablePointer<UInt8>, count: Int
    ) {
        let play: Int16 = forgets ? -1 : 3
        for x in 0..<count {
            let value = Int16(truncatingIfNeeded: values[x])
            let old = Int16(codes[x])
            // 10-bit values: 4 to a code, at most 1023; nothing here overflows.
            let distance = value &- old &* 4
            let rounded = min((value &+ 2) &>> 2, 255)
            codes[x] = UInt8(
                truncatingIfNeeded: distance <= play && distance >= -play ? old : rounded)
        }
    }
}
