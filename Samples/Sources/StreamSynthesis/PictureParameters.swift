/// What the writer puts into a picture parameter set: CAVLC, one slice group, no weighted prediction.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.2.
package struct PictureParameters: Hashable, Sendable {
    package var id: Int
    package var sequenceID: Int
    /// `bottom_field_pic_order_in_frame_present_flag`.
    package var hasBottomFieldOrder: Bool
    /// Active references where a slice does not say: the number in each list.
    package var defaultActiveReferences = 1
    package var initialQP = 26

    package init(id: Int = 0, sequence: SequenceParameters) {
        self.id = id
        sequenceID = sequence.id
        hasBottomFieldOrder = !sequence.isFramesOnly
    }

    /// The NAL unit's payload after its header byte.
    package var rbsp: [UInt8] {
        var bits = BitWriter()
        bits.ue(id)
        bits.ue(sequenceID)
        bits.flag(false)  // entropy_coding_mode_flag
        bits.flag(hasBottomFieldOrder)
        bits.ue(0)  // num_slice_groups_minus1
        bits.ue(defaultActiveReferences - 1)
        bits.ue(defaultActiveReferences - 1)
        bits.flag(false)  // weighted_pred_flag
        bits.u(0, bits: 2)  // weighted_bipred_idc
        bits.se(initialQP - 26)
        bits.se(0)  // pic_init_qs_minus26
        bits.se(0)  // chroma_qp_index_offset
        bits.flag(true)  // deblocking_filter_control_present_flag
        bits.flag(false)  // constrained_intra_pred_flag
        bits.flag(false)  // redundant_pic_cnt_present_flag
        return bits.finish()
    }
}
