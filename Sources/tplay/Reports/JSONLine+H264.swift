import H264

/// The main fields of parameter sets, SEI messages and slice headers, under the standard's names (7.3).
extension JSONLine {
    mutating func fields(of sps: SequenceParameterSet) {
        field("profile_idc", sps.profileIDC)
        field("constraint_set_flags", sps.constraintFlags)
        field("level_idc", sps.levelIDC)
        field("seq_parameter_set_id", sps.id)
        field("chroma_format_idc", sps.chromaFormatIDC)
        field("bit_depth_luma_minus8", sps.bitDepthLuma - 8)
        field("bit_depth_chroma_minus8", sps.bitDepthChroma - 8)
        field("log2_max_frame_num_minus4", sps.frameNumBitCount - 4)
        field("pic_order_cnt_type", sps.pictureOrderCountType.number)
        field("max_num_ref_frames", sps.maximumReferenceFrames)
        field("gaps_in_frame_num_value_allowed_flag", sps.isFrameNumGapAllowed ? 1 : 0)
        field("pic_width_in_mbs_minus1", sps.widthInMacroblocks - 1)
        field("pic_height_in_map_units_minus1", sps.heightInMapUnits - 1)
        field("frame_mbs_only_flag", sps.isFrameMacroblocksOnly ? 1 : 0)
        field("mb_adaptive_frame_field_flag", sps.isMacroblockAdaptiveFrameField ? 1 : 0)
        field("frame_crop_left_offset", sps.cropOffsets.left)
        field("frame_crop_right_offset", sps.cropOffsets.right)
        field("frame_crop_top_offset", sps.cropOffsets.top)
        field("frame_crop_bottom_offset", sps.cropOffsets.bottom)
        field("vui_parameters_present_flag", sps.vui == nil ? 0 : 1)
        if let vui = sps.vui { fields(of: vui) }
    }

    private mutating func fields(of vui: VideoUsabilityInformation) {
        if let value = vui.aspectRatioIDC { field("aspect_ratio_idc", value) }
        if let ratio = vui.sampleAspectRatio {
            field("sar_width", ratio.width)
            field("sar_height", ratio.height)
        }
        if let value = vui.isFullRange { field("video_full_range_flag", value ? 1 : 0) }
        if let value = vui.colourPrimaries { field("colour_primaries", value) }
        if let value = vui.transferCharacteristics { field("transfer_characteristics", value) }
        if let value = vui.matrixCoefficients { field("matrix_coefficients", value) }
        if let timing = vui.timing {
            field("num_units_in_tick", timing.unitsInTick)
            field("time_scale", timing.timeScale)
            field("fixed_frame_rate_flag", timing.isFixedFrameRate ? 1 : 0)
        }
        field("pic_struct_present_flag", vui.isPictureStructurePresent ? 1 : 0)
        if let restriction = vui.bitstreamRestriction {
            field("max_num_reorder_frames", restriction.maximumReorderFrames)
            field("max_dec_frame_buffering", restriction.maximumDecodedFrameBuffering)
        }
    }

    mutating func fields(of pps: PictureParameterSet) {
        field("pic_parameter_set_id", pps.id)
        field("seq_parameter_set_id", pps.sequenceParameterSet.id)
        field("entropy_coding_mode_flag", pps.isCABAC ? 1 : 0)
        field("num_slice_groups_minus1", pps.sliceGroupCount - 1)
        field("num_ref_idx_l0_default_active_minus1", pps.defaultReferenceCount0 - 1)
        field("num_ref_idx_l1_default_active_minus1", pps.defaultReferenceCount1 - 1)
        field("weighted_pred_flag", pps.isWeightedPrediction ? 1 : 0)
        field("weighted_bipred_idc", pps.weightedBipredictionIDC)
        field("pic_init_qp_minus26", pps.initialQP - 26)
        field("chroma_qp_index_offset", pps.chromaQPIndexOffset)
        field(
            "deblocking_filter_control_present_flag", pps.isDeblockingFilterControlPresent ? 1 : 0)
        field("constrained_intra_pred_flag", pps.isConstrainedIntraPrediction ? 1 : 0)
        field("redundant_pic_cnt_present_flag", pps.isRedundantPictureCountPresent ? 1 : 0)
        field("transform_8x8_mode_flag", pps.isTransform8x8Mode ? 1 : 0)
    }

    mutating func fields(of messages: [SEIMessage], _ parameterSets: ParameterSets) {
        field("payload_types", messages.lazy.map(\.payloadType))
        field("payload_sizes", messages.lazy.map(\.payload.count))
        for message in messages {
            if case .recoveryPoint(let point) = message.content {
                field("recovery_frame_cnt", point.recoveryFrameCount)
                field("exact_match_flag", point.isExactMatch ? 1 : 0)
                field("broken_link_flag", point.isBrokenLink ? 1 : 0)
            }
        }
    }

    mutating func fields(of slice: SliceHeader) {
        field("first_mb_in_slice", slice.firstMacroblock)
        field("slice_type", slice.sliceType.name)
        field("pic_parameter_set_id", slice.pictureParameterSet.id)
        field("frame_num", slice.frameNum)
        field("field_pic_flag", slice.isField ? 1 : 0)
        field("bottom_field_flag", slice.isBottomField ? 1 : 0)
        if slice.isIDR { field("idr_pic_id", slice.idrPictureID) }
        switch slice.sequenceParameterSet.pictureOrderCountType.number {
        case 0:
            field("pic_order_cnt_lsb", slice.pictureOrderCountLSB)
            field("delta_pic_order_cnt_bottom", slice.deltaPictureOrderCountBottom)
        case 1:
            field(
                "delta_pic_order_cnt",
                [slice.deltaPictureOrderCount0, slice.deltaPictureOrderCount1])
        default: break
        }
        field("redundant_pic_cnt", slice.redundantPictureCount)
        if !slice.sliceType.isIntra {
            field("num_ref_idx_l0_active_minus1", slice.referenceCount0 - 1)
        }
        if slice.sliceType == .b {
            field("num_ref_idx_l1_active_minus1", slice.referenceCount1 - 1)
        }
        if slice.referenceMarking?.hasUnmarkAll ?? false {
            field("memory_management_control_operation", [5])
        }
        field("slice_qp", slice.qp)
    }
}
