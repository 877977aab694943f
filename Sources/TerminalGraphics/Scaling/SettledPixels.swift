/// Red, green and blue planes that follow a picture with a little play, so that noise does not move what stands still.
///
/// A pixel stays until one of its channels is more than ``play`` from the picture's.
final class SettledPixels {
    /// Of 255.
    static let play: UInt8 = 1

    let planes = RGBPlanes()
    private let same = ScratchMemory<UInt8>(capacity: 1280)
    private var forgets = true

    /// Has the next picture come out as if it were the first.
    func forget() { forgets = true }

    /// Takes over a picture.
    func follow(_ picture: RGBPlanes) {
        let width = picture.size.width
        // Of another size the old pixels mean nothing, but they are taken only where they are within reach, so they do no harm.
        planes.resize(to: picture.size)
        same.reserve(width)
        defer { forgets = false }
        for y in 0..<picture.size.height {
            let new = y * picture.stride
            let old = y * planes.stride
            if forgets {
                (planes.red + old).update(from: picture.red + new, count: width)
                (planes.green + old).update(from: picture.green + new, count: width)
                (planes.blue + old).update(from: picture.blue + new, count: width)
                continue
            }
            // One short loop after another: these vectorise, one over six planes does not.
            same.start.update(repeating: 255, count: width)
            compare(picture.red + new, planes.red + old, width)
            compare(picture.green + new, planes.green + old, width)
            compare(picture.blue + new, planes.blue + old, width)
            keep(planes.red + old, picture.red + new, width)
            keep(planes.green + old, picture.green + new, width)
            keep(planes.blue + old, picture.blue + new, width)
        }
    }

    private func compare(_ a: UnsafePointer<UInt8>, _ b: UnsafePointer<UInt8>, _ width: Int) {
        let same = same.start
        for x in 0..<width {
            let distance = a[x] > b[x] ? a[x] &- b[x] : b[x] &- a[x]
            same[x] &= distance <= Self.play ? 255 : 0
        }
    }

    private func keep(
        _ row: UnsafeMutablePointer<UInt8>, _ from: UnsafePointer<UInt8>, _ width: Int
    ) {
        let same = same.start
        for x in 0..<width { row[x] = row[x] & same[x] | from[x] & ~same[x] }
    }
}
