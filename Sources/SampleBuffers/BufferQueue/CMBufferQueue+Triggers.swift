public import MediaTime
import Synchronization

extension CMBufferQueue {
    /// When a trigger fires: the moment a condition becomes true.
    public enum TriggerCondition: Hashable, Sendable {
        /// The sum of durations falls below a time.
        case whenDurationBecomesLessThan(CMTime)
        /// The sum of durations falls to a time or below.
        case whenDurationBecomesLessThanOrEqualTo(CMTime)
        /// The sum of durations rises above a time.
        case whenDurationBecomesGreaterThan(CMTime)
        /// The sum of durations rises to a time or above.
        case whenDurationBecomesGreaterThanOrEqualTo(CMTime)
        /// The earliest presentation time stamp is another.
        case whenMinPresentationTimeStampChanges
        /// The latest presentation time stamp is another.
        case whenMaxPresentationTimeStampChanges
        /// The head's data can be used.
        case whenDataBecomesReady
        /// The end of data was marked, and the queue is empty.
        case whenEndOfDataReached
        /// The queue was reset.
        case whenReset
        /// The number of buffers falls below a count.
        case whenBufferCountBecomesLessThan(CMItemCount)
        /// The number of buffers rises above a count.
        case whenBufferCountBecomesGreaterThan(CMItemCount)
    }

    /// Stands for an installed trigger.
    public struct TriggerToken: Hashable, Sendable {
        let id: Int
    }

    struct Trigger {
        let token: TriggerToken
        let condition: TriggerCondition
        let body: (@Sendable (TriggerToken) -> Void)?
        var wasTrue = false
        var lastTime = CMTime.invalid
    }

    /// Adds a trigger.
    ///
    /// - Parameters:
    ///   - condition: When to fire; at once if it already holds.
    ///   - body: Called inside the call that made the condition true. It must not change the queue, and not own it:
    ///     the queue keeps it. Nil for a trigger
    ///     that is only tested.
    /// - Returns: The trigger's token.
    /// - Throws: ``Error/badTriggerDuration``, ``Error/invalidTriggerCondition`` for a negative count, or
    ///   ``Error/cannotModifyQueueFromTriggerCallback``.
    @discardableResult
    public func installTrigger(
        condition: TriggerCondition, _ body: (@Sendable (TriggerToken) -> Void)? = nil
    ) throws(MediaError) -> TriggerToken {
        switch condition {
        case .whenDurationBecomesLessThan(let time),
            .whenDurationBecomesLessThanOrEqualTo(let time),
            .whenDurationBecomesGreaterThan(let time),
            .whenDurationBecomesGreaterThanOrEqualTo(let time):
            guard time.isNumeric else { throw Error.badTriggerDuration }
        case .whenBufferCountBecomesLessThan(let count),
            .whenBufferCountBecomesGreaterThan(let count):
            guard count >= 0 else {
                throw Error.invalidTriggerCondition.saying("a count of \(count)")
            }
        default: break
        }
        return try change { () throws(MediaError) -> TriggerToken in
            state.withLock { state in
                let token = TriggerToken(id: state.nextTriggerID)
                state.nextTriggerID += 1
                var trigger = Trigger(token: token, condition: condition, body: body)
                switch condition {
                case .whenMinPresentationTimeStampChanges:
                    trigger.lastTime = state.minPresentationTimeStamp
                case .whenMaxPresentationTimeStampChanges:
                    trigger.lastTime = state.maxPresentationTimeStamp
                default: break
                }
                state.triggers.append(trigger)
                return token
            }
        }
    }

    /// Removes a trigger; also from within its own body.
    ///
    /// - Parameter triggerToken: The trigger.
    /// - Throws: ``Error/invalidTriggerToken``.
    public func removeTrigger(_ triggerToken: TriggerToken) throws(MediaError) {
        let isFound = state.withLock { state -> Bool in
            guard let index = state.triggers.firstIndex(where: { $0.token == triggerToken }) else {
                return false
            }
            state.triggers.remove(at: index)
            return true
        }
        guard isFound else { throw Error.invalidTriggerToken }
    }

    /// Whether a trigger's condition holds now; false for changes and resets, which are moments, and for an unknown
    /// token.
    ///
    /// - Parameter triggerToken: The trigger.
    /// - Returns: Whether it holds.
    public func testTrigger(_ triggerToken: TriggerToken) -> Bool {
        let isHeadReady = self.isHeadReady
        return state.withLock { state in
            guard let trigger = state.triggers.first(where: { $0.token == triggerToken }) else {
                return false
            }
            return state.holds(trigger.condition, isHeadReady: isHeadReady)
        }
    }

    /// Whether there is a buffer and its data can be used.
    var isHeadReady: Bool {
        guard let head else { return false }
        return handlers.isDataReady?(head) ?? true
    }

    /// Fires the triggers whose conditions became true.
    ///
    /// The caller holds the right to change the queue.
    func fireTriggers() {
        let isHeadReady = state.withLock { $0.triggers.isEmpty } ? false : self.isHeadReady
        let due = state.withLock { state -> [Trigger] in
            state.needsEvaluation = false
            let isReset = state.wasReset
            state.wasReset = false
            // By index: the conditions read the state that the triggers are part of.
            var due: [Trigger] = []
            for index in state.triggers.indices {
                let condition = state.triggers[index].condition
                switch condition {
                case .whenMinPresentationTimeStampChanges, .whenMaxPresentationTimeStampChanges:
                    let time =
                        condition == .whenMinPresentationTimeStampChanges
                        ? state.minPresentationTimeStamp : state.maxPresentationTimeStamp
                    if time != state.triggers[index].lastTime {
                        state.triggers[index].lastTime = time
                        due.append(state.triggers[index])
                    }
                case .whenReset:
                    if isReset { due.append(state.triggers[index]) }
                default:
                    let holds = state.holds(condition, isHeadReady: isHeadReady)
                    if holds, !state.triggers[index].wasTrue { due.append(state.triggers[index]) }
                    state.triggers[index].wasTrue = holds
                }
            }
            return due
        }
        for trigger in due { trigger.body?(trigger.token) }
    }
}

extension CMBufferQueue.State {
    func holds(_ condition: CMBufferQueue.TriggerCondition, isHeadReady: Bool) -> Bool {
        switch condition {
        case .whenDurationBecomesLessThan(let time): duration < time
        case .whenDurationBecomesLessThanOrEqualTo(let time): duration <= time
        case .whenDurationBecomesGreaterThan(let time): duration > time
        case .whenDurationBecomesGreaterThanOrEqualTo(let time): duration >= time
        case .whenDataBecomesReady: isHeadReady
        case .whenEndOfDataReached: isEndOfDataMarked && count == 0
        case .whenBufferCountBecomesLessThan(let count): self.count < count
        case .whenBufferCountBecomesGreaterThan(let count): self.count > count
        case .whenMinPresentationTimeStampChanges, .whenMaxPresentationTimeStampChanges, .whenReset:
            false
        }
    }
}
