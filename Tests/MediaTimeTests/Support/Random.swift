import MediaTime

/// SplitMix64: the same numbers in every run.
struct Random: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var z = state
        z = (z ^ (z >> 30)) &* 0xBF58_476D_1CE4_E5B9
        z = (z ^ (z >> 27)) &* 0x94D0_49BB_1331_11EB
        return z ^ (z >> 31)
    }

    /// A number of every magnitude, edges included.
    mutating func value() -> Int64 {
        switch next() % 16 {
        case 0: return [0, 1, -1, .max, .min, .max - 1, .min + 1][Int(next() % 7)]
        case 1...8: return Int64(truncatingIfNeeded: next()) >> Int64(next() % 64)
        default: return Int64.random(in: -1_000_000...1_000_000, using: &self)
        }
    }

    /// A timescale of every magnitude, those of media more often.
    mutating func timescale() -> Int32 {
        switch next() % 8 {
        case 0...3:
            let usual: [Int32] = [
                1, 24, 25, 30, 50, 60, 600, 1000, 1001, 30000, 24000, 44100, 48000, 90000,
                1_000_000_000, .max,
            ]
            return usual[Int(next() % UInt64(usual.count))]
        case 4: return Int32.random(in: 1...100, using: &self)
        default: return max(1, Int32.random(in: 1 ... .max, using: &self) >> Int32(next() % 31))
        }
    }

    mutating func time() -> CMTime { CMTime(value: value(), timescale: timescale()) }
}

/// How many random cases a property is tried on.
#if DEBUG
    let trials = 10_000
#else
    let trials = 1_000_000
#endif
