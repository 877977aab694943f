import Glibc

/// A value behind a lock, with a condition to wait on: the hand-off between the pipeline's threads.
///
/// `Synchronization.Mutex` has no condition; this is a pthread mutex and condition, timed on
/// `CLOCK_MONOTONIC`, which is also the clock of ``CMClock/hostTimeClock``.
@safe
package final class Monitor<State>: @unchecked Sendable {
    // SAFETY: `state` is touched only with `mutex` held; the primitives live as long as the object.
    private let mutex: UnsafeMutablePointer<pthread_mutex_t>
    private let condition: UnsafeMutablePointer<pthread_cond_t>
    private var state: State

    /// Makes a monitor that holds `state`.
    package init(_ state: State) {
        self.state = state
        unsafe mutex = .allocate(capacity: 1)
        unsafe condition = .allocate(capacity: 1)
        var attributes = pthread_condattr_t()
        unsafe pthread_mutex_init(mutex, nil)
        unsafe pthread_condattr_init(&attributes)
        unsafe pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
        unsafe pthread_cond_init(condition, &attributes)
        unsafe pthread_condattr_destroy(&attributes)
    }

    deinit {
        unsafe pthread_cond_destroy(condition)
        unsafe pthread_mutex_destroy(mutex)
        unsafe condition.deallocate()
        unsafe mutex.deallocate()
    }

    /// Runs `body` alone with the value.
    package func withLock<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        return try body(&state)
    }

    /// Runs `body` alone with the value, then wakes every waiter.
    @discardableResult
    package func update<R, E: Error>(_ body: (inout State) throws(E) -> R) throws(E) -> R {
        unsafe pthread_mutex_lock(mutex)
        defer {
            unsafe pthread_cond_broadcast(condition)
            unsafe pthread_mutex_unlock(mutex)
        }
        return try body(&state)
    }

    /// Waits until `body` gives a value; it is asked once at the start and after every ``update(_:)``.
    ///
    /// - Parameters:
    ///   - deadline: Nanoseconds of `CLOCK_MONOTONIC` at which to give up; nil waits for ever.
    ///   - body: Gives the value, or nil to wait on; the lock is held.
    /// - Returns: The value, or nil at the deadline.
    package func wait<R>(deadline: UInt64? = nil, _ body: (inout State) -> R?) -> R? {
        unsafe pthread_mutex_lock(mutex)
        defer { unsafe pthread_mutex_unlock(mutex) }
        while true {
            if let result = body(&state) { return result }
            guard let deadline else {
                unsafe pthread_cond_wait(condition, mutex)
                continue
            }
            var time = timespec(
                tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
            if unsafe pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT {
                return body(&state)
            }
        }
    }
}
