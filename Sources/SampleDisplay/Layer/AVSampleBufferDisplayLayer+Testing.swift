package import MediaTime

// What tests need under a simulated clock.
extension AVSampleBufferDisplayLayer {
    /// Waits until nothing is left to do at the time it is now.
    package func waitUntilIdle() { engine.waitUntilIdle() }

    /// Waits until there is nothing to show: also while the decoder is held up.
    package func waitUntilDisplayIdle() { engine.waitUntilIdle(displayOnly: true) }

    /// Has both threads look again: for a sink that blocks, with which there is no idleness to wait for.
    package func reevaluate() { engine.poke() }

    /// Counts what happens inside: as long as it stays, the threads sleep.
    package var changeCount: UInt64 { engine.monitor.withLock { $0.generation } }

    /// The times of what is decoded and not shown, ascending.
    package var waitingTimes: [CMTime] {
        engine.monitor.withLock { $0.waiting.entries.map(\.time) }
    }

    /// What holds the queue and the threads, to see it go.
    package var engineObject: AnyObject { engine }
}
