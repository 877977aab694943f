internal import MediaTime

/// Brings the average bit rate to what was asked for: libx264 keeps to a rate from second to second and forgets what
/// it missed before.
struct RateCorrection {
    private var asked = 0
    private var firstNumber = 0
    private var startTime: CMTime?
    private var lastTime: CMTime?
    private var pictureCount = 0
    private var outputCount = 0
    private var outputBits = 0.0

    /// A picture goes in; a rate that changed starts the account anew.
    mutating func append(number: Int, time: CMTime, bitRate: Int) {
        if bitRate != asked {
            self = RateCorrection()
            asked = bitRate
            firstNumber = number
            startTime = time
        }
        lastTime = time
        pictureCount += 1
    }

    /// A picture comes out.
    mutating func take(number: Int, byteCount: Int) {
        guard number >= firstNumber else { return }
        outputCount += 1
        outputBits += Double(byteCount) * 8
    }

    /// By how much the rate for libx264 is to differ from the one asked for.
    ///
    /// What is missing or too much is made up for in two seconds, by not more than a third.
    var factor: Double {
        guard asked > 0, let startTime, let lastTime, pictureCount > 1 else { return 1 }
        let interval = (lastTime - startTime).seconds / Double(pictureCount - 1)
        let elapsed = interval * Double(outputCount)
        guard elapsed > 0.5 else { return 1 }
        let missing = Double(asked) * elapsed - outputBits
        return min(max(1 + missing / (2 * Double(asked)), 0.75), 1.33)
    }
}
