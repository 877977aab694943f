import MediaTime
import Testing

@Suite("CMTime arithmetic")
struct CMTimeArithmeticTests {
    @Test func `T-7 the sum has the least common multiple of the timescales`() {
        #expect((time(1, 600) + time(2, 600)).fields == [3, 600, 1, 0])
        #expect((time(1, 4) + time(1, 6)).fields == [5, 12, 1, 0])
        #expect((time(1, 4) - time(1, 6)).fields == [1, 12, 1, 0])
        #expect((time(1, 24000) + time(1, 1001)).timescale == 24_024_000)
        // The multiple of two primes is above the largest timescale: rounded there.
        let large = time(1, 2_147_483_629) + time(1, 2_147_483_587)
        #expect(large.timescale == .max)
        #expect(large.value == 2)
        #expect(large.hasBeenRounded)
        // The multiple is capped, but the value is whole.
        #expect((time(0, 2_147_483_629) + time(0, 2_147_483_587)).fields == [0, 0x7fff_ffff, 1, 0])
    }

    @Test func `T-7 a value that does not fit halves the timescale, at 1 gives an infinity`() {
        #expect((time(.max, 10) + time(.max, 10)).fields == [.max, 5, 1, 0])
        #expect((time(.max, 3) + time(1, 3)).fields == [3_074_457_345_618_258_603, 1, 3, 0])
        #expect((time(.min, 2) - time(.max, 2)).fields == [.min, 1, 3, 0])
        #expect((time(.max, 1) + time(1, 1)).isPositiveInfinity)
        #expect((time(.min, 1) - time(1, 1)).isNegativeInfinity)
        #expect((time(0, 1) - time(.min, 1)).isPositiveInfinity)
        #expect((time(.min, 1) + time(.max, 1)).fields == [-1, 1, 1, 0])
    }

    @Test func `T-8 rounding marks the result, and so does a rounded operand`() {
        #expect(!(time(1, 4) + time(1, 4)).hasBeenRounded)
        #expect((time(1, 4, rounded: true) + time(1, 4)).hasBeenRounded)
        #expect((time(1, 4) - time(1, 6, rounded: true)).hasBeenRounded)
        #expect(time(1, 4, rounded: true).multiplied(by: 2).hasBeenRounded)
        #expect(time(1, 4, rounded: true).multiplied(by: 4, dividedBy: 2).hasBeenRounded)
        #expect(time(1, 4, rounded: true).scaled(by: 2).hasBeenRounded)
        #expect(time(1, 3).scaled(by: 0.1).hasBeenRounded)
        #expect(!time(1, 3).scaled(by: 0.5).hasBeenRounded)
    }

    @Test func `T-9 sums of what is no number`() {
        let (inf, neg, ind, inv) = (
            CMTime.positiveInfinity, CMTime.negativeInfinity, CMTime.indefinite, CMTime.invalid
        )
        let one = time(1, 1)
        let sums: [(CMTime, CMTime, CMTime, CMTime)] = [
            // a, b, a + b, a - b
            (inv, one, inv, inv), (one, inv, inv, inv), (inv, inf, inv, inv),
            (ind, inv, inv, inv), (inf, one, inf, inf), (one, inf, inf, neg),
            (neg, one, neg, neg), (one, neg, neg, inf), (inf, inf, inf, inv),
            (neg, neg, neg, inv), (inf, neg, inv, inf), (neg, inf, inv, neg),
            (ind, one, ind, ind), (one, ind, ind, ind), (ind, ind, ind, ind),
            (ind, inf, inf, neg), (inf, ind, inf, inf), (neg, ind, neg, neg),
        ]
        for (a, b, sum, difference) in sums {
            #expect((a + b).fields == sum.fields, "\(a) + \(b)")
            #expect((a - b).fields == difference.fields, "\(a) - \(b)")
        }
        #expect((time(1, 0) + one).fields == inv.fields)
    }

    @Test func `T-10 epochs of sums`() {
        let (plain, third, fourth) = (time(1, 1), time(5, 1, epoch: 3), time(5, 1, epoch: 4))
        #expect((plain + third).fields == [6, 1, 1, 3])
        #expect((third - plain).fields == [4, 1, 1, 3])
        #expect((plain - third).fields == [-4, 1, 1, 3])
        #expect((third + third).fields == [10, 1, 1, 0])
        #expect((third - third).fields == [0, 1, 1, 0])
        #expect((third - time(1, 3, epoch: 3)).fields == [14, 3, 1, 0])
        #expect((third + fourth).fields == CMTime.invalid.fields)
        #expect((third - fourth).fields == CMTime.invalid.fields)
    }

