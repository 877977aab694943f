/// Finds the nearest of up to 256 colours, by planar integers that vectorise.
struct NearestColor {
    private var red: [Int32] = []
    private var green: [Int32] = []
    private var blue: [Int32] = []
    private var distances: [Int32] = []

    mutating func set(_ colors: [UInt32]) {
        red = colors.map { Int32($0 >> 16 & 255) }
        green = colors.map { Int32($0 >> 8 & 255) }
        blue = colors.map { Int32($0 & 255) }
        distances = [Int32](repeating: 0, count: colors.count)
    }

    mutating func nearest(red r: Int, green g: Int, blue b: Int) -> Int {
        let (r, g, b) = (Int32(r), Int32(g), Int32(b))
        let count = red.count
        red.withUnsafeBufferPointer { red in
            green.withUnsafeBufferPointer { green in
                blue.withUnsafeBufferPointer { blue in
                    distances.withUnsafeMutableBufferPointer { distances in
                        for index in 0..<count {
                            // Differences below 256: squares and their sum fit easily.
                            let x = red[index] &- r
                            let y = green[index] &- g
                            let z = blue[index] &- b
                            distances[index] = x &* x &* 4 &+ y &* y &* 8 &+ z &* z &* 3
                        }
                    }
                }
            }
        }
        var best = 0
        for index in 1..<max(count, 1) where distances[index] < distances[best] { best = index }
        return best
    }
}
