/// A picture timing SEI message, without its clock timestamps.
///
/// Source: ITU-T H.264 (08/2021) D.1.3, D.2.3.
public struct PictureTimingSEI: Hashable, Sendable {
    /// `cpb_removal_delay`, where the stream has HRD parameters.
    public let removalDelay: UInt32?
    /// `dpb_output_delay`, where the stream has HRD parameters.
    public let outputDelay: UInt32?
    /// `pic_struct`, 0...15 (9...15 reserved), where the stream has it.
    public let pictureStructure: UInt8?

    /// Parses the payload, emulation prevention removed.
    ///
    /// - Parameters:
    ///   - payload: The bytes of the message.
    ///   - sequenceParameterSet: The active set: the layout depends on it.
    /// - Throws: ``BitstreamError/truncated(bit:needed:)``.
    public init(
        payload: [UInt8], sequenceParameterSet: SequenceParameterSet
    ) throws(BitstreamError) {
        var reader = BitReader(rbsp: payload)
        try self.init(&reader, sequenceParameterSet)
    }

    init(
        _ reader: inout BitReader, _ sequenceParameterSet: SequenceParameterSet
    ) throws(BitstreamError) {
        let vui = sequenceParameterSet.vui
        if let hrd = vui?.nalHRD ?? vui?.vclHRD {
            removalDelay = try reader.readBits(hrd.removalDelayLength)
            outputDelay = try reader.readBits(hrd.outputDelayLength)
        } else {
            removalDelay = nil
            outputDelay = nil
        }
        pictureStructure =
            vui?.isPictureStructurePresent == true ? UInt8(try reader.readBits(4)) : nil
    }

    /// How long the picture is shown, in ticks of half a frame, by table E-6; 2 where the stream does not say.
    public var fieldTicks: Int {
        switch pictureStructure {
        case 1, 2: 1
        case 5, 6: 3
        case 7: 4
        case 8: 6
        default: 2
        }
    }
}
