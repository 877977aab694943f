import MediaTime
import SampleDisplay
import TerminalGraphics

/// Pictures shown field by field.
extension Screen {
    /// When the later of a picture's two fields is due, in nanoseconds of the host clock, nil while no clock runs; and
    /// whether the clock runs backwards.
    typealias FieldTime =
        @Sendable (DisplayedPicture) -> (host: Int64?, isBackward: Bool)

    /// The field that comes after the one on the screen.
    struct NextField {
        var picture: DisplayedPicture
        var field: Field
        /// When, in nanoseconds of the host clock; nil where no clock runs.
        var time: Int64?
        var rendered: RenderedPicture?
    }

    /// Which of its fields a picture that is due begins with, and what follows; nothing for a picture that is shown whole.
    static func split(
        _ prepared: inout Prepared, _ state: inout State, at time: (host: Int64?, isBackward: Bool)
    ) {
        guard let order = FieldOrder(prepared.picture) else { return }
        let startsLate = state.startsWithSecondField || time.isBackward
        state.startsWithSecondField = false
        let (now, next) =
            startsLate ? (order.second, order.first) : (order.first, order.second)
        if prepared.field != now {
            prepared.field = now
            prepared.rendered = nil
        }
        state.nextField = NextField(picture: prepared.picture, field: next, time: time.host)
    }

    /// The clock has stopped: what is on the screen stays.
    func holdField() { state.update { $0.nextField?.time = nil } }

    /// The clock runs again, or for the first time.
    func scheduleField() {
        guard let fieldTime, let picture = state.withLock({ $0.nextField?.picture }) else { return }
        let time = fieldTime(picture)
        state.update { state in
            if state.nextField?.picture === picture { state.nextField?.time = time.host }
        }
    }

    /// The number of the field on the screen, counted from the first of picture 0, if each had two; nil for a picture that is
    /// shown whole.
    func fieldNumber(rank: Int) -> Int? {
        state.withLock { state in
            guard let shown = state.shown, let field = shown.field,
                let order = FieldOrder(shown.picture)
            else { return nil }
            return rank * 2 + (field == order.second ? 1 : 0)
        }
    }

    /// Shows the other field of the picture on the screen.
    func showOtherField() {
        state.update { state in
            guard state.due == nil, var shown = state.shown, let field = shown.field else { return }
            shown.field = field == .top ? .bottom : .top
            shown.rendered = nil
            shown.isRedrawn = true
            state.due = shown
            state.nextField = nil
        }
    }

    /// Has the next picture begin with its second field.
    func startWithSecondField(_ starts: Bool) { state.update { $0.startsWithSecondField = starts } }
}
