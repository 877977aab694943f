import H264
import MediaTime
import PixelBuffers
import SampleBuffers
import StreamSynthesis
import Testing
import VideoCodec

/// What pictures are like: D-15 to D-17, limits, packets by reference, the log.
@Suite("Decompression session: pictures")
struct OutputTests {
    private func pictures(
        _ request: PixelBufferRequest, of stream: TestStream
    ) throws -> [CVPixelBuffer] {
        try stream.decode([], request: request, keepsImages: true).compactMap(\.image)
    }

    private static func sequence(
        _ chroma: PictureFormat.Chroma = .yuv420, depth: Int = 8, isFull: Bool? = nil
    ) -> SequenceParameters {
        var sequence = SequenceParameters(
            PictureFormat(
                width: 64, height: 48, chroma: chroma, bitDepth: depth, bitDepthChroma: depth))
        if let isFull {
            var usability = VideoUsability()
            usability.isFullRange = isFull
            sequence.usability = usability
        }
        return sequence
    }

    private static func stream(_ sequence: SequenceParameters) -> (TestStream, [Picture]) {
        var writer = StreamWriter(sequence)
        let card = TestCard(sequence.format)
        writer.idr(card.picture(0))
        writer.p(card.picture(1))
        return (TestStream(bytes: writer.bytes()), writer.presentedPictures.map(\.picture))
    }

    @Test func `D-15 without a request the format follows the stream`() throws {
        for (sequence, expected) in [
            (Self.sequence(), CVPixelFormatType.yCbCr420BiPlanarVideoRange),
            (Self.sequence(isFull: false), .yCbCr420BiPlanarVideoRange),
            (Self.sequence(isFull: true), .yCbCr420BiPlanarFullRange),
            (Self.sequence(.yuv422), .yuv422p), (Self.sequence(.yuv444), .yuv444p),
            (Self.sequence(.yuv422, isFull: true), .yuvj422p),
            (Self.sequence(depth: 10), .yuv420p10), (Self.sequence(.yuv422, depth: 10), .yuv422p10),
        ] {
            let (stream, _) = Self.stream(sequence)
            let images = try pictures(.default, of: stream)
            #expect(images.count == 2)
            #expect(images.allSatisfy { $0.pixelFormat == expected }, "\(expected)")
        }
    }

