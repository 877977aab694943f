import Foundation
import MediaTime
import Testing

@Suite("CMTime")
struct CMTimeTests {
    @Test func `T-1 the initialisers and the constants have these fields`() {
        #expect(CMTime().fields == [0, 0, 0, 0])
        #expect(CMTime.invalid.fields == [0, 0, 0, 0])
        #expect(CMTime(value: 5, timescale: 3).fields == [5, 3, 1, 0])
        #expect(CMTime.zero.fields == [0, 1, 1, 0])
        #expect(CMTime.positiveInfinity.fields == [0, 0, 0b00101, 0])
        #expect(CMTime.negativeInfinity.fields == [0, 0, 0b01001, 0])
        #expect(CMTime.indefinite.fields == [0, 0, 0b10001, 0])
        #expect(CMTime(value: 1, timescale: 2, flags: [.valid], epoch: 3).fields == [1, 2, 1, 3])
        #expect(kCMTimeMaxTimescale == 0x7fff_ffff)
        #expect(MemoryLayout<CMTime>.size == 24)
        #expect(CMTimeFlags.impliedValueFlagsMask.rawValue == 0b11100)
        #expect(CMTimeFlags.hasBeenRounded.rawValue == 2)
    }

    @Test func `T-2 a time is numeric without implied values, and only valid flags count`() {
        let all: [CMTime] = [.invalid, .indefinite, .positiveInfinity, .negativeInfinity, .zero]
        #expect(all.map(\.isValid) == [false, true, true, true, true])
        #expect(all.map(\.isNumeric) == [false, false, false, false, true])
        #expect(all.map(\.isIndefinite) == [false, true, false, false, false])
        #expect(all.map(\.isPositiveInfinity) == [false, false, true, false, false])
        #expect(all.map(\.isNegativeInfinity) == [false, false, false, true, false])
        for flag: CMTimeFlags in [.positiveInfinity, .negativeInfinity, .indefinite] {
            let unmarked = CMTime(value: 1, timescale: 1, flags: flag, epoch: 0)
            #expect(!unmarked.isPositiveInfinity && !unmarked.isNegativeInfinity)
            #expect(!unmarked.isIndefinite && !unmarked.isNumeric && !unmarked.isValid)
            let rounded = CMTime(
                value: 1, timescale: 1, flags: [.valid, .hasBeenRounded, flag], epoch: 0)
            #expect(!rounded.hasBeenRounded)
        }
        #expect(time(1, 3, rounded: true).hasBeenRounded)
        #expect(!time(1, 3).hasBeenRounded)
        #expect(
            !CMTime(value: 1, timescale: 3, flags: .hasBeenRounded, epoch: 0).hasBeenRounded)
    }

    @Test func `T-3 seconds are the quotient, infinite or not a number`() {
        #expect(CMTime(value: 1, timescale: 3).seconds == 1.0 / 3)
        #expect(time(-7, 2, epoch: 9).seconds == -3.5)
        #expect(CMTime.positiveInfinity.seconds == .infinity)
        #expect(CMTime.negativeInfinity.seconds == -.infinity)
        #expect(CMTime.invalid.seconds.isNaN)
        #expect(CMTime.indefinite.seconds.isNaN)
    }

    @Test(
        arguments: [
            (2.87, 1, 2), (2.368, 24, 56), (0.082, 24, 1), (1.5, 1, 1), (-1.5, 1, -1),
            (0.29, 100, 28), (0.5, 600, 300), (-0.9, 1, 0),
        ] as [(Double, Int32, Int64)])
    func `T-4 seconds are truncated toward zero`(seconds: Double, scale: Int32, value: Int64) {
        let time = CMTime(seconds: seconds, preferredTimescale: scale)
        #expect(time.value == value)
        #expect(time.timescale == scale)
        #expect(time.hasBeenRounded == (Double(value) / Double(scale) != seconds))
    }

    @Test func `T-4 seconds that are no number or do not fit`() {
        #expect(CMTime(seconds: 1, preferredTimescale: 0).fields == CMTime.invalid.fields)
        #expect(CMTime(seconds: 1, preferredTimescale: -1).fields == CMTime.invalid.fields)
        #expect(CMTime(seconds: .nan, preferredTimescale: 600).fields == CMTime.invalid.fields)
        #expect(CMTime(seconds: .infinity, preferredTimescale: 600).isPositiveInfinity)
        #expect(CMTime(seconds: -.infinity, preferredTimescale: 600).isNegativeInfinity)
        #expect(CMTime(seconds: 1e300, preferredTimescale: 600).isPositiveInfinity)
        #expect(CMTime(seconds: -1e19, preferredTimescale: 600).isNegativeInfinity)
        // 2^62 s at 7: 7 and 3 are too fine, 1 fits.
        let large = CMTime(seconds: 0x1p62, preferredTimescale: 7)
        #expect(large.fields == [1 << 62, 1, 1, 0])
        // 2^61 s at 7: 3 fits, for 3 * 2^61 < 2^63.
        #expect(CMTime(seconds: 0x1p61, preferredTimescale: 7).fields == [3 << 61, 3, 1, 0])
        #expect(CMTime(seconds: -0x1p63, preferredTimescale: 2).fields == [.min, 1, 1, 0])
        #expect(CMTime(seconds: 0x1p63, preferredTimescale: 1).isPositiveInfinity)
    }

    @Test func `T-5 conversion of what is no number, of bad timescales, and overflow`() {
        for time: CMTime in [.invalid, .indefinite, .positiveInfinity, .negativeInfinity] {
            #expect(time.convertScale(600, method: .default).fields == time.fields)
            #expect(time.convertScale(0, method: .default).fields == time.fields)
        }
        #expect(time(1, 2).convertScale(0, method: .default).fields == CMTime.invalid.fields)
        #expect(time(1, 2).convertScale(-3, method: .default).fields == CMTime.invalid.fields)
        let same = time(7, 600, rounded: true, epoch: 4)
        #expect(same.convertScale(600, method: .default).fields == same.fields)
        // The flag is kept when exact, set when not; the epoch stays.
        #expect(time(1, 2, epoch: 4).convertScale(4, method: .default).fields == [2, 4, 1, 4])
        #expect(time(1, 2, rounded: true).convertScale(4, method: .default).fields == [2, 4, 3, 0])
        #expect(time(1, 3).convertScale(10, method: .default).fields == [3, 10, 3, 0])
        #expect(time(.max, 1).convertScale(2, method: .default).isPositiveInfinity)
        #expect(time(.min, 1).convertScale(2, method: .default).isNegativeInfinity)
        // An intermediate of 94 bits.
        #expect(
            time(.max, .max).convertScale(.max - 1, method: .roundTowardZero).value
                == 9_223_372_032_559_808_508)
    }

    @Test(
        arguments: [
            // value at 10 -> ticks at 1, by each method in the order of their raw values
            (25, [3, 2, 3, 2, 3, 2]), (24, [2, 2, 3, 2, 3, 2]), (26, [3, 2, 3, 2, 3, 2]),
            (-25, [-3, -2, -3, -2, -2, -3]), (-24, [-2, -2, -3, -2, -2, -3]),
            (-26, [-3, -2, -3, -2, -2, -3]), (-3, [0, 0, -1, -1, 0, -1]), (3, [0, 0, 1, 0, 1, 0]),
            (20, [2, 2, 2, 2, 2, 2]), (-20, [-2, -2, -2, -2, -2, -2]), (0, [0, 0, 0, 0, 0, 0]),
        ] as [(Int64, [Int64])])
    func `T-6 rounding methods going to a smaller timescale`(value: Int64, expected: [Int64]) {
        for (method, value_) in zip(CMTimeRoundingMethod.allCases, expected) {
            let converted = time(value, 10).convertScale(1, method: method)
            #expect(converted.value == value_, "\(method)")
            #expect(converted.hasBeenRounded == (value % 10 != 0))
        }
    }

    @Test func `T-6 quickTime rounds away from zero going to a larger timescale`() {
        #expect(time(1, 3).convertScale(10, method: .quickTime).value == 4)
        #expect(time(-1, 3).convertScale(10, method: .quickTime).value == -4)
        #expect(time(1, 3).convertScale(10, method: .roundHalfAwayFromZero).value == 3)
        #expect(time(1, 3).convertScale(10, method: .roundTowardPositiveInfinity).value == 4)
        #expect(time(-1, 3).convertScale(10, method: .roundTowardPositiveInfinity).value == -3)
        #expect(CMTimeRoundingMethod.default == .roundHalfAwayFromZero)
        #expect(CMTimeRoundingMethod.allCases.map(\.rawValue) == [1, 2, 3, 4, 5, 6])
    }

    @Test func `T-11 orders -infinity, numbers, indefinite, +infinity, invalid`() {
        let ordered: [CMTime] = [
            .negativeInfinity, time(.min, 1), time(-1, 3), .zero, time(1, .max), time(1, 3),
            time(333_333_334, 1_000_000_000), time(.max, 1), time(-5, 1, epoch: 1),
            time(0, 1, epoch: 2), .indefinite, .positiveInfinity, .invalid,
        ]
        for (i, a) in ordered.enumerated() {
            for (j, b) in ordered.enumerated() {
                #expect((a < b) == (i < j), "\(a) < \(b)")
                #expect((a == b) == (i == j), "\(a) == \(b)")
                #expect((a > b) == (i > j) && (a <= b) == (i <= j))
                #expect(a.compare(to: b) == (i < j ? -1 : i == j ? 0 : 1))
                if i == j { #expect(a.hashValue == b.hashValue) }
            }
        }
        #expect(ordered.shuffled().sorted().map(\.fields) == ordered.map(\.fields))
    }

    @Test func `T-11 equal times are equal however they are written, and hash alike`() {
        let pairs: [(CMTime, CMTime)] = [
            (time(1, 10), time(2, 20)), (time(1, 10), time(2, 20, rounded: true)),
            (time(0, 1), time(0, .max)), (time(-3, 9), time(-1, 3)),
            (time(.min, 2), time(.min / 2, 1)), (time(4, 2, epoch: 7), time(2, 1, epoch: 7)),
            (.invalid, CMTime(value: 5, timescale: 3, flags: [], epoch: 1)),
            (
                .positiveInfinity,
                CMTime(value: 9, timescale: 9, flags: [.valid, .positiveInfinity], epoch: 9)
            ),
            (.invalid, time(1, 0)), (.invalid, time(1, -1)),
        ]
        for (a, b) in pairs {
            #expect(a == b && a.hashValue == b.hashValue, "\(a) \(b)")
            #expect(!(a < b) && !(b < a))
        }
        // Doubles cannot tell these apart.
        let a = time(9_007_199_254_740_993, 3)
        let b = time(9_007_199_254_740_992, 3)
        #expect(a.seconds == b.seconds && b < a && a != b)
        #expect(Set([time(1, 2), time(2, 4), time(1, 2, epoch: 1)]).count == 2)
    }

    @Test func `T-14 a dictionary without one of the keys gives invalid`() {
        let sample = time(-7, 600, rounded: true, epoch: 3)
        let dictionary = sample.dictionaryRepresentation
        #expect(dictionary == ["value": -7, "timescale": 600, "epoch": 3, "flags": 3])
        #expect(CMTime(dictionaryRepresentation: dictionary).fields == sample.fields)
        for key in dictionary.keys {
            var partial = dictionary
            partial[key] = nil
            #expect(CMTime(dictionaryRepresentation: partial).fields == CMTime.invalid.fields)
        }
        var excessive = dictionary
        excessive["timescale"] = 1 << 32
        #expect(CMTime(dictionaryRepresentation: excessive).fields == CMTime.invalid.fields)
    }

    @Test func `T-14 minimum and maximum follow the order of T-11`() {
        #expect(min(CMTime.invalid, .positiveInfinity).isPositiveInfinity)
        #expect(!max(CMTime.invalid, .positiveInfinity).isValid)
        #expect(min(CMTime.indefinite, time(1, 1)) == time(1, 1))
        #expect(max(CMTime.indefinite, time(1, 1)).isIndefinite)
        #expect(min(time(9, 1), time(1, 1, epoch: 1)) == time(9, 1))
        #expect(max(time(1, 3), time(1, 2)) == time(1, 2))
    }

    @Test func `encodes all four fields`() throws {
        for sample in [
            time(-7, 600, rounded: true, epoch: 3), .invalid, .positiveInfinity, time(.min, .max),
        ] {
            let data = try JSONEncoder().encode([sample])
            #expect(try JSONDecoder().decode([CMTime].self, from: data)[0].fields == sample.fields)
        }
        #expect(throws: DecodingError.self) {
            try JSONDecoder().decode(CMTime.self, from: Data(#"{"value":1,"timescale":2}"#.utf8))
        }
    }

    @Test(
        arguments: [
            (time(1, 30), "{1/30 = 0.033}"), (time(-1, 2), "{-1/2 = -0.500}"),
            (time(133000, 90000, rounded: true), "{133000/90000 = 1.478, rounded}"),
            (time(5, 1, epoch: 2), "{5/1 = 5.000, epoch=2}"), (.invalid, "{INVALID}"),
            (.positiveInfinity, "{+INFINITY}"), (.negativeInfinity, "{-INFINITY}"),
            (.indefinite, "{INDEFINITE}"), (time(1, 0), "{INVALID}"),
            (time(59_999_999, 60_000_000), "{59999999/60000000 = 1.000}"),
        ] as [(CMTime, String)])
    func `describes itself as Apple's does`(time: CMTime, text: String) {
        #expect(time.description == text)
    }
}
