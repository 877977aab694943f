import Glibc
import StreamSynthesis

func put(_ name: String, _ bytes: [UInt8]) {
    let f = fopen(name, "wb")!
    fwrite(bytes, 1, bytes.count, f)
    fclose(f)
}
func save(_ name: String, _ writer: StreamWriter, _ framing: Framing = Framing(.long)) {
    put("/tmp/s/\(name).264", writer.bytes(framing))
    var raw: [UInt8] = []
    for p in writer.presentedPictures { p.picture.appendRawBytes(to: &raw) }
    put("/tmp/s/\(name).yuv", raw)
}
func vui(_ r: Int) -> VideoUsability {
    VideoUsability(timing: .rate(25), reorderFrames: r, bufferedFrames: 4)
}

do {
    for chroma in [PictureFormat.Chroma.monochrome, .yuv420, .yuv422, .yuv444] {
        for depth in [8, 9, 10, 12] where depth <= 10 || chroma.rawValue > 0 {
            let f = PictureFormat(width: 72, height: 52, chroma: chroma, bitDepth: depth)
            var s = SequenceParameters(f)
            s.usability = vui(0)
            var w = StreamWriter(s)
            let card = TestCard(f)
            w.idr(card.picture(0))
            w.p(card.picture(1))
            w.skip()
            save("fmt-\(chroma)-\(depth)", w)
        }
    }
    let f = PictureFormat(width: 176, height: 144)
    var s = SequenceParameters(f)
    s.usability = vui(0)
    s.maxReferenceFrames = 4
    let card = TestCard(f, cellWidth: 4, cellHeight: 4)
    var w = StreamWriter(s)
    w.idr(card.picture(0))
    for n in 1..<30 { w.p(card.picture(n), .p.with { $0.sliceCount = n % 5 + 1 }) }
    print("cells", w.bytes().count)
    save("cells", w, Framing(.short, padding: { $0 % 4 }))

    // B
    s.usability = vui(1)
    w = StreamWriter(s)
    w.idr(card.picture(0))
    for (k, copy) in [PictureOptions.BidirectionalCopy.list0, .list1, .both, .direct].enumerated() {
        w.p(card.picture(4 * k + 4), .p.with { $0.pictureOrderCount = 8 * k + 8 })
        w.b(
            card.picture(4 * k + 2),
            .b.with {
                $0.pictureOrderCount = 8 * k + 4; $0.bidirectionalCopy = copy
            })
        w.skip(
            .b.with {
                $0.pictureOrderCount = 8 * k + 6; $0.bidirectionalCopy = copy
            })
    }
    save("b", w, Framing(.mixed))

    // fields
    for adaptive in [false, true] {
        var s = s
        s.isFramesOnly = false
        s.isMacroblockAdaptive = adaptive
        s.usability = vui(1)
        let card = TestCard(f, cellWidth: 4, cellHeight: 8)
        var w = StreamWriter(s)
        w.fieldPair(card.interlacedPicture(0), .idr)
        for n in 1..<20 {
            switch n % 4 {
            case 0: w.p(card.interlacedPicture(n), .p.with { $0.sliceCount = 3 })
            case 1:
                w.fieldPair(
                    card.interlacedPicture(n), first: n % 8 == 1 ? .top : .top,
                    .p.with { $0.sliceCount = 2 })
            case 2: w.skip()
            default: w.fieldPair(card.interlacedPicture(n), .i)
            }
        }
        save("field-\(adaptive)", w)
        w = StreamWriter(s)
        w.idr(card.interlacedPicture(0))
        for (k, copy) in [PictureOptions.BidirectionalCopy.list0, .list1, .both, .direct]
            .enumerated()
        {
            w.p(
                card.interlacedPicture(4 * k + 4),
                .p.with {
                    $0.pictureOrderCount = 8 * k + 8; $0.referenceIndex = k > 1 ? 1 : 0
                })
            w.b(
                card.interlacedPicture(4 * k + 2),
                .b.with {
                    $0.pictureOrderCount = 8 * k + 4; $0.bidirectionalCopy = copy
                })
            w.fieldPair(
                card.interlacedPicture(4 * k + 3),
                .b.with {
                    $0.pictureOrderCount = 8 * k + 6; $0.bidirectionalCopy = copy
                })
        }
        save("fieldb-\(adaptive)", w)
    }
    // lone fields
    do {
        var s = s
        s.isFramesOnly = false
        s.usability = vui(1)
        let card = TestCard(f, cellWidth: 4, cellHeight: 8)
        var w = StreamWriter(s)
        w.fieldPair(card.interlacedPicture(0), .idr)
        for n in 1..<20 {
            switch n % 5 {
            case 1: w.field(card.picture(n).field(.top), .top, .p)
            case 3:
                w.field(card.picture(n).field(.bottom), .bottom, .p.with { $0.isUnpaired = true })
            default: w.fieldPair(card.interlacedPicture(n), .p)
            }
        }
        save("lone", w)
    }
    // poc1, gaps, mmco
    do {
        var s = s
        s.orderCounting = .cycle(
            offsetForNonReference: 1, offsetForTopToBottom: 0, offsetsForReference: [2, 2],
            deltasAreZero: false)
        s.allowsFrameNumGaps = true
        s.usability = vui(0)
        var w = StreamWriter(s)
        w.idr(card.picture(0))
        w.p(card.picture(1))
        w.p(
            card.picture(2),
            .p.with {
                $0.frameNumGap = 2; $0.listModifications = [.subtract(differenceMinus1: 2)]
            })
        w.p(card.picture(3), .p.with { $0.referenceIDC = 0 })
        for n in 4..<9 { w.p(card.picture(n)) }
        w.p(
            card.picture(9),
            .p.with {
                $0.memoryManagement = [
                    .limitLongTerm(countOfIndices: 2), .makeLongTerm(differenceMinus1: 1, index: 0),
                    .unmarkShortTerm(differenceMinus1: 2), .makeCurrentLongTerm(index: 1),
                ]
            })
        w.p(card.picture(10))
        w.skip(.p.with { $0.listModifications = [.longTerm(number: 0)] })
        w.p(card.picture(12), .p.with { $0.referenceIndex = 2 })
        w.p(
            card.picture(13),
            .p.with {
                $0.memoryManagement = [
                    .unmarkLongTerm(number: 1), .unmarkShortTerm(differenceMinus1: 0),
                ]
            })
        for n in 14..<20 { w.p(card.picture(n)) }
        w.p(card.picture(20), .p.with { $0.memoryManagement = [.unmarkAll] })
        for n in 21..<30 { w.p(card.picture(n)) }
        save("poc1", w)
        s.orderCounting = .decodeOrder
        w = StreamWriter(s)
        w.idr(card.picture(0))
        for n in 1..<40 {
            if n == 33 {
                w.p(card.picture(n), .p.with { $0.memoryManagement = [.unmarkAll] }); continue
            }
            if n == 22 { w.idr(card.picture(n)); continue }
            w.p(
                card.picture(n),
                .p.with {
                    $0.referenceIDC = n % 3 == 0 ? 0 : 1; $0.hasDelimiter = true;
                    $0.userData = "hello"; $0.recoveryFrameCount = 3
                })
        }
        save("poc2", w)
    }
}
