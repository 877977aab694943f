import Foundation
import H264

/// The real streams beside the checkout; tests that need them are disabled where they are not there.
enum StreamFiles {
    static let directory: URL = {
        var url = URL(filePath: #filePath)
        for _ in 0..<4 { url.deleteLastPathComponent() }
        return url.appending(path: "shared/streams")
    }()

    static let areThere: Bool = {
        let found = FileManager.default.fileExists(
            atPath: directory.appending(path: "INDEX.tsv").path)
        if !found { print("SKIPPED: no streams at \(directory.path)") }
        return found
    }()

    static func bytes(_ name: String) throws -> [UInt8] {
        [UInt8](try Data(contentsOf: directory.appending(path: name)))
    }

    struct Entry: Sendable, CustomStringConvertible {
        let name: String
        let features: Set<String>
        /// With those that FFmpeg does not put out.
        let pictureCount: Int
        let width: Int
        let height: Int

        var description: String { name }
    }

    static let entries: [Entry] = {
        let index = directory.appending(path: "INDEX.tsv")
        guard let text = try? String(contentsOf: index, encoding: .utf8) else { return [] }
        return text.split(separator: "\n").dropFirst().compactMap { line in
            let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
                .map(String.init)
            guard fields.count >= 14, !fields[6].contains("hevc"), var count = Int(fields[7])
            else { return nil }
            if fields.count > 14,
                let match = fields[14].firstMatch(of: /coded frames by slice headers: (\d+)/)
            {
                count = Int(match.1) ?? count
            }
            return Entry(
                name: fields[0],
                features: Set(fields[6].split(separator: ",").map(String.init)),
                pictureCount: count,
                width: Int(fields[8]) ?? 0, height: Int(fields[9]) ?? 0)
        }
    }()
}

/// Scans and parses `bytes`, given in reads of the sizes that `readSize` returns.
func accessUnits(
    of bytes: [UInt8], parser: inout AccessUnitParser, readSize: () -> Int = { .max }
) -> [AccessUnit] {
    var units: [AccessUnit] = []
    forEachNALUnit(of: bytes, readSize: readSize) { nal, content in
        if let unit = parser.append(nal, bytes: content) { units.append(unit) }
    }
    if let unit = parser.finish(endOffset: Int64(bytes.count)) { units.append(unit) }
    return units
}

func accessUnits(of bytes: [UInt8]) -> [AccessUnit] {
    var parser = AccessUnitParser()
    return accessUnits(of: bytes, parser: &parser)
}

/// Scans `bytes` through a window that holds only what the scanner asks for.
func forEachNALUnit(
    of bytes: [UInt8], scanner: ByteStreamScanner = ByteStreamScanner(),
    readSize: () -> Int = { .max }, _ body: (NALUnit, UnsafeRawBufferPointer) -> Void
) {
    var scanner = scanner
    var start = 0
    var end = 0
    bytes.withUnsafeBytes { all in
        while true {
            end += min(readSize(), all.count - end)
            // Never back: what was dropped is gone.
            precondition(start <= Int(scanner.neededOffset))
            start = Int(scanner.neededOffset)
            // A copy, so that a read outside it is found by whoever looks for such reads.
            let window = [UInt8](all[start..<end])
            window.withUnsafeBytes { window in
                while let nal = scanner.next(
                    in: window, windowOffset: Int64(start), isEnd: end == all.count)
                {
                    let first = Int(nal.offset) - start
                    body(
                        nal,
                        UnsafeRawBufferPointer(rebasing: window[first..<first + nal.byteCount]))
                }
            }
            if end == all.count { break }
        }
    }
}
