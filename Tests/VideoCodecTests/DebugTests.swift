import Testing
import H264
import VideoCodec
@Suite struct DebugX {
    @Test func dbg() throws {
        LibavLog.setSink(level: .info) { print("  LOG", $1) }
        for name in ["Error_I_P.264", "tsduck_test-138_video.264"] {
            let s = try #require(TestStream(named: name))
            for (i, u) in s.units.enumerated() {
                print(i, "rank", u.rank, u.accessUnit.structure, u.accessUnit.pictureType, "idr", u.accessUnit.isIDR, "ref", u.accessUnit.referenceIDC, "fn", u.accessUnit.frameNum, "max", u.accessUnit.sequenceParameterSet.maximumFrameNum, "gap", u.accessUnit.frameNumGap as Any, "rp", u.accessUnit.recoveryPoint?.recoveryFrameCount as Any, "dmg", u.accessUnit.damage.rawValue, "slices", u.accessUnit.sliceCount)
            }
            for f in [VTDecodeFrameFlags.enableTemporalProcessing, []] {
                print(name, f)
                let e = try s.decode(f)
                for x in e { print(x.token!, x.isDamaged, x.status) }
            }
        }
    }
}
