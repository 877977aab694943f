import Dispatch
import Foundation
import Glibc
import MediaTime
import Testing

@Suite("CMClock")
struct CMClockTests {
    @Test func `K-1 the host clock is one monotonic clock in nanoseconds that does not end`() throws
    {
        let clock = CMClock.hostTimeClock
        #expect(clock === CMClock.hostTimeClock)
        func system() -> Int64 {
            var now = timespec()
            clock_gettime(CLOCK_MONOTONIC, &now)
            return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
        }
        var last = system()
        for _ in 0..<1000 {
            let time = clock.time
            #expect(time.timescale == 1_000_000_000 && time.epoch == 0)
            #expect(time.value >= last)
            last = time.value
        }
        #expect(last <= system())
        clock.invalidate()
        #expect(clock.time.isNumeric)
        let anchor = try clock.anchorTime()
        #expect(anchor.anchorTime == anchor.referenceTime)
        // The clock of dispatch's deadlines is this one: nothing converts between them.
        let before = clock.time.value
        let dispatch = Int64(DispatchTime.now().uptimeNanoseconds)
        #expect(before <= dispatch && dispatch <= clock.time.value)
    }

    @Test func `K-1 system units are nanoseconds`() {
        #expect(CMClock.convertHostTimeToSystemUnits(time(3, 2)) == 1_500_000_000)
        #expect(CMClock.convertSystemUnitsToHostTime(1_500_000_000) == time(3, 2))
        #expect(CMClock.convertSystemUnitsToHostTime(5).timescale == 1_000_000_000)
        #expect(CMClock.convertHostTimeToSystemUnits(.invalid) == 0)
        #expect(CMClock.convertHostTimeToSystemUnits(time(-1, 1)) == 0)
        #expect(CMClock.convertSystemUnitsToHostTime(.max).seconds == 18_446_744_073.709_551)
    }

    @Test func `a simulated clock goes when it is told, and ends`() throws {
        let clock = CMClock.simulated(start: time(5, 1))
        #expect(clock.time == time(5, 1))
        clock.advance(by: time(1, 3))
        #expect(clock.time.value == 5_333_333_334)
        clock.advance(to: time(7, 1))
        #expect(clock.time == time(7, 1))
        #expect(try clock.anchorTime().anchorTime == time(7, 1))
        let timebase = try CMTimebase(sourceClock: clock)
        try timebase.setRate(1)
        clock.invalidate()
        #expect(!clock.time.isValid)
        clock.advance(by: time(1, 1))
        #expect(timebase.time == .zero)
        #expect(throws: CMClock.Error.unsupportedOperation) { try clock.anchorTime() }
    }

    @Test func `a simulated clock that is told nonsense traps`() async {
        await #expect(processExitsWith: .failure) {
            CMClock.simulated(start: time(5, 1)).advance(to: time(4, 1))
        }
        await #expect(processExitsWith: .failure) { CMClock.hostTimeClock.advance(by: time(1, 1)) }
        await #expect(processExitsWith: .failure) { _ = CMClock.simulated(start: .indefinite) }
    }

    @Test func `errors have Apple's numbers and domain`() {
        let errors = [
            CMClock.Error.missingRequiredParameter, CMClock.Error.invalidParameter,
            CMClock.Error.allocationFailed, CMTimebase.Error.missingRequiredParameter,
            CMTimebase.Error.invalidParameter, CMTimebase.Error.allocationFailed,
            CMTimebase.Error.timerIntervalTooShort, CMSyncError.missingRequiredParameter,
            CMSyncError.invalidParameter, CMSyncError.allocationFailed,
            CMSyncError.rateMustBeNonZero, CMClock.Error.unsupportedOperation,
            CMTimebase.Error.readOnly,
        ]
        #expect(errors.map(\.status) == Array(-12757 ... -12745).reversed())
        let error = CMTimebase.Error.readOnly as NSError
        #expect(error.domain == "NSOSStatusErrorDomain" && error.code == -12757)
        #expect(MediaError(status: -12757, "in other words") == CMTimebase.Error.readOnly)
        #expect(MediaError(status: -12757, "").hashValue == CMTimebase.Error.readOnly.hashValue)
        #expect("\(CMTimebase.Error.readOnly)" == "the timebase is read-only (-12757)")
    }
}
