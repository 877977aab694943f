import MediaTime
import SampleDisplay
import Testing

/// Programmer errors that trap, beside those of the synchronizer's own rules.
@Suite struct TrapTests {
    @Test func `a control timebase that follows the layer traps`() async {
        await #expect(processExitsWith: .failure) {
            let layer = AVSampleBufferDisplayLayer()
            layer.controlTimebase = try CMTimebase(sourceTimebase: layer.timebase)
        }
    }

    @Test func `a rate that is no number traps`() async {
        await #expect(processExitsWith: .failure) {
            AVSampleBufferRenderSynchronizer().rate = .nan
        }
    }

    @Test func `an interval that is not positive traps`() async {
        await #expect(processExitsWith: .failure) {
            _ = AVSampleBufferRenderSynchronizer().addPeriodicTimeObserver(
                forInterval: .zero, queue: nil
            ) { _ in }
        }
    }
}
