import H264

/// A sequence parameter set to be written.
struct SyntheticSPS {
    var profile: UInt32 = 77
    var constraints: UInt32 = 0
    var level: UInt32 = 40
    var id: UInt32 = 0
    var chromaFormat: UInt32 = 1
    var frameNumBits: UInt32 = 4
    var orderType: UInt32 = 0
    var orderBits: UInt32 = 6
    var cycle: (alwaysZero: Bool, nonReference: Int32, topToBottom: Int32, frames: [Int32]) =
        (false, 0, 0, [])
    var referenceFrames: UInt32 = 4
    var gapsAllowed = false
    var width: UInt32 = 4
    var height: UInt32 = 4
    var frameOnly = true
    var mbaff = false
    var crop: (left: UInt32, right: UInt32, top: UInt32, bottom: UInt32)?
    var vui: ((inout BitWriter) -> Void)?

    var nalUnit: [UInt8] {
        var writer = BitWriter()
        writer.writeBits(profile, 8)
        writer.writeBits(constraints, 8)
        writer.writeBits(level, 8)
        writer.writeUE(id)
        if [100, 110, 122, 244, 44].contains(profile) {
            writer.writeUE(chromaFormat)
            if chromaFormat == 3 { writer.writeFlag(false) }
            writer.writeUE(0)
            writer.writeUE(0)
            writer.writeBits(0, 2)
        }
        writer.writeUE(frameNumBits - 4)
        writer.writeUE(orderType)
        if orderType == 0 { writer.writeUE(orderBits - 4) }
        if orderType == 1 {
            writer.writeFlag(cycle.alwaysZero)
            writer.writeSE(cycle.nonReference)
            writer.writeSE(cycle.topToBottom)
            writer.writeUE(UInt32(cycle.frames.count))
            for offset in cycle.frames { writer.writeSE(offset) }
        }
        writer.writeUE(referenceFrames)
        writer.writeFlag(gapsAllowed)
        writer.writeUE(width - 1)
        writer.writeUE(height - 1)
        writer.writeFlag(frameOnly)
        if !frameOnly { writer.writeFlag(mbaff) }
        writer.writeFlag(true)
        writer.writeFlag(crop != nil)
        if let crop {
            for offset in [crop.left, crop.right, crop.top, crop.bottom] { writer.writeUE(offset) }
        }
        writer.writeFlag(vui != nil)
        vui?(&writer)
        writer.writeTrailingBits()
        return writer.nalUnit(header: 0x67)
    }
}

/// A picture parameter set to be written.
struct SyntheticPPS {
    var id: UInt32 = 0
    var sps: UInt32 = 0
    var cabac = false
    var bottomFieldOrder = false
    var redundantCount = false
    var qp: Int32 = 0

    var nalUnit: [UInt8] {
        var writer = BitWriter()
        writer.writeUE(id)
        writer.writeUE(sps)
        writer.writeFlag(cabac)
        writer.writeFlag(bottomFieldOrder)
        writer.writeUE(0)
        writer.writeUE(0)
        writer.writeUE(0)
        writer.writeBits(0, 3)
        writer.writeSE(qp)
        writer.writeSE(0)
        writer.writeSE(0)
        writer.writeBits(0, 2)
        writer.writeFlag(redundantCount)
        writer.writeTrailingBits()
        return writer.nalUnit(header: 0x68)
    }
}

/// A slice to be written, without macroblocks.
struct SyntheticSlice {
    enum Field { case top, bottom }

    var idr = false
    var refIDC: UInt8 = 1
    var firstMacroblock: UInt32 = 0
    var type: UInt32 = 0
    var frameNum: UInt32 = 0
    var field: Field?
    var idrID: UInt32 = 0
    var lsb: UInt32 = 0
    var deltaBottom: Int32 = 0
    var delta0: Int32 = 0
    var redundant: UInt32 = 0
    /// Operations with their operands, in full.
    var operations: [[UInt32]] = []

    func nalUnit(_ sps: SyntheticSPS, _ pps: SyntheticPPS, nalType: UInt8? = nil) -> [UInt8] {
        var writer = BitWriter()
        writer.writeUE(firstMacroblock)
        writer.writeUE(type)
        writer.writeUE(pps.id)
        writer.writeBits(frameNum, Int(sps.frameNumBits))
        if !sps.frameOnly {
            writer.writeFlag(field != nil)
            if let field { writer.writeFlag(field == .bottom) }
        }
        if idr { writer.writeUE(idrID) }
        if sps.orderType == 0 {
            writer.writeBits(lsb, Int(sps.orderBits))
            if pps.bottomFieldOrder && field == nil { writer.writeSE(deltaBottom) }
        }
        if sps.orderType == 1 && !sps.cycle.alwaysZero {
            writer.writeSE(delta0)
            if pps.bottomFieldOrder && field == nil { writer.writeSE(deltaBottom) }
        }
        if pps.redundantCount { writer.writeUE(redundant) }
        if type % 5 == 1 { writer.writeFlag(true) }
        if type % 5 != 2 && type % 5 != 4 {
            writer.writeFlag(false)
            writer.writeFlag(false)
            if type % 5 == 1 { writer.writeFlag(false) }
        }
        if refIDC > 0 {
            if idr {
                writer.writeBits(0, 2)
            } else {
                writer.writeFlag(!operations.isEmpty)
                if !operations.isEmpty {
                    for value in operations.joined() { writer.writeUE(value) }
                    writer.writeUE(0)
                }
            }
        }
        if pps.cabac && type % 5 != 2 && type % 5 != 4 { writer.writeUE(0) }
        writer.writeSE(0)
        writer.writeTrailingBits()
        writer.writeBits(0xABCD, 16)
        let header = refIDC << 5 | (nalType ?? (idr ? 5 : 1))
        return writer.nalUnit(header: header)
    }
}

extension [[UInt8]] {
    /// The NAL units behind start codes.
    var annexB: [UInt8] {
        var bytes: [UInt8] = []
        for nal in self { bytes += [0, 0, 0, 1] + nal }
        return bytes
    }
}

/// Numbers that are the same in every run.
struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var value = state
        value = (value ^ value >> 30) &* 0xBF58_476D_1CE4_E5B9
        value = (value ^ value >> 27) &* 0x94D0_49BB_1331_11EB
        return value ^ value >> 31
    }
}