    @Test func `D-15 the first format of a list that can be had is taken`() throws {
        let (stream, _) = Self.stream(Self.sequence())
        let wishes: [PixelBufferRequest.Format] = [
            .type(.init(rawValue: 0x3F3F_3F3F)), .type(.bgra32), .native,
        ]
        #expect(try pictures(.init(formats: wishes), of: stream).first?.pixelFormat == .bgra32)
        #expect(throws: VTError.pixelTransferNotSupported) {
            try VTDecompressionSession(
                formatDescription: stream.units[0].format,
                imageBufferAttributes: .init(formats: [wishes[0], .type(.yCbCr422Packed)]))
        }
        #expect(VTError.pixelTransferNotSupported.status == -12905)
        #expect(throws: VTError.parameter) {
            try VTDecompressionSession(
                formatDescription: stream.units[0].format, imageBufferAttributes: .init(width: 0))
        }
    }

    @Test func `D-15 native is the decoder's own planes`() throws {
        for chroma in [PictureFormat.Chroma.yuv420, .yuv422, .yuv444] {
            for depth in [8, 9, 10] {
                let (stream, expected) = Self.stream(Self.sequence(chroma, depth: depth))
                let images = try pictures(.native, of: stream)
                #expect(images.map(\.rawBytes) == expected.map(\.rawBytes), "\(chroma) \(depth)")
            }
        }
        // libavcodec still predicts from it: nobody may write.
        let (stream, _) = Self.stream(Self.sequence())
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        session.decodeFrame(try stream.sample(0))
        #expect(collector.images.first?.isModifiable == false)
        #expect(session.pixelBufferPool == nil)
        #expect(collector.entries.first?.flags.contains(.imageBufferModifiable) == false)
    }

    @Test func `D-15 conversion to two planes keeps every sample`() throws {
        let (stream, expected) = Self.stream(Self.sequence())
        for type in [CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420Planar] {
            let images = try pictures(.format(type), of: stream)
            for (image, picture) in zip(images, expected) {
                image.lockBaseAddress(.readOnly)
                defer { image.unlockBaseAddress(.readOnly) }
                let luma = try #require(image.baseAddress(ofPlane: 0))
                let chroma = try #require(image.baseAddress(ofPlane: 1))
                let step = type == .yCbCr420Planar ? 1 : 2
                for (x, y) in [(0, 0), (13, 7), (63, 47), (31, 24)] {
                    let sample = luma.load(
                        fromByteOffset: y * image.bytesPerRow(ofPlane: 0) + x, as: UInt8.self)
                    #expect(UInt16(sample) == picture.planes[0][x, y])
                    let cb = chroma.load(
                        fromByteOffset: y / 2 * image.bytesPerRow(ofPlane: 1) + x / 2 * step,
                        as: UInt8.self)
                    #expect(UInt16(cb) == picture.planes[1][x / 2, y / 2])
                }
            }
        }
    }

    @Test(arguments: [
        CVPixelFormatType.yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange, .yCbCr420Planar,
        .yCbCr420PlanarFullRange, .yCbCr420BiPlanar10VideoRange, .yCbCr420BiPlanar10FullRange,
        .bgra32, .rgba32, .argb32,
    ])
    func `D-15 white, black and red arrive in every format`(_ type: CVPixelFormatType) throws {
        for isFull in [false, true] {
            var sequence = Self.sequence(isFull: isFull)
            sequence.format.width = 64
            let (black, white) = isFull ? (0, 255) : (16, 235)
            let red = isFull ? (76, 85, 255) : (81, 90, 240)
            for (y, cb, cr, rgb) in [
                (black, 128, 128, [0, 0, 0]), (white, 128, 128, [255, 255, 255]),
                (red.0, red.1, red.2, [255, 0, 0]),
            ] {
                var writer = StreamWriter(sequence)
                writer.idr(Picture(sequence.format, luma: y, cb: cb, cr: cr))
                let stream = TestStream(bytes: writer.bytes())
                let image = try #require(try pictures(.format(type), of: stream).first)
                #expect(image.attachments[.fullRange] == nil)
                let bytes = image.rawBytes
                let expected: [Int]
                switch type {
                case .bgra32: expected = [rgb[2], rgb[1], rgb[0], 255]
                case .rgba32: expected = rgb + [255]
                case .argb32: expected = [255] + rgb
                case .yCbCr420BiPlanar10VideoRange, .yCbCr420BiPlanar10FullRange:
                    // The upper byte of each word is the eight-bit value.
                    expected = [
                        Int(bytes[1]), Self.luma(y, from: isFull, to: type.isFullRange),
                    ]
                    #expect(abs(expected[0] - expected[1]) <= 1, "\(type) full \(isFull)")
                    continue
                default: expected = [Self.luma(y, from: isFull, to: type.isFullRange)]
                }
                for (index, value) in expected.enumerated() {
                    #expect(abs(Int(bytes[index]) - value) <= 2, "\(type) full \(isFull) \(rgb)")
                }
            }
        }
    }

    private static func luma(_ value: Int, from: Bool, to: Bool) -> Int {
        if from == to { return value }
        return from ? 16 + value * 219 / 255 : min(max((value - 16) * 255 / 219, 0), 255)
    }

    @Test func `D-15 width and height scale`() throws {
        let (stream, _) = Self.stream(Self.sequence())
        let request = PixelBufferRequest(
            formats: [.native, .type(.yCbCr420BiPlanarVideoRange)], width: 32, height: 20)
        let images = try pictures(request, of: stream)
        #expect(images.count == 2)
        #expect(images.allSatisfy { $0.width == 32 && $0.height == 20 })
        #expect(images.allSatisfy { $0.pixelFormat == .yCbCr420BiPlanarVideoRange })
    }

    // MARK: Size and attachments

    @Test func `D-16 pictures are cropped to the sample`() throws {
        for (left, top) in [(0, 0), (2, 4), (6, 2), (14, 0)] {
            var sequence = SequenceParameters(PictureFormat(width: 50, height: 38))
            sequence.extraCrop = (left, top)
            let (stream, expected) = Self.stream(sequence)
            for flags in [VTDecodeFrameFlags([]), .enableTemporalProcessing] {
                let images = try stream.decode(flags, keepsImages: true).compactMap(\.image)
                #expect(images.allSatisfy { $0.width == 50 && $0.height == 38 })
                #expect(images.map(\.rawBytes) == expected.map(\.rawBytes), "\(left) \(top)")
            }
        }
    }

    @Test func `D-16 attachments are those that the stream carries`() throws {
        let (plain, _) = Self.stream(Self.sequence())
        for image in try pictures(.native, of: plain) + pictures(.default, of: plain) {
            #expect(image.attachments.isEmpty, "\(image.attachments.names)")
        }
        var sequence = Self.sequence(isFull: true)
        sequence.usability?.sampleAspectRatioWidth = 12
        sequence.usability?.sampleAspectRatioHeight = 11
        sequence.usability?.colour = .init(primaries: 9, transfer: 16, matrix: 9)
        let (tagged, _) = Self.stream(sequence)
        for flags in [VTDecodeFrameFlags([]), .enableTemporalProcessing] {
            for image in try tagged.decode(flags, keepsImages: true).compactMap(\.image) {
                let attachments = image.attachments
                #expect(attachments[.yCbCrMatrix] == .itu_R_2020)
                #expect(attachments[.colorPrimaries] == .itu_R_2020)
                #expect(attachments[.transferFunction] == .smpte_ST_2084_PQ)
                #expect(attachments[.fullRange] == true)
                #expect(
                    attachments[.pixelAspectRatio]
                        == PixelAspectRatio(horizontalSpacing: 12, verticalSpacing: 11))
                #expect(attachments[.chromaLocationTopField] == nil)
                #expect(attachments[.fieldCount] == nil && attachments[.damaged] == nil)
                #expect(attachments.filtered(by: .shouldPropagate).count == attachments.count)
            }
        }
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `D-16 fields are told`(_ flags: VTDecodeFrameFlags) throws {
        var sequence = SequenceParameters(PictureFormat(width: 64, height: 64))
        sequence.isFramesOnly = false
        sequence.maxReferenceFrames = 2
        var writer = StreamWriter(sequence)
        let card = TestCard(sequence.format)
        writer.fieldPair(card.picture(0), .idr)
        writer.fieldPair(card.picture(1))
        let stream = TestStream(bytes: writer.bytes())
        let images = try stream.decode(flags, keepsImages: true).compactMap(\.image)
        #expect(images.count == 2)
        for image in images {
            #expect(image.attachments[.fieldCount] == 2)
            #expect(image.attachments[.fieldDetail] != nil)
        }
    }

    @Test(arguments: [VTDecodeFrameFlags([]), .enableTemporalProcessing])
    func `a lone field fills both fields' lines`(_ flags: VTDecodeFrameFlags) throws {
        var sequence = SequenceParameters(PictureFormat(width: 64, height: 64))
        sequence.isFramesOnly = false
        sequence.maxReferenceFrames = 2
        let card = TestCard(sequence.format)
        for parity in [FieldParity.top, .bottom] {
            var writer = StreamWriter(sequence)
            writer.fieldPair(card.picture(0), .idr)
            writer.field(card.picture(1).field(parity), parity, .p.with { $0.isUnpaired = true })
            writer.fieldPair(card.picture(2))
            let stream = TestStream(bytes: writer.bytes())
            let images = try stream.decode(flags, keepsImages: true)
            #expect(images.count == 3)
            #expect(images.allSatisfy { !$0.isDamaged })
            let lone = card.picture(1).field(parity)
            let doubled = Picture(top: lone, bottom: lone)
            #expect(images[1].image?.rawBytes == doubled.rawBytes)
        }
    }

    @Test func `fields that are samples of their own make one picture`() throws {
        var sequence = SequenceParameters(PictureFormat(width: 64, height: 64))
        sequence.isFramesOnly = false
        sequence.maxReferenceFrames = 2
        let card = TestCard(sequence.format)
        var writer = StreamWriter(sequence)
        writer.fieldPair(card.picture(0), .idr)
        writer.fieldPair(card.picture(1))
        let stream = TestStream(bytes: writer.bytes())
        for flags in [VTDecodeFrameFlags([]), .enableTemporalProcessing] {
            let collector = Collector(keepsImages: true)
            let session = try VTDecompressionSession(
                formatDescription: stream.units[0].format, imageBufferAttributes: .native,
                outputHandler: collector.handler)
            for unit in stream.units {
                let boundary = try #require(unit.fieldBoundary)
                for part in [unit.payload[..<boundary], unit.payload[boundary...]] {
                    let sample = try TestStream.sample(payload: Array(part), format: unit.format)
                    #expect(session.decodeFrame(sample, flags: flags) == noErr)
                }
            }
            session.waitForAsynchronousFrames()
            let entries = collector.entries
            #expect(entries.count == 4)
            #expect(entries.allSatisfy { $0.status == noErr && !$0.isDamaged })
            let raw = entries.compactMap { $0.image?.rawBytes }
            for number in 0..<2 { #expect(raw.contains(card.picture(number).rawBytes)) }
        }
    }

    @Test func `D-17 the black picture`() throws {
        let (stream, _) = Self.stream(Self.sequence())
        let (full, _) = Self.stream(Self.sequence(isFull: true))
        let (deep, _) = Self.stream(Self.sequence(.yuv422, depth: 10))
        func black(_ stream: TestStream, _ request: PixelBufferRequest) throws -> CVPixelBuffer {
            try VTDecompressionSession(
                formatDescription: stream.units[0].format, imageBufferAttributes: request
            ).copyBlackPixelBuffer()
        }
        let plain = try black(stream, .default)
        #expect(plain.width == 64 && plain.height == 48)
        #expect(plain.pixelFormat == .yCbCr420BiPlanarVideoRange)
        #expect(plain.rawBytes[..<3072].allSatisfy { $0 == 16 })
        #expect(plain.rawBytes[3072...].allSatisfy { $0 == 128 })
        #expect(try black(full, .default).rawBytes[..<3072].allSatisfy { $0 == 0 })
        #expect(
            try black(stream, .format(.bgra32)).rawBytes.prefix(8) == [0, 0, 0, 255, 0, 0, 0, 255])
        let native = try black(deep, .native)
        #expect(native.pixelFormat == .yuv422p10)
        #expect(native.rawBytes.prefix(2) == [64, 0] && native.rawBytes.suffix(2) == [0, 2])
        let top = try black(stream, .format(.yCbCr420BiPlanar10VideoRange))
        #expect(top.rawBytes.prefix(2) == [0, 16] && top.rawBytes.suffix(2) == [0, 128])
    }

    // MARK: Memory

    @Test func `pictures over the limit are refused`() throws {
        let huge = Synthesis.simple(1) { $0.levelIDC = 62 }
        var bytes = huge.units[0].format.parameterSets[0]
        _ = bytes.popLast()
        // A level 6.2 frame at most: 16384x16384 is told at creation.
        var sequence = SequenceParameters(PictureFormat(width: 16384, height: 16384))
        sequence.levelIDC = 62
        let format = try CMFormatDescription(
            h264ParameterSets: [
                [0x67] + sequence.rbsp, [0x68] + PictureParameters(sequence: sequence).rbsp,
            ])
        #expect(throws: VTError.unsupportedDataFormat) {
            try VTDecompressionSession(formatDescription: format)
        }
        let (stream, _) = Self.stream(Self.sequence())
        let collector = Collector()
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, outputHandler: collector.handler)
        session.maximumPixelCount = 64 * 32
        #expect(session.decodeFrame(try stream.sample(0)) == noErr)
        #expect(collector.entries.first?.status == -12909)
    }

    @Test func `data in pieces or without padding are decoded all the same`() throws {
        let stream = Synthesis.simple(3)
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        for (index, unit) in stream.units.enumerated() {
            let data = try CMBlockBuffer()
            for part in [unit.payload[..<4], unit.payload[4...]] {
                try data.append(bufferReference: TestStream.blockBuffer(Array(part)))
            }
            let sample = try CMSampleBuffer(
                dataBuffer: data, formatDescription: unit.format, numSamples: 1,
                sampleTimings: [stream.timing(index)], sampleSizes: [])
            #expect(session.decodeFrame(sample) == noErr)
        }
        #expect(collector.images.map(\.rawBytes) == (0..<3).map { Synthesis.card($0).rawBytes })
    }

    @Test func `the sample's memory is kept while frame threads need it`() throws {
        let (stream, pictures) = Synthesis.pyramid(groups: 6, saying: nil)
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: stream.units[0].format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        session.threadCount = 6
        for index in stream.units.indices {
            // The buffer is gone when the call returns; only libavcodec's reference remains.
            session.decodeFrame(try stream.sample(index), flags: .enableTemporalProcessing)
        }
        session.waitForAsynchronousFrames()
        #expect(collector.images.map(\.rawBytes) == pictures.map(\.picture.rawBytes))
    }

    @Test(arguments: [1, 2])
    func `lengths of one and two bytes are read`(_ lengthSize: Int) throws {
        let black = Picture(Synthesis.format, luma: 16, cb: 128, cr: 128)
        var writer = StreamWriter(SequenceParameters(Synthesis.format))
        writer.idr(black)
        writer.skip()
        let stream = TestStream(bytes: writer.bytes())
        let sets = stream.units[0].format.parameterSets
        let format = try CMFormatDescription(
            h264ParameterSets: sets, nalUnitHeaderLength: lengthSize)
        let collector = Collector(keepsImages: true)
        let session = try VTDecompressionSession(
            formatDescription: format, imageBufferAttributes: .native,
            outputHandler: collector.handler)
        for unit in stream.units {
            let nal = unit.payload.dropFirst(4)
            try #require(nal.count < 256)
            let payload = (lengthSize == 2 ? [0] : []) + [UInt8(nal.count)] + nal
            #expect(
                session.decodeFrame(try TestStream.sample(payload: payload, format: format)) == 0)
        }
        #expect(collector.images.map(\.rawBytes) == [black.rawBytes, black.rawBytes])
    }

    @Test func `pictures outlive their session`() throws {
        let (stream, expected) = Self.stream(Self.sequence())
        for request in [PixelBufferRequest.native, .format(.yCbCr420Planar)] {
            let images = try pictures(request, of: stream)
            #expect(images.map(\.rawBytes) == expected.map(\.rawBytes))
        }
    }
}
