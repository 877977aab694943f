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
    // A picture that changes fast is fitted again and again: what a fit works in is kept for the next.
    private var boxes: [Box] = []
    private let spareBins = ScratchMemory<Bin>(capacity: 1)
    /// The colours so far, channel by channel.
    private var colorCount = 0
    private let red = ScratchMemory<Float>(capacity: 256)
    private let green = ScratchMemory<Float>(capacity: 256)
    private let blue = ScratchMemory<Float>(capacity: 256)
    private let distances = ScratchMemory<Float>(capacity: 256)
    /// Sums of the bins that are nearest to each colour; their pixels in the last element.
    private let nearest = ScratchMemory<SIMD4<Float>>(capacity: 256)

    /// Up to `count` colours.
    mutating func fit(_ planes: RGBPlanes, count: Int) -> [UInt32] {
        collect(planes)
        split(into: count)
        colorCount = boxes.count
        for (index, box) in boxes.enumerated() {
            red.start[index] = box.mean.x
            green.start[index] = box.mean.y
            blue.start[index] = box.mean.z
        }
        for _ in 0..<Self.rounds { improve() }
        // The commonest colours get the numbers with the fewest digits.
        let order = (0..<colorCount).sorted { nearest.start[$0].w > nearest.start[$1].w }
        return order.map { index in
            // What a register can hold: percent.
            func channel(_ value: Float) -> UInt32 {
                let percent = UInt32((min(max(value, 0), 255) * 100 / 255).rounded())
                return (percent * 255 + 50) / 100
            }
            return channel(red.start[index]) << 16 | channel(green.start[index]) << 8
                | channel(blue.start[index])
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
    private mutating func split(into count: Int) {
        boxes.removeAll(keepingCapacity: true)
        boxes.append(measure(0..<bins.count))
        while boxes.count < count {
            var worst = -1
            for index in boxes.indices
            where boxes[index].bins.count > 1
                && (worst < 0 || boxes[index].error > boxes[worst].error)
            {
                worst = index
            }
            guard worst >= 0, boxes[worst].error > 0 else { break }
            let box = boxes[worst]
            sort(box.bins, by: box.axis)
            let middle = bestCut(box)
            boxes[worst] = measure(box.bins.lowerBound..<middle)
            boxes.append(measure(middle..<box.bins.upperBound))
        }
    }

    /// Sorts bins by a channel, equal ones as they were: the library's sort would allocate half their size each time.
    private mutating func sort(_ range: Range<Int>, by axis: Int) {
        spareBins.reserve(bins.count)
        let spare = spareBins.start
        bins.withUnsafeMutableBufferPointer { bins in
            guard let start = bins.baseAddress else { return }
            switch axis {
            case 0: mergeSort(start, spare, range) { $0.red }
            case 1: mergeSort(start, spare, range) { $0.green }
            default: mergeSort(start, spare, range) { $0.blue }
            }
        }
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

    /// One round of k-means: each bin to its nearest colour, each colour to its bins' mean.
    private func improve() {
        let count = colorCount
        let weights = Self.channelWeights
        let (red, green, blue) = (red.start, green.start, blue.start)
        let (distances, nearest) = (distances.start, nearest.start)
        nearest.update(repeating: .zero, count: count)
        for bin in bins {
            for index in 0..<count {
                let x = red[index] - bin.red
                let y = green[index] - bin.green
                let z = blue[index] - bin.blue
                distances[index] = x * x * weights.x + y * y * weights.y + z * z * weights.z
            }
            var best = 0
            var least = distances[0]
            for index in 1..<max(count, 1) where distances[index] < least {
                least = distances[index]
                best = index
            }
            nearest[best] += SIMD4(bin.red, bin.green, bin.blue, 1) * bin.weight
        }
        for index in 0..<count where nearest[index].w > 0 {
            let sum = nearest[index] / nearest[index].w
            red[index] = sum.x
            green[index] = sum.y
            blue[index] = sum.z
        }
    }
}
