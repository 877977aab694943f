/// First in, first out, without moving what is inside at each step.
struct SampleFIFO: Sendable {
    private var storage: [QueuedSample?] = []
    private var head = 0

    var count: Int { storage.count - head }
    var isEmpty: Bool { count == 0 }
    var first: QueuedSample? { head < storage.count ? storage[head] : nil }

    mutating func append(_ sample: QueuedSample) { storage.append(sample) }

    mutating func removeFirst() -> QueuedSample? {
        guard head < storage.count, let sample = storage[head] else { return nil }
        storage[head] = nil
        head += 1
        if head == storage.count || head >= 64 && head * 2 >= storage.count {
            storage.removeFirst(head)
            head = 0
        }
        return sample
    }

    mutating func removeAll() {
        storage.removeAll(keepingCapacity: true)
        head = 0
    }
}
