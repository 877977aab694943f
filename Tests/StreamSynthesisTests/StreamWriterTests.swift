import StreamSynthesis
import TestSupport
import Testing

/// Streams of every structure, decoded: what comes out is what the writer says it wrote.
@Suite("Stream writer", .timeLimit(.minutes(Checkout.patience(10))))
struct StreamWriterTests {
    static let format = PictureFormat(width: 176, height: 144)
    static let card = TestCard(format, cellWidth: 4, cellHeight: 4)
    static let fieldCard = TestCard(format, cellWidth: 4, cellHeight: 8)

    static func sequence(
        references: Int = 4, reorder: Int = 0,
        _ change: (inout SequenceParameters) -> Void = { _ in }
    ) -> SequenceParameters {
        var sequence = SequenceParameters(format)
        sequence.maxReferenceFrames = references
        sequence.usability = VideoUsability(
            timing: .rate(25), reorderFrames: reorder, bufferedFrames: references)
        change(&sequence)
        return sequence
    }

    /// Decodes and compares, naming the first picture that differs.
    static func verify(
        _ writer: StreamWriter, _ framing: Framing = Framing(.long),
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        let decoded = try Decoded.all(of: writer.bytes(framing))
        let written = writer.presentedPictures
        #expect(decoded.count == written.count, sourceLocation: sourceLocation)
        let different = zip(decoded, written).enumerated().filter {
            $1.0.bytes != expectedBytes($1.1.picture)
        }
        #expect(different.map(\.offset) == [], sourceLocation: sourceLocation)
        #expect(decoded.allSatisfy { !$0.isDamaged }, sourceLocation: sourceLocation)
    }

    @Test(
        arguments: [PictureFormat.Chroma.monochrome, .yuv420, .yuv422, .yuv444], [8, 9, 10])
    func `chroma formats and bit depths`(chroma: PictureFormat.Chroma, bitDepth: Int) throws {
        let format = PictureFormat(width: 72, height: 52, chroma: chroma, bitDepth: bitDepth)
        var sequence = SequenceParameters(format)
        sequence.usability = VideoUsability(timing: .rate(25))
        let card = TestCard(format)
        var writer = StreamWriter(sequence)
        writer.idr(card.picture(0))
        writer.p(card.picture(1))
        writer.skip()
        try Self.verify(writer)
    }

    @Test func `slices, three-byte start codes and zeros between NAL units`() throws {
        var writer = StreamWriter(Self.sequence())
        writer.idr(Self.card.picture(0))
        for number in 1..<12 {
            writer.p(
                Self.card.picture(number),
                .p.with {
                    $0.sliceCount = number % 5 + 1
                    $0.hasDelimiter = number % 2 == 0
                })
        }
        for framing in [Framing(.long), Framing(.mixed), Framing(.short, padding: { $0 % 4 })] {
            try Self.verify(writer, framing)
        }
    }

    @Test(arguments: [PictureOptions.BidirectionalCopy.list0, .list1, .both, .direct])
    func `B pictures`(copy: PictureOptions.BidirectionalCopy) throws {
        var writer = StreamWriter(Self.sequence(reorder: 1))
        writer.idr(Self.card.picture(0))
        for step in 0..<3 {
            writer.p(
                Self.card.picture(3 * step + 3), .p.with { $0.pictureOrderCount = 6 * step + 6 })
            let options = PictureOptions.b.with { $0.bidirectionalCopy = copy }
            writer.b(
                Self.card.picture(3 * step + 1),
                options.with { $0.pictureOrderCount = 6 * step + 2 })
            writer.skip(options.with { $0.pictureOrderCount = 6 * step + 4 })
        }
        try Self.verify(writer)
        #expect(
            writer.presentedPictures.prefix(2).map(\.picture).compactMap { PictureCounter.read($0) }
                == [0, 1])
    }

    @Test(arguments: [false, true])
    func `frames, MBAFF frames and field pairs`(isAdaptive: Bool) throws {
        var writer = StreamWriter(
            Self.sequence {
                $0.isFramesOnly = false
                $0.isMacroblockAdaptive = isAdaptive
            })
        writer.fieldPair(Self.fieldCard.interlacedPicture(0), .idr)
        for number in 1..<12 {
            let picture = Self.fieldCard.interlacedPicture(number)
            switch number % 4 {
            case 0: writer.p(picture, .p.with { $0.sliceCount = 3 })
            case 1: writer.fieldPair(picture, .p.with { $0.sliceCount = 2 })
            case 2: writer.skip()
            default: writer.fieldPair(picture, .i)
            }
        }
        try Self.verify(writer)
    }

    @Test func `order count type 1, gaps and memory management`() throws {
        let order = SequenceParameters.OrderCounting.cycle(
            offsetForNonReference: 1, offsetForTopToBottom: 0, offsetsForReference: [2, 2],
            deltasAreZero: false)
        var writer = StreamWriter(
            Self.sequence {
                $0.orderCounting = order
                $0.allowsFrameNumGaps = true
            })
        writer.idr(Self.card.picture(0))
        for number in 1..<24 { writer.p(Self.card.picture(number), Self.gapOptions(number)) }
        try Self.verify(writer)
    }

    private static func gapOptions(_ number: Int) -> PictureOptions {
        .p.with {
            switch number {
            case 2:
                $0.frameNumGap = 2
                $0.listModifications = [.subtract(differenceMinus1: 2)]
            case 3:
                $0.referenceIDC = 0
            case 9:
                $0.memoryManagement = [
                    .limitLongTerm(countOfIndices: 2), .makeLongTerm(differenceMinus1: 1, index: 0),
                    .unmarkShortTerm(differenceMinus1: 2), .makeCurrentLongTerm(index: 1),
                ]
            case 11:
                $0.listModifications = [.longTerm(number: 0)]
            case 12:
                $0.referenceIndex = 2
            case 13:
                $0.memoryManagement = [
                    .unmarkLongTerm(number: 1), .unmarkShortTerm(differenceMinus1: 0),
                ]
            case 18:
                $0.memoryManagement = [.unmarkAll]
            default:
                break
            }
        }
    }

    @Test func `order count type 2, messages, new parameter sets`() throws {
        let sequence = Self.sequence { $0.orderCounting = .decodeOrder }
        var writer = StreamWriter(sequence)
        writer.idr(Self.card.picture(0))
        for number in 1..<20 {
            if number == 10 {
                writer.endSequence()
                writer.begin(sequence)
                writer.idr(Self.card.picture(number))
                continue
            }
            writer.p(
                Self.card.picture(number),
                .p.with {
                    $0.referenceIDC = number % 3 == 0 ? 0 : 1
                    $0.userData = "picture \(number)"
                    $0.recoveryFrameCount = 3
                })
        }
        try Self.verify(writer)
    }

    @Test func `a new size in mid-stream, and cropping on every side`() throws {
        var writer = StreamWriter(Self.sequence())
        writer.idr(Self.card.picture(0))
        writer.p(Self.card.picture(1))
        var other = SequenceParameters(PictureFormat(width: 98, height: 84))
        other.extraCrop = (left: 2, top: 4)
        other.usability = VideoUsability(timing: .rate(25))
        writer.begin(other)
        let card = TestCard(other.format)
        writer.idr(card.picture(2))
        writer.p(card.picture(3))
        try Self.verify(writer)
    }
}
