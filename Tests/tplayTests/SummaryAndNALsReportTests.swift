import TestSupport
import Testing

extension TPlayTests {
    @Suite("Reports of summary and NAL units", .timeLimit(.minutes(Checkout.patience(3))))
    struct SummaryAndNALsReportTests {
        private func summary(_ path: String, _ options: String...) throws -> [String: Any] {
            let result = TPlay.run(["--report", "summary"] + options + [path])
            #expect(result.status == 0, "\(result.errors)")
            let objects = TPlay.objects(result)
            #expect(objects.count == 1)
            return try #require(objects.first)
        }

        @Test func `a summary of the showpiece`() throws {
            let path = TPlay.sample("showpiece.264")
            let facts = try summary(path)
            let bytes = try #require(Checkout.bytes(path)).count
            for (name, value) in [
                ("frames", 240), ("shown", 240), ("skipped", 0), ("damaged", 0), ("width", 640),
                ("height", 360), ("bytes", bytes), ("bit_rate", bytes * 8 / 10),
            ] {
                #expect(facts[name] as? Int == value, "\(name)")
            }
            for (name, value) in [
                ("fps", "24/1"), ("fps_source", "vui"), ("sar", "1:1"), ("profile", "High"),
                ("pix_fmt", "yuv420p"), ("structure", "progressive"),
            ] {
                #expect(facts[name] as? String == value, "\(name)")
            }
            #expect(facts["duration_time"] as? Double == 10)
        }

        @Test(arguments: [
            ("no-timing.264", "fps_source", "default"), ("no-timing.264", "fps", "25/1"),
            ("anamorphic.264", "sar", "16:11"), ("mbaff.264", "structure", "interlaced"),
            ("paff.264", "structure", "mixed"), ("high10.264", "profile", "High 10"),
            ("high422.264", "profile", "High 4:2:2"),
            ("baseline.264", "profile", "Constrained Baseline"),
            ("pulldown.264", "fps", "30000/1001"),
        ])
        func `facts of samples`(name: String, field: String, value: String) throws {
            #expect(try summary(TPlay.sample(name))[field] as? String == value)
        }

        @Test func `more facts of samples`() throws {
            #expect(try summary(TPlay.sample("cropped-1080p.264"))["height"] as? Int == 1080)
            #expect(try summary(TPlay.sample("pulldown.264"))["duration_time"] as? Double == 2.002)
            #expect(try summary(TPlay.sample("b-pyramid.264"))["reorder_depth"] as? Int == 2)
            #expect(try summary(TPlay.sample("main.264"))["reorder_depth"] as? Int == 1)
            #expect(try summary(TPlay.sample("baseline.264"))["reorder_depth"] as? Int == 0)
            let fps = try summary(TPlay.sample("main.264"), "--fps", "50")
            #expect(fps["fps"] as? String == "50/1")
            #expect(fps["fps_source"] as? String == "option")
            #expect(fps["duration_time"] as? Double == 2)
        }

