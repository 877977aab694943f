import StreamSynthesis

/// A stream that no encoder here makes: what `make-samples stream NAME` writes.
struct SyntheticStream {
    let name: String
    let framing: Framing
    let writer: StreamWriter

    private init(_ name: String, framing: Framing = Framing(.long), _ make: () -> StreamWriter) {
        self.name = name
        self.framing = framing
        writer = make()
    }

    private static let format = PictureFormat(width: 176, height: 144)
    /// For frames, and for fields.
    private static let card = TestCard(format, cellWidth: 4, cellHeight: 4)
    private static let fieldCard = TestCard(format, cellWidth: 4, cellHeight: 8)

    private static func sequence(
        references: Int = 1, reorder: Int = 0, change: (inout SequenceParameters) -> Void = { _ in }
    ) -> SequenceParameters {
        var sequence = SequenceParameters(format)
        sequence.maxReferenceFrames = references
        sequence.usability = VideoUsability(
            timing: .rate(25), reorderFrames: reorder, bufferedFrames: references)
        change(&sequence)
        return sequence
    }

    /// The one of this name, or all.
    static func named(_ name: String) -> SyntheticStream? {
        switch name {
        case "paff": paff
        case "lone-fields": loneFields
        case "gaps-mmco": gaps
        case "short-codes": shortCodes
        case "no-timing": noTiming
        case "pulldown": pulldown
        default: nil
        }
    }

    /// Frames and field pairs in turn, both field orders, intra and predicted, with B pictures between.
    private static var paff: SyntheticStream {
        SyntheticStream("paff") {
            var writer = StreamWriter(
                sequence(references: 4, reorder: 1) { $0.isFramesOnly = false })
            writer.fieldPair(fieldCard.interlacedPicture(0), .idr)
            for number in stride(from: 2, to: 60, by: 2) {
                let later = PictureOptions(
                    number % 20 == 0 ? .i : .p, pictureOrderCount: 2 * number)
                let between = PictureOptions.b.with { $0.pictureOrderCount = 2 * number - 2 }
                if number % 6 == 0 {
                    writer.frame(fieldCard.interlacedPicture(number), later)
                } else {
                    writer.fieldPair(fieldCard.interlacedPicture(number), later)
                }
                if number % 4 == 0 {
                    writer.b(fieldCard.interlacedPicture(number - 1), between)
                } else {
                    writer.fieldPair(fieldCard.interlacedPicture(number - 1), between)
                }
            }
            return writer
        }
    }

    /// Field pairs, and every sixth picture one field alone: no reference, a reference, intra.
    private static var loneFields: SyntheticStream {
        SyntheticStream("lone-fields") {
            var writer = StreamWriter(sequence(references: 4) { $0.isFramesOnly = false })
            writer.fieldPair(fieldCard.interlacedPicture(0), .idr)
            let alone: [PictureOptions] = [.p.with { $0.referenceIDC = 0 }, .p, .i]
            for number in 1..<54 {
                if number % 6 == 3 {
                    let field = fieldCard.picture(number).field(.top)
                    writer.field(field, .top, alone[number / 6 % 3])
                } else {
                    writer.fieldPair(fieldCard.interlacedPicture(number))
                }
            }
            return writer
        }
    }

    /// Order count type 1, gaps in frame_num, and every memory management control operation.
    private static var gaps: SyntheticStream {
        let order = SequenceParameters.OrderCounting.cycle(
            offsetForNonReference: 1, offsetForTopToBottom: 0, offsetsForReference: [2, 2, 2],
            deltasAreZero: false)
        return SyntheticStream("gaps-mmco") {
            var writer = StreamWriter(
                sequence(references: 4) {
                    $0.orderCounting = order
                    $0.allowsFrameNumGaps = true
                })
            writer.idr(card.picture(0))
            for number in 1..<75 {
                writer.p(card.picture(number), gapOptions(number))
            }
            return writer
        }
    }

    private static func gapOptions(_ number: Int) -> PictureOptions {
        .p.with {
            switch number {
            case 5, 10, 52:
                // Two frames fewer were sent; the reference is the last that was.
                $0.frameNumGap = 2
                $0.listModifications = [.subtract(differenceMinus1: 2)]
            case 7, 8, 30, 62, 70:
                $0.referenceIDC = 0
            case 18:
                $0.memoryManagement = [
                    .limitLongTerm(countOfIndices: 2), .makeLongTerm(differenceMinus1: 1, index: 0),
                    .unmarkShortTerm(differenceMinus1: 2),
                ]
            case 20:
                $0.memoryManagement = [
                    .unmarkShortTerm(differenceMinus1: 0), .makeCurrentLongTerm(index: 1),
                ]
            case 24, 26:
                $0.listModifications = [.longTerm(number: number == 24 ? 0 : 1)]
            case 28:
                $0.referenceIndex = 2
            case 33:
                $0.memoryManagement = [.unmarkLongTerm(number: 1)]
            case 36:
                $0.memoryManagement = [.limitLongTerm(countOfIndices: 0)]
            case 45:
                $0.memoryManagement = [.unmarkAll]
            default:
                break
            }
        }
    }

    /// Start codes of three bytes only, access unit delimiters, two slices a picture, an end of sequence.
    private static var shortCodes: SyntheticStream {
        SyntheticStream("short-codes", framing: Framing(.short)) {
            var writer = StreamWriter(sequence())
            for number in 0..<75 {
                let options = PictureOptions(number % 25 == 0 ? .i : .p, isIDR: number % 25 == 0)
                    .with {
                        $0.sliceCount = 2
                        $0.hasDelimiter = true
                    }
                writer.frame(card.picture(number), options)
            }
            writer.endSequence()
            return writer
        }
    }

    /// No VUI at all, monotone order counts of type 2, zeros after every NAL unit.
    private static var noTiming: SyntheticStream {
        SyntheticStream("no-timing", framing: Framing(.mixed) { $0 % 4 }) {
            var writer = StreamWriter(
                sequence {
                    $0.usability = nil
                    $0.orderCounting = .decodeOrder
                })
            for number in 0..<75 {
                if number % 50 == 0 {
                    writer.idr(card.picture(number))
                } else {
                    writer.p(card.picture(number))
                }
            }
            return writer
        }
    }

    /// Film at 24 pictures a second in 60 fields: `pic_struct` 5, 4, 6, 3 in turn.
    private static var pulldown: SyntheticStream {
        SyntheticStream("pulldown") {
            var writer = StreamWriter(
                sequence {
                    $0.isFramesOnly = false
                    $0.usability?.timing = .init(unitsInTick: 1001, timeScale: 60000)
                    $0.usability?.hasPictureStructure = true
                })
            for number in 0..<48 {
                let isIDR = number % 24 == 0
                writer.frame(
                    card.picture(number),
                    PictureOptions(isIDR ? .i : .p, isIDR: isIDR).with {
                        $0.pictureStructure = [5, 4, 6, 3][number % 4]
                    })
            }
            return writer
        }
    }
}
