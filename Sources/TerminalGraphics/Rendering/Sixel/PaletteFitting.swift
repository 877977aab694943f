/// Fits colours to a picture: splits of least variance, then a few rounds of k-means, on a histogram.
struct PaletteFitting {
    /// Pixels of one histogram bin.
    private struct Bin {
        var red: Float
        var green: Float
        var blue: Float
        var weight: Float

        subscript(axis: Int) -> Float { axis == 0 ? red : axis == 1 ? green : blue }
    }

    /// A part of the bins that becomes one colour.
    private struct Box {
        var bins: Range<Int>
        var mean: SIMD3<Float> = .zero
        /// Squared error, summed over the pixels.
        var error: Float = 0
        var axis = 0
    }

    private static let rounds = 6
    static let channelWeights = SIMD3<Float>(1, 2, 0.75)
    private var counts = [UInt32](repeating: 0, count: 1 << 15)
    private var sums = [SIMD4<UInt32>](repeating: .zero, count: 1 << 15)
    private var bins: [Bin] = []

    /// Up to `count` colours.
    mutating func fit(_ planes: RGBPlanes, count: Int) -> [UInt32] {
        collect(planes)
        var centers = split(into: count)
        var weights: [Float] = []
        for _ in 0..<Self.rounds { weights = improve(&centers) }
        // The commonest colours get the numbers with the fewest digits.
        let order = centers.indices.sorted { weights[$0] > weights[$1] }
        return order.map { index in
            let center = centers[index]
            // What a register can hold: percent.
            func channel(_ value: Float) -> UInt32 {
                let percent = UInt32((min(max(value, 0), 255) * 100 / 255).rounded())
                return (percent * 255 + 50) / 100
            }
            return channel(center.x) << 16 | channel(center.y) << 8 | channel(center.z)
        }
    }

    /// Bins of 8 × 8 × 8 codes, each with its pixels' mean; every second pixel of every second row of a large picture.
    private mutating func collect(_ planes: RGBPlanes) {
        for index in counts.indices {
            counts[index] = 0
            sums[index] = .zero
        }
        let step = planes.size.width * planes.size.height > 100_000 ? 2 : 1
        for y in stride(from: 0, to: planes.size.height, by: step) {
            let row = y * planes.stride
            for x in stride(from: 0, to: planes.size.width, by: step) {
                let red = UInt32(planes.red[row + x])
                let green = UInt32(planes.green[row + x])
                let blue = UInt32(planes.blue[row + x])
                let bin = Int((red >> 3) << 10 | (green >> 3) << 5 | blue >> 3)
                counts[bin] &+= 1
                sums[bin] &+= SIMD4(red, green, blue, 0)
            }
        }
        bins.removeAll(keepingCapacity: true)
        for index in counts.indices where counts[index] > 0 {
            let weight = Float(counts[index])
            bins.append(
                Bin(
                    red: Float(sums[index].x) / weight, green: Float(sums[index].y) / weight,
                    blue: Float(sums[index].z) / weight, weight: weight))
        }
    }

    /// Splits the box with the largest error where that leaves the least, again and again.
    private mutating func split(into count: Int) -> [SIMD3<Float>] {
        var boxes = [measure(0..<bins.count)]
        while boxes.count < count {
            guard
                let worst = boxes.indices.filter({ boxes[$0].bins.count > 1 })
                    .max(by: { boxes[$0].error < boxes[$1].error }), boxes[worst].error > 0
            else { break }
            let box = boxes[worst]
            let axis = box.axis
            bins[box.bins].sort { $0[axis] < $1[axis] }
            let middle = bestCut(box)
            boxes[worst] = measure(box.bins.lowerBound..<middle)
            boxes.append(measure(middle..<box.bins.upperBound))
        }
        return boxes.map(\.mean)
    }

    private func measure(_ range: Range<Int>) -> Box {
        var weight: Float = 0
        var sum = SIMD3<Float>.zero
        var squares = SIMD3<Float>.zero
        for bin in bins[range] {
            let color = SIMD3(bin.red, bin.green, bin.blue)
            weight += bin.weight
            sum += color * bin.weight
            squares += color * color * bin.weight
        }
        guard weight > 0 else { return Box(bins: range) }
        let variance = (squares - sum * sum / weight) * Self.channelWeights
        let axis =
            variance.x >= variance.y
            ? (variance.x >= variance.z ? 0 : 2) : (variance.y >= variance.z ? 1 : 2)
        return Box(bins: range, mean: sum / weight, error: variance.sum(), axis: axis)
    }

    /// The first bin of the upper half: where the two halves' sums, squared and divided by their weights, are largest.
    private func bestCut(_ box: Box) -> Int {
        var total = SIMD4<Float>.zero
        for bin in bins[box.bins] {
            total += SIMD4(bin.red, bin.green, bin.blue, 1) * bin.weight
        }
        var lower = SIMD4<Float>.zero
        var best = (cut: box.bins.lowerBound + 1, gain: -Float.infinity)
        for index in box.bins.dropLast() {
            let bin = bins[index]
            lower += SIMD4(bin.red, bin.green, bin.blue, 1) * bin.weight
            let upper = total - lower
            let gain = squared(lower) / lower.w + squared(upper) / max(upper.w, 1)
            if gain > best.gain { best = (index + 1, gain) }
        }
        return best.cut
    }

    private func squared(_ sum: SIMD4<Float>) -> Float {
        sum.x * sum.x + sum.y * sum.y + sum.z * sum.z
    }

    /// One round of k-means: each bin to its nearest colour, each colour to its bins' mean; returns the colours' pixels.
    private func improve(_ centers: inout [SIMD3<Float>]) -> [Float] {
        let count = centers.count
        let weights = Self.channelWeights
        let red = centers.map(\.x)
        let green = centers.map(\.y)
        let blue = centers.map(\.z)
        var sums = [SIMD4<Float>](repeating: .zero, count: count)
        var distances = [Float](repeating: 0, count: count)
        for bin in bins {
            red.withUnsafeBufferPointer { red in
                green.withUnsafeBufferPointer { green in
                    blue.withUnsafeBufferPointer { blue in
                        distances.withUnsafeMutableBufferPointer { distances in
                            for index in 0..<count {
                                let x = red[index] - bin.red
                                let y = green[index] - bin.green
                                let z = blue[index] - bin.blue
                                distances[index] =
                                    x * x * weights.x + y * y * weights.y + z * z * weights.z
                            }
                        }
                    }
                }
            }
            var best = 0
            var least = distances[0]
            for index in 1..<max(count, 1) where distances[index] < least {
                least = distances[index]
                best = index
            }
            sums[best] += SIMD4(bin.red, bin.green, bin.blue, 1) * bin.weight
        }
        for index in 0..<count where sums[index].w > 0 {
            let sum = sums[index] / sums[index].w
            centers[index] = SIMD3(sum.x, sum.y, sum.z)
        }
        return sums.map(\.w)
    }
}