    @Test func `T-12 the product with an integer keeps the timescale, halved on overflow`() {
        #expect(time(7, 600).multiplied(by: -3).fields == [-21, 600, 1, 0])
        #expect(time(7, 600, epoch: 2).multiplied(by: 3).epoch == 2)
        #expect(time(.max, 8).multiplied(by: 4).fields == [.max, 2, 1, 0])
        #expect(time(.max, 1).multiplied(by: 2).isPositiveInfinity)
        #expect(time(.max, 1).multiplied(by: -2).isNegativeInfinity)
        #expect(time(.min, 1).multiplied(by: .min).isPositiveInfinity)
        #expect(time(.min, 1).multiplied(by: -1).isPositiveInfinity)
        #expect(time(.min, 2).multiplied(by: -1).fields == [1 << 62, 1, 1, 0])
    }

    @Test func `T-12 the product with a Double doubles the timescale to at least 65536`() {
        #expect(time(1, 1).scaled(by: 0.5).fields == [32768, 65536, 1, 0])
        #expect(time(1, 600).scaled(by: 1).fields == [128, 76800, 1, 0])
        #expect(time(1, 90000).scaled(by: 2.5).fields == [3, 90000, 3, 0])
        #expect(time(1, 90000).scaled(by: -2.5).fields == [-3, 90000, 3, 0])
        #expect(time(1, 90000).scaled(by: 2.4).fields == [2, 90000, 3, 0])
        #expect(time(1 << 60, 1).scaled(by: 1.5).fields == [3 << 61, 4, 1, 0])
        #expect(time(1 << 60, 1).scaled(by: 1e9).isPositiveInfinity)
        #expect(time(-1, 1).scaled(by: 1e300).isNegativeInfinity)
        #expect(time(0, 1).scaled(by: 1e300).fields == [0, 65536, 1, 0])
        #expect(
            time(.max, .max).scaled(by: .leastNonzeroMagnitude).fields == [0, 0x7fff_ffff, 3, 0])
        #expect(time(3, 90000, epoch: 2).scaled(by: 2).fields == [6, 90000, 1, 2])
    }

    @Test func `T-12 products keep infinities with their sign, indefinite and invalid`() {
        let (inf, neg) = (CMTime.positiveInfinity, CMTime.negativeInfinity)
        for (a, sign, product) in [
            (inf, 1, inf), (inf, -1, neg), (neg, 1, neg), (neg, -1, inf), (inf, 0, inf),
            (CMTime.indefinite, -1, .indefinite), (.invalid, -1, .invalid),
        ] {
            #expect(a.multiplied(by: Int32(sign)).fields == product.fields, "\(a) * \(sign)")
            #expect(a.scaled(by: Double(sign)).fields == product.fields, "\(a) * \(sign)")
        }
        #expect(time(-1, 1).scaled(by: .infinity).isNegativeInfinity)
        #expect(!time(0, 1).scaled(by: .infinity).isValid)
        #expect(!time(1, 1).scaled(by: .nan).isValid)
    }

    @Test func `T-13 the product with a ratio is exact when it can be`() {
        #expect(time(6, 600).multiplied(by: 2, dividedBy: 3).fields == [4, 600, 1, 0])
        #expect(time(1, 600).multiplied(by: 1, dividedBy: 3).fields == [1, 1800, 1, 0])
        #expect(time(1, 30).multiplied(by: 1000, dividedBy: -1001).fields == [-1000, 30030, 1, 0])
        // 10 * max is too much, but the fraction can be reduced.
        #expect(
            time(10, 2_000_000_000).multiplied(by: 1, dividedBy: 7).fields
                == [1, 1_400_000_000, 1, 0])
        // Not even reduced: the finest timescale.
        let rounded = time(1, 2_147_483_629).multiplied(by: 1, dividedBy: 2)
        #expect(rounded.fields == [1, 0x7fff_ffff, 3, 0])
        // The quotient is whole but the value too large: another timescale is exact.
        #expect(time(.max - 1, 2).multiplied(by: 2, dividedBy: 1).fields == [.max - 1, 1, 1, 0])
        #expect(time(.max, 1).multiplied(by: 2, dividedBy: 1).isPositiveInfinity)
        #expect(time(5, 2, epoch: 3).multiplied(by: 2, dividedBy: 5).epoch == 3)
    }

    @Test func `T-13 a divisor of 0 gives a signed infinity, or invalid for 0 / 0`() {
        #expect(time(1, 1).multiplied(by: 1, dividedBy: 0).isPositiveInfinity)
        #expect(time(-1, 1).multiplied(by: 1, dividedBy: 0).isNegativeInfinity)
        #expect(time(-1, 1).multiplied(by: -1, dividedBy: 0).isPositiveInfinity)
        #expect(!time(0, 1).multiplied(by: 1, dividedBy: 0).isValid)
        #expect(!time(1, 1).multiplied(by: 0, dividedBy: 0).isValid)
        #expect(CMTime.positiveInfinity.multiplied(by: 1, dividedBy: 3).isPositiveInfinity)
        #expect(CMTime.indefinite.multiplied(by: 1, dividedBy: 3).isIndefinite)
        #expect(!CMTime.invalid.multiplied(by: 1, dividedBy: 3).isValid)
    }

    @Test func `the absolute value drops the sign`() {
        #expect(time(-5, 3, epoch: 1).absoluteValue.fields == [5, 3, 1, 1])
        #expect(time(5, 3).absoluteValue.fields == [5, 3, 1, 0])
        #expect(CMTime.negativeInfinity.absoluteValue.isPositiveInfinity)
        #expect(CMTime.indefinite.absoluteValue.isIndefinite)
        #expect(time(.min, 1).absoluteValue.isPositiveInfinity)
    }
}

