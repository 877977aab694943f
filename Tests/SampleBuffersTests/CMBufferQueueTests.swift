import Dispatch
import MediaTime
import SampleBuffers
import TestSupport
import Testing

@Suite("Buffer queue")
struct CMBufferQueueTests {
    typealias Error = CMBufferQueue.Error

    private func times(_ queue: CMBufferQueue) -> [CMTime] {
        var result: [CMTime] = []
        while let buffer = queue.dequeue() as? CMSampleBuffer {
            result.append(buffer.presentationTimeStamp)
        }
        return result
    }

    private func makeQueue(
        _ handlers: CMBufferQueue.Handlers = .unsortedSampleBuffers, capacity: Int = 0
    ) throws -> CMBufferQueue {
        try CMBufferQueue(capacity: capacity, handlers: handlers)
    }

    @Test func `Q-1 queues sort, or keep the order`() throws {
        let sorted = try makeQueue(.outputPTSSortedSampleBuffers)
        let plain = try makeQueue()
        var equals: [CMSampleBuffer] = []
        for value: Int64 in [3, 1, 2, 1, 5, 4, 1] {
            let buffer = try CMSampleBuffer.one(value)
            if value == 1 { equals.append(buffer) }
            try sorted.enqueue(buffer)
            try plain.enqueue(buffer)
        }
        for expected in equals { #expect(sorted.dequeue() === expected, "stable for equals") }
        #expect(times(sorted) == [2, 3, 4, 5].map { time($0) })
        #expect(times(plain) == [3, 1, 2, 1, 5, 4, 1].map { time($0) })
    }

    @Test func `Q-1 long queues keep their order while they are emptied`() throws {
        let queue = try makeQueue(.outputPTSSortedSampleBuffers)
        var next: Int64 = 0
        var expected: Int64 = 0
        for round in 0..<40 {
            for _ in 0..<10 {
                try queue.enqueue(CMSampleBuffer.one(next))
                next += 1
            }
            for _ in 0..<(round < 20 ? 5 : 14) {
                guard let buffer = queue.dequeue() as? CMSampleBuffer else { continue }
                #expect(buffer.presentationTimeStamp == time(expected))
                expected += 1
            }
            #expect(queue.bufferCount == Int(next - expected))
        }
    }

    @Test func `Q-1 full and ended queues take nothing`() throws {
        let queue = try makeQueue(capacity: 2)
        try queue.enqueue(CMSampleBuffer.one(0))
        try queue.enqueue(CMSampleBuffer.one(1))
        #expect(throws: Error.queueIsFull) { try queue.enqueue(CMSampleBuffer.one(2)) }
        #expect(Error.queueIsFull.status == -12764)
        _ = queue.dequeue()
        try queue.markEndOfData()
        #expect(throws: Error.enqueueAfterEndOfData) { try queue.enqueue(CMSampleBuffer.one(2)) }
        #expect(Error.enqueueAfterEndOfData.status == -12763)
        #expect(queue.containsEndOfData)
        #expect(!queue.isAtEndOfData)
        _ = queue.dequeue()
        #expect(queue.isAtEndOfData)
        try queue.reset()
        #expect(!queue.containsEndOfData)
        try queue.enqueue(CMSampleBuffer.one(3))
        #expect(throws: Error.requiredParameterMissing) { try makeQueue(capacity: -1) }
    }

    @Test func `Q-1 the validation handler decides`() throws {
        let queue = try makeQueue()
        queue.setValidationHandler { (_, buffer) throws(MediaError) in
            if (buffer as? CMSampleBuffer)?.presentationTimeStamp == time(1) {
                throw MediaError(status: -77, "not this one")
            }
        }
        try queue.enqueue(CMSampleBuffer.one(0))
        #expect(throws: MediaError(status: -77, "")) { try queue.enqueue(CMSampleBuffer.one(1)) }
        #expect(queue.bufferCount == 1)
    }

    @Test func `Q-2 times and sizes are had`() throws {
        let queue = try makeQueue()
        #expect(queue.duration == .zero)
        #expect(!queue.minPresentationTimeStamp.isValid)
        #expect(!queue.endPresentationTimeStamp.isValid)
        for (presentation, decode, duration): (Int64, Int64, Int64) in [
            (4, 2, 1), (2, 1, 2), (7, 3, 1), (6, 4, 5),
        ] {
            try queue.enqueue(
                CMSampleBuffer(
                    dataBuffer: makeBlockBuffer([1, 2, 3]), formatDescription: nil, numSamples: 1,
                    sampleTimings: [timing(presentation, decode, duration)], sampleSizes: []))
        }
        #expect(queue.duration == time(9))
        #expect(queue.minPresentationTimeStamp == time(2))
        #expect(queue.firstPresentationTimeStamp == time(4))
        #expect(queue.maxPresentationTimeStamp == time(7))
        #expect(queue.endPresentationTimeStamp == time(11))
        #expect(queue.minDecodeTimeStamp == time(1))
        #expect(queue.firstDecodeTimeStamp == time(2))
        #expect(queue.totalSize == 12)
        let mute = try makeQueue(CMBufferQueue.Handlers { _ in })
        try mute.enqueue(CMSampleBuffer.one(0))
        #expect(!mute.duration.isValid)
        #expect(!mute.minPresentationTimeStamp.isValid)
        #expect(!mute.firstDecodeTimeStamp.isValid)
        #expect(mute.totalSize == 0)
    }

    private func makePending() throws -> CMSampleBuffer {
        try CMSampleBuffer(
            dataBuffer: makeBlockBuffer([1]), dataReady: false, formatDescription: nil,
            numSamples: 1, sampleTimings: [timing(0)], sampleSizes: [], optionalHandler: nil)
    }

    @Test func `Q-3 a head that is not ready stays`() throws {
        let queue = try makeQueue()
        let pending = try makePending()
        try queue.enqueue(pending)
        try queue.enqueue(CMSampleBuffer.one(1))
        #expect(queue.dequeueIfDataReady() == nil)
        #expect(queue.head === pending)
        try pending.setDataReadiness(.ready)
        #expect(queue.dequeueIfDataReady() === pending)
        #expect(queue.dequeueIfDataReady() != nil)
        #expect(queue.dequeueIfDataReady() == nil)
        try queue.enqueue(makePending())
        #expect(queue.dequeue() != nil, "dequeue does not ask")
    }

    @Test func `Q-4 triggers fire when a condition becomes true`() throws {
        let queue = try makeQueue()
        let fired = Recorder<String>()
        func install(_ name: String, _ condition: CMBufferQueue.TriggerCondition) throws {
            try queue.installTrigger(condition: condition) { _ in fired.record(name) }
        }
        try install("count < 2", .whenBufferCountBecomesLessThan(2))
        #expect(fired.values == ["count < 2"], "at once, as it holds")
        try install("count > 1", .whenBufferCountBecomesGreaterThan(1))
        try install("duration > 2", .whenDurationBecomesGreaterThan(time(2)))
        try install("duration >= 2", .whenDurationBecomesGreaterThanOrEqualTo(time(2)))
        try install("end", .whenEndOfDataReached)
        #expect(fired.count == 1)
        try queue.enqueue(CMSampleBuffer.one(0))
        #expect(fired.count == 1)
        try queue.enqueue(CMSampleBuffer.one(1))
        #expect(fired.values.dropFirst() == ["count > 1", "duration >= 2"], "inside the call")
        try queue.enqueue(CMSampleBuffer.one(2))
        #expect(fired.values.last == "duration > 2")
        #expect(fired.count == 4, "not again while true")
        _ = queue.dequeue()
        _ = queue.dequeue()
        #expect(fired.values.last == "count < 2")
        try queue.markEndOfData()
        #expect(fired.values.last == "count < 2")
        _ = queue.dequeue()
        #expect(fired.values.last == "end")
        try install("end again", .whenEndOfDataReached)
        #expect(fired.values.last == "end again")
    }

    @Test func `Q-4 durations can fall, and time stamps change`() throws {
        let queue = try makeQueue()
        let fired = Recorder<String>()
        for value: Int64 in [5, 6, 7] { try queue.enqueue(CMSampleBuffer.one(value)) }
        try queue.installTrigger(condition: .whenDurationBecomesLessThan(time(2))) { _ in
            fired.record("< 2")
        }
        try queue.installTrigger(condition: .whenDurationBecomesLessThanOrEqualTo(time(2))) { _ in
            fired.record("<= 2")
        }
        try queue.installTrigger(condition: .whenMinPresentationTimeStampChanges) { _ in
            fired.record("min")
        }
        try queue.installTrigger(condition: .whenMaxPresentationTimeStampChanges) { _ in
            fired.record("max")
        }
        #expect(fired.values == [])
        _ = queue.dequeue()
        #expect(fired.values == ["<= 2", "min"])
        try queue.enqueue(CMSampleBuffer.one(9))
        #expect(fired.values == ["<= 2", "min", "max"])
        _ = queue.dequeue()
        _ = queue.dequeue()
        #expect(fired.values.filter { $0 == "< 2" }.count == 1)
    }

    @Test func `Q-4 readiness and resets are told`() throws {
        let queue = try makeQueue()
        let fired = Recorder<String>()
        let ready = try queue.installTrigger(condition: .whenDataBecomesReady) { _ in
            fired.record("ready")
        }
        try queue.installTrigger(condition: .whenReset) { _ in fired.record("reset") }
        let pending = try makePending()
        try queue.enqueue(pending)
        #expect(fired.values == [])
        #expect(!queue.testTrigger(ready))
        try pending.setDataReadiness(.ready)
        #expect(fired.values == ["ready"])
        #expect(queue.testTrigger(ready))
        try queue.reset()
        #expect(fired.values == ["ready", "reset"])
        try queue.enqueue(CMSampleBuffer.one(0))
        #expect(fired.values == ["ready", "reset", "ready"], "triggers stay")
        let removed = Recorder<Int64>()
        try queue.enqueue(CMSampleBuffer.one(1))
        try queue.reset { (buffer) throws(MediaError) in
            removed.record((buffer as? CMSampleBuffer)?.presentationTimeStamp.value ?? -1)
        }
        #expect(removed.values == [0, 1])
        #expect(queue.isEmpty)
    }

    @Test func `Q-4 a trigger cannot change its queue`() throws {
        let queue = try makeQueue()
        let errors = Recorder<MediaError?>()
        let dequeued = Recorder<Bool>()
        let extra = try CMSampleBuffer.one(5)
        try queue.installTrigger(condition: .whenBufferCountBecomesGreaterThan(0)) {
            [unowned queue] _ in
            let calls: [() throws -> Void] = [
                { try queue.enqueue(extra) }, { try queue.reset() }, { try queue.markEndOfData() },
            ]
            for call in calls {
                do {
                    try call()
                    errors.record(nil)
                } catch {
                    errors.record(error as? MediaError)
                }
            }
            dequeued.record(queue.dequeue() != nil || queue.dequeueIfDataReady() != nil)
            dequeued.record(queue.bufferCount != 1)
        }
        try queue.enqueue(CMSampleBuffer.one(0))
        let expected = Error.cannotModifyQueueFromTriggerCallback
        #expect(errors.values == [expected, expected, expected])
        #expect(dequeued.values == [false, false])
        #expect(expected.status == -12766)
        #expect(queue.bufferCount == 1)
    }

    @Test func `Q-4 bad triggers and tokens are refused`() throws {
        let queue = try makeQueue()
        #expect(throws: Error.badTriggerDuration) {
            try queue.installTrigger(condition: .whenDurationBecomesLessThan(.invalid))
        }
        #expect(throws: Error.invalidTriggerCondition) {
            try queue.installTrigger(condition: .whenBufferCountBecomesLessThan(-1))
        }
        let token = try queue.installTrigger(condition: .whenBufferCountBecomesLessThan(1))
        #expect(queue.testTrigger(token))
        try queue.removeTrigger(token)
        #expect(!queue.testTrigger(token))
        #expect(throws: Error.invalidTriggerToken) { try queue.removeTrigger(token) }
        #expect(Error.badTriggerDuration.status == -12765)
        #expect(Error.invalidTriggerToken.status == -12768)
    }

    @Test func `Q-5 a trigger without a body is only tested`() throws {
        let queue = try makeQueue()
        let token = try queue.installTrigger(condition: .whenBufferCountBecomesGreaterThan(0))
        #expect(!queue.testTrigger(token))
        try queue.enqueue(CMSampleBuffer.one(0))
        #expect(queue.testTrigger(token))
    }

    @Test(.timeLimit(.minutes(Checkout.patience(5))))
    func `a queue serves several threads`() throws {
        let queue = try makeQueue(.outputPTSSortedSampleBuffers)
        let taken = Recorder<Int64>()
        let fired = Recorder<Int>()
        try queue.installTrigger(condition: .whenBufferCountBecomesGreaterThan(2)) {
            [unowned queue] _ in
            fired.record(queue.bufferCount)
        }
        DispatchQueue.concurrentPerform(iterations: 4) { thread in
            for index in 0..<250 {
                try? queue.enqueue(CMSampleBuffer.one(Int64(index * 4 + thread)))
                if index % 2 == 1, let buffer = queue.dequeue() as? CMSampleBuffer {
                    taken.record(buffer.presentationTimeStamp.value)
                }
            }
        }
        #expect(taken.count + queue.bufferCount == 1000)
        let rest = times(queue).map(\.value)
        #expect(rest == rest.sorted())
        #expect(Set(rest + taken.values).count == 1000)
        #expect(fired.values.allSatisfy { $0 > 2 })
    }
}
