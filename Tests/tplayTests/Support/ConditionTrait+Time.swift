import TestSupport
import Testing

extension Trait where Self == ConditionTrait {
    /// For what measures time: skipped under a sanitizer, which takes ten times as long for everything.
    static var measuresTime: Self {
        .disabled(
            if: Checkout.isSanitized, "SKIPPED: a sanitizer is too slow for what this measures")
    }
}
