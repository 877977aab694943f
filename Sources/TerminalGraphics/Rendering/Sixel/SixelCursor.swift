/// Where the next sixel goes.
///
/// A local variable stays in a register, which a member that is changed byte by byte does not.
struct SixelCursor: BitwiseCopyable {
    private(set) var place: UnsafeMutablePointer<UInt8>

    init(_ place: UnsafeMutablePointer<UInt8>) { self.place = place }

    /// Writes a byte.
    @inline(__always)
    mutating func put(_ byte: UInt8) {
        place.pointee = byte
        place += 1
    }

    /// Writes one of the ``SixelTexts``, or nothing; 8 bytes are touched.
    @inline(__always)
    mutating func put(_ text: UInt64, unless isLeftOut: Bool = false) {
        UnsafeMutableRawPointer(place).storeBytes(of: text.littleEndian, as: UInt64.self)
        place += isLeftOut ? 0 : Int(text &>> 56)
    }
}
