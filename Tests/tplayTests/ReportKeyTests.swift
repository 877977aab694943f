import Foundation
import StreamSynthesis
import TestSupport
import Testing

extension TPlayTests {
    /// `docs/reports.md` and the reports have the same keys.
    @Suite("Keys of the reports", .timeLimit(.minutes(Checkout.patience(3))))
    struct ReportKeyTests {
        /// The keys in backticks of the first column of a section's table.
        private static func documented(_ report: String) throws -> Set<String> {
            let bytes = try #require(Checkout.bytes(Checkout.root + "/docs/reports.md"))
            let sections = String(decoding: bytes, as: UTF8.self).components(separatedBy: "\n## ")
            let section = try #require(sections.first { $0.hasPrefix(report + "\n") })
            var keys: Set<String> = []
            for line in section.split(separator: "\n") where line.hasPrefix("| `") {
                let cell = line.dropFirst().prefix { $0 != "|" }
                // Between the first and the second backtick, the third and the fourth …
                for (number, word) in cell.split(
                    separator: "`", omittingEmptySubsequences: false
                ).enumerated() where number % 2 == 1 {
                    keys.insert(String(word))
                }
            }
            return keys
        }

        private static func printed(_ arguments: [String]) -> Set<String> {
            TPlay.objects(TPlay.run(["--report"] + arguments)).reduce(into: []) {
                $0.formUnion($1.keys)
            }
        }

        /// What no sample has: picture order count of type 1, operation 5, sets that are broken, a damaged NAL unit, a
        /// recovery point.
        private static func oddities() throws -> TemporaryFile {
            let format = PictureFormat(width: 32, height: 32)
            var sequence = SequenceParameters(format)
            sequence.orderCounting = .cycle(
                offsetForNonReference: -1, offsetForTopToBottom: 0, offsetsForReference: [2],
                deltasAreZero: false)
            var writer = StreamWriter(sequence)
            writer.idr(TestCard(format).picture(0))
            writer.p(TestCard(format).picture(1))
            let broken: [[UInt8]] = [
                [0x67, 0x42, 0x00], [0x68, 0xFF, 0x01], [0xE1, 0x88], [0x06, 0x06, 1, 0xC4, 0x80],
            ]
            return try TemporaryFile(writer.bytes() + broken.flatMap { [0, 0, 1] + $0 })
        }

        @Test func `every key that is printed is documented, and every documented one is printed`()
            throws
        {
            let odd = try Self.oddities()
            let paths = Clip.samples.map(\.path) + [odd.path]
            for (report, options) in [
                ("frames", ["--md5"]), ("nals", []), ("summary", []),
            ] as [(String, [String])] {
                let printed = Self.printed([report] + options + paths)
                let documented = try Self.documented(report)
                #expect(printed.count > 10 && documented.count > 10)
                #expect(printed.subtracting(documented) == [], "not in docs/reports.md")
                #expect(documented.subtracting(printed) == [], "never printed")
            }
        }
    }
}
