/// Memory for trivial elements that a hot loop works in, without the checks an array makes.
final class ScratchMemory<Element: BitwiseCopyable> {
    private(set) var start: UnsafeMutablePointer<Element>
    private(set) var capacity: Int

    init(capacity: Int) {
        self.capacity = max(capacity, 1)
        start = .allocate(capacity: self.capacity)
    }

    deinit { start.deallocate() }

    /// Makes room for so many elements, keeping the first `count`.
    @inline(__always)
    func reserve(_ wanted: Int, keeping count: Int = 0) {
        if wanted > capacity { grow(wanted, keeping: count) }
    }

    @inline(never)
    private func grow(_ wanted: Int, keeping count: Int) {
        let larger = UnsafeMutablePointer<Element>.allocate(capacity: wanted * 3 / 2)
        larger.update(from: start, count: count)
        start.deallocate()
        start = larger
        capacity = wanted * 3 / 2
    }
}