@Suite("CMTime arithmetic against exact fractions")
struct CMTimePropertyTests {
    @Test func `T-11 comparison agrees with exact fractions`() {
        var random = Random(seed: 11)
        var failures = 0
        for _ in 0..<trials {
            let a = random.time()
            var b = random.time()
            if random.next() % 4 == 0 {
                // The same or nearly the same time, written otherwise.
                b = a.convertScale(b.timescale, method: .default)
                guard b.isNumeric else { continue }
            }
            let order = (Wide(a.value) * Wide(b.timescale) - Wide(b.value) * Wide(a.timescale))
                .signum
            let isRight =
                a.compare(to: b) == order && b.compare(to: a) == -order
                && (a < b) == (order < 0) && (a == b) == (order == 0)
                && (order != 0 || a.hashValue == b.hashValue)
            if !isRight { failures += 1 }
        }
        #expect(failures == 0)
    }

    @Test func `T-7 sums and differences are the nearest to the exact fractions`() {
        var random = Random(seed: 7)
        var failures: [(CMTime, CMTime)] = []
        for _ in 0..<trials {
            let (a, b) = (random.time(), random.time())
            let left = Wide(a.value) * Wide(b.timescale)
            let right = Wide(b.value) * Wide(a.timescale)
            let denominator = Wide(a.timescale) * Wide(b.timescale)
            let wanted = leastCommonMultiple(a.timescale, b.timescale)
            if !isNearest(
                a + b, numerator: left + right, denominator: denominator, wanted: wanted)
                || !isNearest(
                    a - b, numerator: left - right, denominator: denominator, wanted: wanted)
            {
                failures.append((a, b))
            }
            let sum = a + b
            if sum.isNumeric, !sum.hasBeenRounded, !(sum - b).hasBeenRounded, sum - b != a {
                failures.append((a, b))
            }
        }
        let examples = failures.prefix(3).map { "\($0)" }
        #expect(examples == [])
    }

    @Test func `T-12 T-13 products are the nearest to the exact fractions`() {
        var random = Random(seed: 12)
        var failures: [(CMTime, Int32, Int32)] = []
        for _ in 0..<trials / 2 {
            let a = random.time()
            let m = Int32(truncatingIfNeeded: random.value())
            let d = Int32(truncatingIfNeeded: random.value())
            let numerator = Wide(a.value) * Wide(m)
            if !isNearest(
                a.multiplied(by: m), numerator: numerator, denominator: Wide(a.timescale),
                wanted: a.timescale)
            {
                failures.append((a, m, 1))
            }
            guard d != 0 else { continue }
            let quotient = a.multiplied(by: m, dividedBy: d)
            let signed = d < 0 ? -numerator : numerator
            let denominator = Wide(a.timescale) * Wide(d).magnitude
            let isExact =
                quotient.isNumeric
                && Wide(quotient.value) * denominator == signed * Wide(quotient.timescale)
            if isExact
                ? quotient.hasBeenRounded
                : isRepresentable(signed, denominator)
                    || !isNearest(
                        quotient, numerator: signed, denominator: denominator, wanted: .max)
            {
                failures.append((a, m, d))
            }
        }
        let examples = failures.prefix(3).map { "\($0)" }
        #expect(examples == [])
    }

