/// A picture in kitty's graphics protocol, all but its number.
struct KittyImage {
    /// Tells pictures apart; equal pictures may have the same, 0 is none.
    var identity: UInt64 = 0
    /// The first chunk's control data after the number, and its payload.
    var head: [UInt8] = []
    /// Further chunks, whole.
    var tail: [UInt8] = []

    /// Appends the image under one number, and takes away another once it is there.
    func write(number: Int, replacing old: Int, into sink: inout ByteSink) {
        sink.reserve(head.count + tail.count + 128)
        sink.put("\u{1B}_Gi=")
        sink.put(decimal: number)
        sink.put(UInt8(ascii: ","))
        head.withUnsafeBufferPointer { sink.put($0) }
        sink.put("\u{1B}\\")
        tail.withUnsafeBufferPointer { sink.put($0) }
        guard old != 0 else { return }
        sink.put("\u{1B}_Ga=d,d=I,i=")
        sink.put(decimal: old)
        sink.put(",q=2\u{1B}\\")
    }
}
