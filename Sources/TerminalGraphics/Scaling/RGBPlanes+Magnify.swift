extension RGBPlanes {
    /// Takes a smaller picture's dots, each `factor` times across and down; what is over at the right and the bottom is cut off.
    ///
    /// - Parameters:
    ///   - small: The picture; its size times `factor` is at least this one's.
    ///   - factor: From 1.
    func magnify(_ small: RGBPlanes, by factor: Int) {
        let size = size
        let pairs = [(red, small.red), (green, small.green), (blue, small.blue)]
        for (plane, source) in pairs {
            for y in 0..<size.height {
                let row = plane + y * stride
                if y % factor > 0 {
                    row.update(from: row - stride, count: size.width)
                    continue
                }
                let from = source + y / factor * small.stride
                var x = 0
                var sample = 0
                while x < size.width {
                    let end = min(x + factor, size.width)
                    while x < end {
                        row[x] = from[sample]
                        x += 1
                    }
                    sample += 1
                }
            }
        }
    }
}