    @Test func `T-12 products with Doubles are the nearest to the exact fractions`() {
        var random = Random(seed: 64)
        var failures: [(CMTime, Double)] = []
        for _ in 0..<trials / 4 {
            let a = random.time()
            let exponent = Int(random.next() % 120) - 90
            let significand = Int64(random.next() >> (11 + random.next() % 53))
            let factor = Double(sign: .plus, exponent: exponent, significand: Double(significand))
            var wanted = a.timescale
            while wanted < 65536 { wanted *= 2 }
            let numerator = (Wide(a.value) * Wide(significand)) << max(0, exponent)
            let denominator = Wide(a.timescale) << max(0, -exponent)
            if !isNearest(
                a.scaled(by: factor), numerator: numerator, denominator: denominator,
                wanted: wanted)
            {
                failures.append((a, factor))
            }
        }
        let examples = failures.prefix(3).map { "\($0)" }
        #expect(examples == [])
    }

    @Test func `T-5 T-6 conversions round exactly as their method says`() {
        var random = Random(seed: 6)
        var failures: [(CMTime, Int32, CMTimeRoundingMethod)] = []
        for i in 0..<trials {
            let a = random.time()
            let scale = random.timescale()
            let method = CMTimeRoundingMethod.allCases[i % 6]
            let b = a.convertScale(scale, method: method)
            let isNegative = a.value < 0
            guard b.isNumeric else {
                // |a.value| * scale / a.timescale > 2^63 - 1
                let size = Wide(a.value).magnitude * Wide(scale)
                let isTooLarge = size > Wide(Int64.max - 1) * Wide(a.timescale)
                if !isTooLarge || b.isNegativeInfinity != isNegative {
                    failures.append((a, scale, method))
                }
                continue
            }
            let error = Wide(b.value) * Wide(a.timescale) - Wide(a.value) * Wide(scale)
            let away = isNegative ? -error.signum : error.signum
            let double = error.magnitude + error.magnitude
            let one = Wide(a.timescale)
            let isRight =
                switch method {
                case .roundHalfAwayFromZero: double < one || double == one && away > 0
                case .roundTowardZero: error.magnitude < one && away <= 0
                case .roundAwayFromZero: error.magnitude < one && away >= 0
                case .roundTowardPositiveInfinity: error.magnitude < one && error.signum >= 0
                case .roundTowardNegativeInfinity: error.magnitude < one && error.signum <= 0
                case .quickTime:
                    scale > a.timescale
                        ? error.magnitude < one && away >= 0
                        : isNegative && b.value == -1
                            ? error.magnitude < one
                            : error.magnitude < one && away <= 0 && !(isNegative && b.value == 0)
                }
            if !isRight || b.hasBeenRounded == error.isZero || b.timescale != scale {
                failures.append((a, scale, method))
            }
        }
        let examples = failures.prefix(3).map { "\($0)" }
        #expect(examples == [])
    }

    private func leastCommonMultiple(_ a: Int32, _ b: Int32) -> Int32 {
        Int32(clamping: Int64(a) / gcd(Int64(a), Int64(b)) * Int64(b))
    }

    private func gcd<T: BinaryInteger>(_ a: T, _ b: T) -> T { b == 0 ? a : gcd(b, a % b) }

    /// Whether a timescale and a value can hold the fraction exactly: all of these are below 2^127.
    private func isRepresentable(_ numerator: Wide, _ denominator: Wide) -> Bool {
        guard let n = numerator.magnitude.narrow, let d = denominator.narrow else { return false }
        let divisor = gcd(n, d)
        let limit = Int128(Int64.max) + (numerator.signum < 0 ? 1 : 0)
        return d / divisor <= Int128(Int32.max) && n / divisor <= limit
    }
}
