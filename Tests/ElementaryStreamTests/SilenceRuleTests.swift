import ElementaryStream
import Testing

@Suite("Silence rule")
struct SilenceRuleTests {
    private let least: UInt64 = 20_000_000

    @Test func `at first it waits as long as the source wants, and for one slice`() {
        let rule = SilenceRule(least: least)
        #expect(rule.patience == least)
        #expect(rule.sliceCount == 1)
    }

    @Test func `each mistake makes it four times as patient, up to a second`() {
        var rule = SilenceRule(least: least)
        var patience: [UInt64] = []
        for _ in 0..<5 {
            rule.noteMistake()
            patience.append(rule.patience / 1_000_000)
        }
        #expect(patience == [80, 320, 1000, 1000, 1000])
    }

    @Test func `after 500 pictures without a mistake half of it will do, never less than at first`()
    {
        var rule = SilenceRule(least: least)
        rule.noteMistake()
        rule.noteMistake()
        var changes: [Int] = []
        var last = rule.patience
        for count in 1...3000 {
            rule.pass(sliceCount: 1)
            if rule.patience != last {
                changes.append(count)
                #expect(rule.patience == max(least, last / 2))
            }
            last = rule.patience
        }
        #expect(changes == [500, 1000, 1500, 2000])
        #expect(rule.patience == least)
    }

    @Test func `a mistake begins the count anew`() {
        var rule = SilenceRule(least: least)
        rule.noteMistake()
        for _ in 0..<499 { rule.pass(sliceCount: 1) }
        rule.noteMistake()
        for _ in 0..<499 { rule.pass(sliceCount: 1) }
        #expect(rule.patience == least * 16)
        rule.pass(sliceCount: 1)
        #expect(rule.patience == least * 8)
    }

    @Test func `a picture has as many slices as the smallest of the last eight`() {
        var rule = SilenceRule(least: least)
        for count in [4, 2, 4, 4, 4, 4, 4, 4] { rule.pass(sliceCount: count) }
        #expect(rule.sliceCount == 2)
        rule.pass(sliceCount: 4)
        #expect(rule.sliceCount == 2)
        rule.pass(sliceCount: 5)
        #expect(rule.sliceCount == 4)
        rule.pass(sliceCount: 0)
        #expect(rule.sliceCount == 0)
    }

    @Test(arguments: [0, 1, 999_999_999, 1_000_000_001, UInt64.max])
    func `no source is too odd`(least: UInt64) {
        var rule = SilenceRule(least: least)
        for _ in 0..<40 {
            rule.noteMistake()
            #expect(rule.patience >= least)
            #expect(rule.patience <= max(least, 1_000_000_000))
        }
        for _ in 0..<40_000 { rule.pass(sliceCount: 1) }
        #expect(rule.patience == least)
    }
}
