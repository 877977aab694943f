/// A picture in kitty's graphics protocol: strips from the left edge to the right, each an image of its own, so that a strip
/// which did not change is not sent again.
struct KittyImage {
    /// One of them, all but its number.
    struct Strip {
        /// Tells strips apart; equal ones may have the same, 0 is none.
        var identity: UInt64 = 0
        /// The first chunk's control data after the number, and its payload.
        var head: [UInt8] = []
        /// Further chunks, whole.
        var tail: [UInt8] = []

        /// Takes over another's contents, and allocates nothing if there was room before.
        mutating func copy(_ other: Strip) {
            identity = other.identity
            head.removeAll(keepingCapacity: true)
            head.append(contentsOf: other.head)
            tail.removeAll(keepingCapacity: true)
            tail.append(contentsOf: other.tail)
        }

        /// Appends the strip under one number, and takes away another once it is there.
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

    /// Room for strips; the first ``stripCount`` are the picture's.
    var strips: [Strip] = []
    var stripCount = 0
    /// Rows of cells in each but the last.
    var rowsPerStrip = 1
}
