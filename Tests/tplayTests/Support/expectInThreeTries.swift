import TestSupport
import Testing

/// What needs the machine for itself gets up to three tries: where something else runs too, now and then it comes late.
///
/// Under a sanitizer, which makes all of it slow, it is done once and whatever it says of time is no failure.
///
/// - Parameters:
///   - sourceLocation: Where a failure is recorded.
///   - attempt: Says what was wrong; nil where nothing was.
func expectInThreeTries(
    sourceLocation: SourceLocation = #_sourceLocation, _ attempt: () throws -> String?
) rethrows {
    var problem: String?
    for _ in 0..<3 {
        problem = try attempt()
        if problem == nil || Checkout.isSanitized { return }
    }
    Issue.record("three times: \(problem ?? "")", sourceLocation: sourceLocation)
}