        @Test(
            .enabled(if: Clip.hasStreams),
            arguments: [
                ("BA1_FT_C.264", 352, 288, 299, "25/1"), ("SarVui.264", 176, 144, 17, "25/1"),
                ("tsduck_test-064_video.264", 1920, 1080, 299, "30/1"),
                ("CVSE2_Sony_B.264", 176, 144, 278, "30000/1001"),
                ("180x320_420p_action-libx264.264", 180, 320, 10, "25/1"),
                ("LS_SVA_D.264", 176, 144, 1700, "25/1"),
            ])
        func `facts of real streams`(
            name: String, width: Int, height: Int, shown: Int, fps: String
        ) throws {
            let clip = try #require(Clip.streams.first { $0.name == name })
            let facts = try summary(clip.path)
            #expect(facts["width"] as? Int == width)
            #expect(facts["height"] as? Int == height)
            #expect(facts["shown"] as? Int == shown)
            #expect(facts["fps"] as? String == fps)
            if name == "SarVui.264" { #expect(facts["sar"] as? String == "80:33") }
        }

        @Test func `a summary counts what the frames say`() throws {
            for clip in FramesReportTests.golden {
                if try #require(Checkout.bytes(clip.path)).count > 300_000 { continue }
                let facts = try summary(clip.path)
                let frames = TPlay.objects(TPlay.run(["--report", "frames", clip.path]))
                let nals = TPlay.run(["--report", "nals", clip.path]).lines.count
                #expect(facts["frames"] as? Int == frames.count, "\(clip)")
                #expect(
                    facts["shown"] as? Int == frames.count { $0["shown"] as? Bool == true },
                    "\(clip)")
                #expect(
                    facts["damaged"] as? Int == frames.count { $0["damaged"] as? Bool == true },
                    "\(clip)")
                #expect(facts["nals"] as? Int == nals, "\(clip)")
                #expect(
                    facts["idr"] as? Int == frames.count { $0["idr"] as? Bool == true }, "\(clip)")
            }
        }

        @Test func `NAL units are where the report says`() throws {
            for clip in FramesReportTests.clips where !clip.name.hasSuffix(".h265") {
                let bytes = try #require(Checkout.bytes(clip.path))
                if bytes.count > 200_000 { continue }
                let result = TPlay.run(["--report", "nals", clip.path])
                #expect(result.status == 0, "\(clip)")
                let nals = TPlay.objects(result)
                #expect(nals.compactMap { $0["nal"] as? Int } == Array(nals.indices))
                var end = 0
                for nal in nals {
                    let offset = try #require(nal["offset"] as? Int)
                    let code = try #require(nal["start_code"] as? Int)
                    let count = try #require(nal["bytes"] as? Int)
                    let header = offset + code
                    #expect(
                        bytes[end..<offset].allSatisfy { $0 == 0 }, "\(clip): only zeros between")
                    #expect(
                        Array(bytes[offset..<header]) == [UInt8](repeating: 0, count: code - 1) + [
                            1
                        ])
                    #expect(nal["type"] as? Int == Int(bytes[header] & 31))
                    #expect(nal["ref_idc"] as? Int == Int(bytes[header] >> 5 & 3))
                    #expect((nal["name"] as? String)?.isEmpty == false)
                    #expect(nal["decode"] != nil, "a number or null")
                    end = header + count
                }
                // A stream cut off behind a start code: that is no NAL unit.
                var rest = bytes[end...]
                if rest.suffix(3) == [0, 0, 1] { rest.removeLast(3) }
                #expect(rest.allSatisfy { $0 == 0 }, "\(clip): only zeros at the end")
                // Each access unit's NAL units are those of the frames report.
                let frames = TPlay.objects(TPlay.run(["--report", "frames", clip.path]))
                for frame in frames {
                    let rank = try #require(frame["decode"] as? Int)
                    let types = nals.filter { $0["decode"] as? Int == rank }
                        .compactMap { $0["type"] as? Int }
                    #expect(types == frame["nals"] as? [Int], "\(clip) \(rank)")
                }
            }
        }

        @Test func `parameter sets and slices have their fields`() throws {
            let nals = TPlay.objects(TPlay.run(["--report", "nals", TPlay.sample("main.264")]))
            let sps = try #require(nals.first { $0["type"] as? Int == 7 })
            #expect(sps["profile_idc"] as? Int == 77)
            #expect(sps["time_scale"] as? Int == 50)
            #expect(sps["frame_mbs_only_flag"] as? Int == 1)
            let pps = try #require(nals.first { $0["type"] as? Int == 8 })
            #expect(pps["entropy_coding_mode_flag"] as? Int == 1)
            let slice = try #require(nals.first { $0["type"] as? Int == 5 })
            #expect(slice["slice_type"] as? String == "I")
            #expect(slice["frame_num"] as? Int == 0)
            let recovery = TPlay.objects(
                TPlay.run(["--report", "nals", TPlay.sample("intra-refresh.264")])
            ).compactMap { $0["recovery_frame_cnt"] as? Int }
            #expect(!recovery.isEmpty)
        }

        @Test func `pipes give the same`() throws {
            for name in ["size-change.264", "short-codes.264", "no-timing.264"] {
                let bytes = try #require(Checkout.bytes(TPlay.sample(name)))
                for report in ["nals", "summary"] {
                    let file = TPlay.run(["--report", report, TPlay.sample(name)])
                    let pipe = TPlay.run(
                        ["--report", report, "-"], input: .init(bytes, inPiecesOf: 7))
                    #expect(pipe.output == file.output)
                }
            }
        }
    }
}
