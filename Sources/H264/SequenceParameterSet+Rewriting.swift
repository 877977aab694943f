extension SequenceParameterSet {
    /// The set as a NAL unit with other words at its beginning and another `timing_info`: everything else, bit by bit, as
    /// it was.
    ///
    /// - Parameters:
    ///   - profileIDC: The profile to name; nil leaves it.
    ///   - constraintFlags: Constraint flags to add.
    ///   - timing: `num_units_in_tick` and `time_scale`, with `fixed_frame_rate_flag` 0; nil leaves timing out. A set
    ///     without video usability information stays without timing.
    /// - Returns: The NAL unit, with emulation prevention.
    package func rewritten(
        profileIDC: UInt8? = nil, constraintFlags: UInt8 = 0,
        timing: (unitsInTick: UInt32, timeScale: UInt32)?
    ) -> [UInt8] {
        var reader = BitReader(nalUnit: bytes)
        var writer = BitWriter()
        func copy(_ count: Int) {
            var left = count
            while left > 0, let bits = try? reader.readBits(min(left, 32)) {
                writer.writeBits(bits, min(left, 32))
                left -= 32
            }
        }
        _ = try? reader.readBits(24)
        writer.writeBits(UInt32(profileIDC ?? self.profileIDC), 8)
        writer.writeBits(UInt32(self.constraintFlags | constraintFlags), 8)
        writer.writeBits(UInt32(levelIDC), 8)
        if let vui, let position = vui.timingFlagPosition {
            copy(position - 24)
            if vui.timing != nil {
                _ = try? reader.readBits(32)
                _ = try? reader.readBits(32)
                _ = try? reader.readBits(2)
            } else {
                _ = try? reader.readBits(1)
            }
            writer.writeFlag(timing != nil)
            if let timing {
                writer.writeBits(timing.unitsInTick, 32)
                writer.writeBits(timing.timeScale, 32)
                writer.writeFlag(false)
            }
        }
        // Up to the stop bit, the last one that is set.
        let payload = EmulationPrevention.remove(from: Array(bytes.dropFirst()))
        let last = payload.lastIndex { $0 != 0 } ?? 0
        let stop = payload.isEmpty ? 0 : last * 8 + 7 - payload[last].trailingZeroBitCount
        copy(stop - reader.bitPosition)
        writer.writeTrailingBits()
        return writer.nalUnit(header: bytes[0])
    }
}
