import Foundation
import TestSupport
import Testing

/// The built program.
enum TPlay {
    static let path = PseudoTerminal.product("tplay")

    static func run(_ arguments: [String], input: Subprocess.Input? = nil) -> Subprocess {
        Subprocess.run(path, arguments, input: input)
    }

    /// The objects of a JSON Lines report; a line that is none is an issue.
    static func objects(_ output: Subprocess) -> [[String: Any]] {
        output.lines.compactMap { line in
            let object = try? JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if object == nil { Issue.record("no JSON: \(line)") }
            return object
        }
    }

    /// One complaint: nothing on standard output, one line on standard error that names all of `words`.
    static func expectComplaint(
        _ result: Subprocess, status: Int32, naming words: [String],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        #expect(result.status == status, "\(result.errors)", sourceLocation: sourceLocation)
        #expect(result.output.isEmpty, sourceLocation: sourceLocation)
        #expect(result.errors.hasPrefix("tplay: "), sourceLocation: sourceLocation)
        #expect(
            result.errors.hasSuffix("\n") && result.errors.count { $0 == "\n" } == 1,
            "one line: \(result.errors)", sourceLocation: sourceLocation)
        for word in words {
            #expect(
                result.errors.contains(word), "\(word) in: \(result.errors)",
                sourceLocation: sourceLocation)
        }
    }

    static func sample(_ name: String) -> String { Checkout.samples + "/" + name }
}

/// What keeps tests that measure time or start many processes from doing so at the same time.
@Suite("tplay", .serialized)
enum TPlayTests {}
