import MediaTime
import SampleDisplay
import TerminalGraphics

/// What the link to the terminal has to say in what is shown.
extension Screen.State {
    /// A picture's bytes take no longer than this, whatever time there is until the next: keys wait for them.
    private static let longestPicture: Int64 = 100_000_000

    /// The bytes that a picture may have.
    var allowance: Double { meter.allowance(for: min(period, Self.longestPicture) * 17 / 20) }

    /// The bytes that a piece of a completion may have.
    var pieceAllowance: Double { meter.allowance(for: Self.longestPicture) }

    /// How long a picture stands still before it is completed; not at all while the link is found out.
    ///
    /// Where nothing was left out, and all that changes is what only an eye on a still picture sees, an image waits longer:
    /// it is sent whole again, and slow motion is no standstill.
    func stillTime(of completion: Screen.Completion) -> Int64 {
        guard shownDetail.still == completion.detail else {
            return meter.isStarting ? 0 : Self.longestPicture
        }
        return (drawing?.kind?.isImage ?? false) ? Self.longestPicture * 4 : Self.longestPicture
    }

    /// Takes note of the time that there is for a picture.
    mutating func notePresentation(of picture: DisplayedPicture, at now: Int64) {
        defer { presentedAt = now }
        guard presentedAt > 0 else {
            let duration = picture.duration
            if duration.isNumeric, duration > .zero {
                period = Int64(min(max(duration.seconds, 0.005), 1) * 1e9)
            }
            return
        }
        let gap = min(max(now - presentedAt, 5_000_000), 1_000_000_000)
        period = (period * 3 + gap) / 4
    }

    /// Begins anew where another way of drawing has other ways to leave something out.
    mutating func configurePolicy(_ new: Drawing) {
        if let roundTrip = new.roundTrip { meter.note(roundTrip: roundTrip.nanoseconds) }
        guard new.ladder.count > 1 else {
            policy = nil
            return
        }
        if policy?.ladder == new.ladder, drawing?.renderer.area == new.renderer.area { return }
        let cell = new.renderer.cellSize
        policy = DetailPolicy(
            ladder: new.ladder,
            cellCount: new.renderer.area.columns * new.renderer.area.rows,
            cellPixels: cell.width * cell.height)
        if !meter.isStarting { settle() }
    }

    /// Chooses the detail anew, by what is known of the link.
    mutating func settle() {
        let allowance = allowance
        policy?.settle(allowance: allowance, at: CMClock.hostNanoseconds)
    }

    /// How a picture drawn with `detail` may be sent.
    func limit(
        _ attempts: inout Range<Int>, _ allowance: inout Double, _ hardLimit: inout Double,
        _ detail: PictureDetail, at now: Int64
    ) {
        guard let policy else { return }
        allowance = self.allowance
        attempts = policy.attempts(for: detail, allowance: allowance, at: now)
        // The last way there is goes out whatever it costs.
        if attempts.upperBound < policy.ladder.count {
            hardLimit = meter.allowance(for: Self.longestPicture * 2)
        }
    }

    /// Takes note of an answer.
    mutating func note(_ answer: Screen.Answer) {
        let wasStarting = meter.isStarting
        meter.answered(upTo: answer.byteCount, at: answer.time, period: period)
        if wasStarting { settle() }
    }

    /// Takes note of what became of a frame.
    mutating func note(_ delivery: ScreenDelivery, due: Screen.Prepared?, completes: Bool) {
        isWriting = false
        let limit = allowance
        // An answer to an earlier question goes before this write, one to its own behind it.
        if let answer, answer.byteCount <= delivery.total - Int64(delivery.byteCount) {
            note(answer)
            self.answer = nil
        }
        if !delivery.isRefused {
            meter.wrote(
                delivery.byteCount, total: delivery.total, from: delivery.begin, to: delivery.end,
                waited: delivery.waited, asks: delivery.asks, period: period)
        }
        if let answer {
            note(answer)
            self.answer = nil
        }
        if completes {
            noteCompleted(delivery)
        } else if let due, delivery.isRefused {
            refuse(due, delivery, limit)
        } else if let due {
            let step = delivery.tolerance
            policy?.sent(
                at: step, byteCount: delivery.byteCount, allowance: limit, now: delivery.end)
            shown = due
            noteShown(policy.map { $0.ladder[step] } ?? .exact, due)
        }
    }

    /// A picture is on the screen; what it lacks is to come once it stands still.
    private mutating func noteShown(_ detail: PictureDetail, _ due: Screen.Prepared) {
        if shownDetail != detail { isTextStale = true }
        shownDetail = detail
        completion = nil
        guard let drawing, drawing.kind != nil, !drawing.isPlain else { return }
        var wanted = (policy?.ladder.first ?? .exact).still
        // The image only where the link takes it in pieces that no key waits long for.
        if let cells = policy?.ladder.first(where: { $0.isStandIn }) {
            let isKnown = !meter.isStarting && (meter.rate ?? 0) >= 200_000
            if !isKnown { wanted = cells.still }
        }
        completion = Screen.Completion(since: CMClock.hostNanoseconds, detail: wanted)
    }

    private mutating func noteCompleted(_ delivery: ScreenDelivery) {
        guard let done = completion else { return }
        if let next = delivery.nextRow {
            completion?.nextRow = next
            return
        }
        isTextStale = isTextStale || shownDetail.still != done.detail
        shownDetail = done.detail
        completion = nil
        guard let best = policy?.ladder.first, best.still != done.detail,
            (meter.rate ?? 0) >= 200_000
        else { return }
        completion = Screen.Completion(since: CMClock.hostNanoseconds, detail: best.still)
    }

    /// It was too large: it is drawn again with less, unless a newer one is due.
    private mutating func refuse(
        _ picture: Screen.Prepared, _ delivery: ScreenDelivery, _ limit: Double
    ) {
        policy?.refused(
            byteCount: delivery.byteCount, allowance: limit, now: CMClock.hostNanoseconds)
        if due == nil {
            due = picture
            due?.rendered = nil
        } else if !picture.isRedrawn {
            dropped += 1
        }
    }
}
