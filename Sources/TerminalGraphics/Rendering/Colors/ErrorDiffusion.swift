/// Floyd and Steinberg's diffusion: what a dot is drawn wrong is made good by its neighbours to the right and below.
struct ErrorDiffusion {
    /// Errors for the row at work and the next, in sixteenths, three channels a dot, with a dot of margin at both ends.
    private var current: [Int32] = []
    private var next: [Int32] = []

    /// Begins a picture, in the memory of the one before where its rows are as long.
    mutating func beginPicture(width: Int) {
        let count = (width + 2) * 3
        guard next.count != count else { return beginRow() }
        current = [Int32](repeating: 0, count: count)
        next = current
    }

    mutating func beginRow() {
        swap(&current, &next)
        for index in next.indices { next[index] = 0 }
    }

    /// The colour to be drawn at a dot.
    func corrected(_ color: (Int, Int, Int), _ x: Int) -> (Int, Int, Int) {
        let at = (x + 1) * 3
        return (
            OrderedDither.clamp(color.0 + Int(current[at] >> 4)),
            OrderedDither.clamp(color.1 + Int(current[at + 1] >> 4)),
            OrderedDither.clamp(color.2 + Int(current[at + 2] >> 4))
        )
    }

    /// Hands on what the drawn colour lacks.
    mutating func spread(_ error: (Int, Int, Int), _ x: Int) {
        spread(Int32(error.0), x, 0)
        spread(Int32(error.1), x, 1)
        spread(Int32(error.2), x, 2)
    }

    private mutating func spread(_ error: Int32, _ x: Int, _ channel: Int) {
        let at = (x + 1) * 3 + channel
        current[at + 3] += error * 7
        next[at - 3] += error * 3
        next[at] += error * 5
        next[at + 3] += error
    }
}
