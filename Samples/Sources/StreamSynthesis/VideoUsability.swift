/// What the writer puts into `vui_parameters()`; what is `nil` is absent.
///
/// Source: ITU-T H.264 (08/2021) E.1.1.
package struct VideoUsability: Hashable, Sendable {
    /// `colour_primaries`, `transfer_characteristics`, `matrix_coefficients`.
    package struct Colour: Hashable, Sendable {
        package var primaries: Int
        package var transfer: Int
        package var matrix: Int
        package init(primaries: Int, transfer: Int, matrix: Int) {
            self.primaries = primaries
            self.transfer = transfer
            self.matrix = matrix
        }
    }

    /// `num_units_in_tick`, `time_scale`, `fixed_frame_rate_flag`; two ticks are a frame.
    package struct Timing: Hashable, Sendable {
        package var unitsInTick: Int
        package var timeScale: Int
        package var isFixed: Bool
        package init(unitsInTick: Int, timeScale: Int, isFixed: Bool = true) {
            self.unitsInTick = unitsInTick
            self.timeScale = timeScale
            self.isFixed = isFixed
        }

        /// So many frames a second, or `frames` in `seconds` seconds.
        package static func rate(_ frames: Int, per seconds: Int = 1) -> Timing {
            Timing(unitsInTick: seconds, timeScale: 2 * frames)
        }
    }

    /// `max_num_reorder_frames`, `max_dec_frame_buffering`.
    package struct Restriction: Hashable, Sendable {
        package var reorderFrames: Int
        package var bufferedFrames: Int
        package init(reorderFrames: Int, bufferedFrames: Int) {
            self.reorderFrames = reorderFrames
            self.bufferedFrames = bufferedFrames
        }
    }

    /// Written as `Extended_SAR`.
    package var sampleAspectRatioWidth: Int?
    package var sampleAspectRatioHeight: Int?
    package var isFullRange: Bool?
    package var colour: Colour?
    package var timing: Timing?
    /// `pic_struct_present_flag`.
    package var hasPictureStructure = false
    package var restriction: Restriction?

    package init() {}

    /// Timing, and pictures that leave in the order they come (or are held for `reorderFrames` others).
    package init(timing: Timing, reorderFrames: Int = 0, bufferedFrames: Int? = nil) {
        self.timing = timing
        restriction = Restriction(
            reorderFrames: reorderFrames, bufferedFrames: bufferedFrames ?? max(1, reorderFrames))
    }

    func write(to bits: inout BitWriter) {
        bits.flag(sampleAspectRatioWidth != nil)
        if let width = sampleAspectRatioWidth {
            bits.u(255, bits: 8)
            bits.u(width, bits: 16)
            bits.u(sampleAspectRatioHeight ?? 1, bits: 16)
        }
        bits.flag(false)  // overscan_info_present_flag
        let hasSignal = isFullRange != nil || colour != nil
        bits.flag(hasSignal)
        if hasSignal {
            bits.u(5, bits: 3)
            bits.flag(isFullRange ?? false)
            bits.flag(colour != nil)
            if let colour {
                bits.u(colour.primaries, bits: 8)
                bits.u(colour.transfer, bits: 8)
                bits.u(colour.matrix, bits: 8)
            }
        }
        bits.flag(false)  // chroma_loc_info_present_flag
        bits.flag(timing != nil)
        if let timing {
            bits.u(timing.unitsInTick, bits: 32)
            bits.u(timing.timeScale, bits: 32)
            bits.flag(timing.isFixed)
        }
        bits.flag(false)  // nal_hrd_parameters_present_flag
        bits.flag(false)  // vcl_hrd_parameters_present_flag
        bits.flag(hasPictureStructure)
        bits.flag(restriction != nil)
        if let restriction {
            bits.flag(true)  // motion_vectors_over_pic_boundaries_flag
            bits.ue(0)  // max_bytes_per_pic_denom
            bits.ue(0)  // max_bits_per_mb_denom
            bits.ue(16)  // log2_max_mv_length_horizontal
            bits.ue(16)  // log2_max_mv_length_vertical
            bits.ue(restriction.reorderFrames)
            bits.ue(restriction.bufferedFrames)
        }
    }
}
