/// Writes H.264 byte streams whose decoded pictures are known to the sample.
///
/// Macroblocks are I_PCM, lossless flat cells, or copies of a reference picture, so whatever structure is asked for (field pairs, lone
/// fields, MBAFF, gaps in frame_num, memory management, any order), ``presentedPictures`` is what must come out.
///
///     var writer = StreamWriter(SequenceParameters(PictureFormat(width: 64, height: 48)))
///     writer.idr(picture)
///     writer.p(next)
///     writer.skip()
///     let bytes = writer.bytes()
///
/// A call that no stream can satisfy (an order count that type 2 does not give, a reference that is not there) traps.
package struct StreamWriter: Sendable {
    /// Everything written, in order.
    package private(set) var nalUnits: [SynthesizedNALUnit] = []
    /// Every picture in decoding order; the fields of a pair are one.
    package private(set) var pictures: [WrittenPicture] = []
    package private(set) var sequence: SequenceParameters

    private var pictureParameters: [PictureParameters]
    private var references = ReferenceBuffer()
    private var orderCounter = OrderCounter()
    private var previousReferenceFrameNum = 0
    private var sequenceIndex = -1
    private var idrCount = 0
    private var firstField: FirstField?

    private struct FirstField {
        var parity: FieldParity
        var frameNum: Int
        var orderCount: Int
        var isReference: Bool
        /// Both fields' rows, in coded size.
        var frame: Picture
    }

    /// A writer that begins with its parameter sets; `pictureParameters` is one set with id 0 unless given.
    package init(_ sequence: SequenceParameters, pictureParameters: [PictureParameters]? = nil) {
        self.sequence = sequence
        self.pictureParameters = pictureParameters ?? [PictureParameters(sequence: sequence)]
        writeParameterSets()
    }

    // MARK: Pictures

    /// Writes a frame as an IDR picture.
    package mutating func idr(_ picture: Picture, _ options: PictureOptions = .idr) {
        frame(picture, options)
    }

    /// Writes a frame of intra macroblocks.
    package mutating func i(_ picture: Picture, _ options: PictureOptions = .i) {
        frame(picture, options)
    }

    /// Writes a frame that copies from its reference what is the same there.
    package mutating func p(_ picture: Picture, _ options: PictureOptions = .p) {
        frame(picture, options)
    }

    /// Writes a B frame, no reference unless the options say so.
    package mutating func b(_ picture: Picture, _ options: PictureOptions = .b) {
        frame(picture, options)
    }

    /// Writes a frame that is all copied: skipped macroblocks where the options leave the reference at the first.
    package mutating func skip(_ options: PictureOptions = .p) {
        precondition(options.kind != .i, "an I picture copies nothing")
        code(nil, .frame, options)
    }

    /// Writes a frame; an MBAFF one where the sequence says so.
    package mutating func frame(_ picture: Picture, _ options: PictureOptions) {
        code(picture, .frame, options)
    }

    /// Writes a field of half the picture's height.
    ///
    /// It is the second of a pair if the picture before is a first field of the other parity, and the options do not say `isUnpaired`.
    package mutating func field(_ field: Picture, _ parity: FieldParity, _ options: PictureOptions)
    {
        code(field, PictureStructure(parity), options)
    }

    /// Writes a field that is all copied.
    package mutating func skipField(_ parity: FieldParity, _ options: PictureOptions = .p) {
        code(nil, PictureStructure(parity), options)
    }

    /// Writes a frame as two fields.
    ///
    /// The second field of an IDR picture is a P field; else both have the options given, with the order count of the first.
    package mutating func fieldPair(
        _ picture: Picture, first: FieldParity = .top, _ options: PictureOptions = .p
    ) {
        // Whatever lone field came before, this one does not complete it.
        field(picture.field(first), first, options.with { $0.isUnpaired = true })
        var second = options
        second.isUnpaired = false
        second.pictureOrderCount = options.pictureOrderCount.map { $0 + 1 }
        second.frameNumGap = 0
        if options.isIDR {
            second.isIDR = false
            second.kind = .p
        }
        second.hasDelimiter = false
        second.pictureStructure = nil
        second.recoveryFrameCount = nil
        second.userData = nil
        second.memoryManagement = []
        field(picture.field(first.opposite), first.opposite, second)
    }

    // MARK: Other NAL units

    /// Changes the sequence; the next picture must be an IDR picture.
    package mutating func begin(
        _ sequence: SequenceParameters, pictureParameters: [PictureParameters]? = nil
    ) {
        self.sequence = sequence
        self.pictureParameters = pictureParameters ?? [PictureParameters(sequence: sequence)]
        writeParameterSets()
    }

    /// Writes the parameter sets (again).
    package mutating func writeParameterSets() {
        append(type: 7, referenceIDC: 3, sequence.rbsp, next: true)
        for set in pictureParameters { append(type: 8, referenceIDC: 3, set.rbsp, next: true) }
    }

    /// Replaces a picture parameter set, or adds one.
    package mutating func write(_ set: PictureParameters) {
        pictureParameters.removeAll { $0.id == set.id }
        pictureParameters.append(set)
        append(type: 8, referenceIDC: 3, set.rbsp, next: true)
    }

    /// Ends the sequence (`end_of_seq_rbsp`); the next picture must be an IDR picture.
    package mutating func endSequence() { append(type: 10, referenceIDC: 0, [], next: false) }

    /// Ends the stream (`end_of_stream_rbsp`).
    package mutating func endStream() { append(type: 11, referenceIDC: 0, [], next: false) }

    /// Writes any NAL unit: its payload before emulation prevention, trailing bits included.
    package mutating func append(
        type: Int, referenceIDC: Int, _ rbsp: [UInt8], belongsToNext next: Bool = true
    ) {
        append(type: type, referenceIDC: referenceIDC, rbsp, next: next)
    }

    private mutating func append(type: Int, referenceIDC: Int, _ rbsp: [UInt8], next: Bool) {
        let picture = next ? pictures.count : pictures.count - 1
        nalUnits.append(
            SynthesizedNALUnit(type: type, referenceIDC: referenceIDC, rbsp: rbsp, picture: picture)
        )
    }

    // MARK: Results

    /// The byte stream.
    package func bytes(_ framing: Framing = Framing(.long)) -> [UInt8] {
        framing.bytes(of: nalUnits)
    }

    /// What is shown, in the order of presentation.
    package var presentedPictures: [WrittenPicture] {
        pictures.enumerated().sorted {
            ($0.element.sequence, $0.element.pictureOrderCount, $0.offset)
                < ($1.element.sequence, $1.element.pictureOrderCount, $1.offset)
        }.map(\.element)
    }
}

// MARK: - Coding

extension StreamWriter {
    /// What is settled about a picture before its slices are written.
    private struct Settled {
        var structure: PictureStructure
        var options: PictureOptions
        var frameNum: Int
        var order: OrderCounter.Fields
        var isSecond: Bool
        var current: ReferenceBuffer.Current
        var activeReferences = 1
        var prediction: Picture?
        var copy = SliceDataCoder.Copy.skip
    }

    private mutating func code(
        _ picture: Picture?, _ structure: PictureStructure, _ options: PictureOptions
    ) {
        precondition(
            structure == .frame || !sequence.isFramesOnly, "a field in a sequence of frames only")
        precondition(!options.isIDR || options.kind == .i, "an IDR picture is an I picture")
        precondition(options.isIDR || sequenceIndex >= 0, "the first picture is an IDR picture")
        let isReference = options.referenceIDC > 0
        let isSecond =
            firstField.map {
                $0.parity.opposite == structure.parity && !options.isUnpaired && !options.isIDR
                    && $0.isReference == isReference
            } ?? false
        if let firstField, !isSecond, firstField.parity.opposite == structure.parity {
            precondition(
                isReference || firstField.isReference || options.frameNumGap > 0,
                "a decoder would pair these fields: both no reference, of one frame_num")
        }
        if !isSecond { firstField = nil }
        var settled = settle(structure, options, isSecond: isSecond)
        settlePrediction(&settled)
        var coded = sequence.codedFormat
        if structure != .frame { coded.height /= 2 }
        guard let target = picture.map({ extended($0, structure, coded) }) ?? settled.prediction
        else {
            preconditionFailure("nothing to copy")
        }
        writeMessages(settled)
        writeSlices(target, settled)
        mark(target, settled)
    }

    /// The picture in coded size.
    private func extended(
        _ picture: Picture, _ structure: PictureStructure, _ coded: PictureFormat
    ) -> Picture {
        var shown = sequence.format
        if structure != .frame { shown.height /= 2 }
        precondition(picture.format == shown, "a picture of \(picture.format), not \(shown)")
        let origin = sequence.cropOrigin
        guard origin.x != 0 || origin.y != 0 else {
            return picture.resized(width: coded.width, height: coded.height)
        }
        return picture.shifted(
            x: origin.x, y: structure == .frame ? origin.y : origin.y / 2, into: coded)
    }

    private mutating func settle(
        _ structure: PictureStructure, _ options: PictureOptions, isSecond: Bool
    ) -> Settled {
        let maxFrameNum = sequence.maxFrameNum
        var frameNum = 0
        if options.isIDR {
            references.removeAll()
            orderCounter.reset()
            sequenceIndex += 1
        } else if isSecond, let firstField {
            frameNum = firstField.frameNum
        } else {
            for _ in 0..<options.frameNumGap { leaveOut() }
            frameNum = (previousReferenceFrameNum + 1) % maxFrameNum
        }
        orderCounter.advance(to: frameNum, maxFrameNum: maxFrameNum)
        var wanted = options.pictureOrderCount
        if case .leastSignificantBits = sequence.orderCounting, isSecond, let firstField {
            wanted = wanted ?? firstField.orderCount + 1
        }
        let order = orderCounter.fields(
            sequence: sequence, structure: structure, wanted: wanted,
            bottomOffset: options.bottomOffset, isReference: options.referenceIDC > 0,
            isSecond: isSecond)
        let current = ReferenceBuffer.Current(
            frameNum: frameNum, structure: structure,
            orderCount: order.orderCounts.compactMap(\.self).min() ?? 0, maxFrameNum: maxFrameNum)
        return Settled(
            structure: structure, options: options, frameNum: frameNum, order: order,
            isSecond: isSecond, current: current)
    }

    /// A frame_num that no picture has (8.2.5.2).
    private mutating func leaveOut() {
        let frameNum = (previousReferenceFrameNum + 1) % sequence.maxFrameNum
        let current = ReferenceBuffer.Current(
            frameNum: frameNum, structure: .frame, orderCount: 0, maxFrameNum: sequence.maxFrameNum)
        orderCounter.advance(to: frameNum, maxFrameNum: sequence.maxFrameNum)
        references.slide(current, limit: sequence.maxReferenceFrames)
        references.append(
            ReferenceBuffer.Frame(
                frameNum: frameNum, marks: [.shortTerm, .shortTerm], orderCounts: [0, 0],
                picture: Picture(sequence.codedFormat), isNonExisting: true))
        previousReferenceFrameNum = frameNum
    }

    /// What a copied macroblock shows, and how it is coded.
    private func settlePrediction(_ settled: inout Settled) {
        let options = settled.options
        let current = settled.current
        switch options.kind {
        case .i:
            break
        case .p:
            settled.activeReferences = max(
                options.referenceIndex + 1, options.listModifications.count)
            let list = references.modified(
                references.initialList(current), by: options.listModifications, current,
                count: settled.activeReferences)
            precondition(
                list.indices.contains(options.referenceIndex),
                "no reference \(options.referenceIndex)")
            let entry = list[options.referenceIndex]
            precondition(
                !references.frames[entry.frame].isNonExisting,
                "reference \(options.referenceIndex) is a frame that a gap left out")
            settled.prediction = references.picture(entry, for: current)
            if options.referenceIndex > 0 {
                settled.copy = .predicted(type: 0, lists: 1, referenceIndex: options.referenceIndex)
            }
        case .b:
            let list0 = references.modified(
                references.initialBidirectionalList(0, current), by: options.listModifications,
                current, count: 1)
            var list1 = references.initialBidirectionalList(1, current)
            if list1.count > 1, list1 == references.initialBidirectionalList(0, current) {
                list1.swapAt(0, 1)
            }
            let first = references.picture(list0[0], for: current)
            let second = references.picture(list1[0], for: current)
            switch options.bidirectionalCopy {
            case .list0:
                settled.prediction = first
                settled.copy = .predicted(type: 1, lists: 1, referenceIndex: 0)
            case .list1:
                settled.prediction = second
                settled.copy = .predicted(type: 2, lists: 1, referenceIndex: 0)
            case .both:
                settled.prediction = first.averaged(with: second)
                settled.copy = .predicted(type: 3, lists: 2, referenceIndex: 0)
            case .direct:
                settled.prediction = first.averaged(with: second)
            }
        }
    }

    private mutating func writeMessages(_ settled: Settled) {
        // What precedes the second field of a pair is of the same picture.
        let next = !settled.isSecond
        let options = settled.options
        if options.hasDelimiter {
            var bits = BitWriter()
            bits.u(options.kind == .i ? 0 : options.kind == .p ? 1 : 2, bits: 3)
            append(type: 9, referenceIDC: 0, bits.finish(), next: next)
        }
        var messages: [SupplementalMessage] = []
        if let structure = options.pictureStructure {
            messages.append(.pictureTiming(structure: structure))
        }
        if let count = options.recoveryFrameCount {
            messages.append(.recoveryPoint(frameCount: count))
        }
        if let text = options.userData { messages.append(.userData(text)) }
        guard !messages.isEmpty else { return }
        append(type: 6, referenceIDC: 0, SupplementalMessage.rbsp(messages), next: next)
    }

    private mutating func writeSlices(_ target: Picture, _ settled: Settled) {
        let options = settled.options
        let isAdaptive = sequence.isMacroblockAdaptive && settled.structure == .frame
        let units = target.format.width / 16 * (target.format.height / (isAdaptive ? 32 : 16))
        guard let set = pictureParameters.first(where: { $0.id == options.pictureParameters })
        else {
            preconditionFailure("no picture parameter set \(options.pictureParameters)")
        }
        let sliceQP = 24
        let coder = SliceDataCoder(
            target: target, prediction: settled.prediction, copy: settled.copy, kind: options.kind,
            isField: settled.structure != .frame,
            isFieldPair: isAdaptive ? options.isFieldPair : nil,
            usesCells: options.usesCells, activeReferences: settled.activeReferences,
            sliceQP: sliceQP)
        for slice in 0..<options.sliceCount {
            let range =
                slice * units / options.sliceCount..<(slice + 1) * units / options.sliceCount
            guard !range.isEmpty else { continue }
            var bits = BitWriter()
            writeHeader(first: range.lowerBound, set, qp: sliceQP, settled, to: &bits)
            coder.write(range, to: &bits)
            append(
                type: options.isIDR ? 5 : 1, referenceIDC: options.referenceIDC, bits.finish(),
                next: !settled.isSecond)
        }
        if options.isIDR { idrCount += 1 }
    }

    /// `slice_header()`, 7.3.3.
    private func writeHeader(
        first: Int, _ set: PictureParameters, qp: Int, _ settled: Settled, to bits: inout BitWriter
    ) {
        let options = settled.options
        bits.ue(first)
        bits.ue(options.kind.rawValue)
        bits.ue(set.id)
        bits.u(settled.frameNum, bits: sequence.log2MaxFrameNum)
        if !sequence.isFramesOnly {
            bits.flag(settled.structure != .frame)
            if settled.structure != .frame { bits.flag(settled.structure == .bottom) }
        }
        if options.isIDR { bits.ue(idrCount % 2) }
        let hasSecondDelta = set.hasBottomFieldOrder && settled.structure == .frame
        switch sequence.orderCounting {
        case .leastSignificantBits(let log2Maximum):
            bits.u(settled.order.leastSignificantBits, bits: log2Maximum)
            if hasSecondDelta { bits.se(settled.order.deltas[0]) }
        case .cycle(_, _, _, deltasAreZero: false):
            bits.se(settled.order.deltas[0])
            if hasSecondDelta { bits.se(settled.order.deltas[1]) }
        case .cycle, .decodeOrder:
            break
        }
        if options.kind == .b { bits.flag(true) }  // direct_spatial_mv_pred_flag
        if options.kind != .i {
            let count = settled.activeReferences
            bits.flag(count != set.defaultActiveReferences)
            if count != set.defaultActiveReferences {
                bits.ue(count - 1)
                if options.kind == .b { bits.ue(count - 1) }
            }
            bits.flag(!options.listModifications.isEmpty)
            if !options.listModifications.isEmpty {
                for modification in options.listModifications { modification.write(to: &bits) }
                bits.ue(3)
            }
            if options.kind == .b { bits.flag(false) }
        }
        if options.referenceIDC > 0 { writeMarking(options, to: &bits) }
        bits.se(qp - set.initialQP)
        bits.ue(1)  // disable_deblocking_filter_idc
    }

    /// `dec_ref_pic_marking()`, 7.3.3.3.
    private func writeMarking(_ options: PictureOptions, to bits: inout BitWriter) {
        if options.isIDR {
            bits.flag(options.omitsOutputOfPriorPictures)
            bits.flag(options.isLongTerm)
            return
        }
        bits.flag(!options.memoryManagement.isEmpty)
        guard !options.memoryManagement.isEmpty else { return }
        for operation in options.memoryManagement { operation.write(to: &bits) }
        bits.ue(0)
    }
}

// MARK: - After a picture

extension StreamWriter {
    private mutating func mark(_ target: Picture, _ settled: Settled) {
        var settled = settled
        let options = settled.options
        let isReference = options.referenceIDC > 0
        let whole = frame(of: target, settled)
        var longTermIndex: Int? = options.isIDR && options.isLongTerm ? 0 : nil
        var hasUnmarkedAll = false
        for operation in options.memoryManagement {
            references.execute(operation, settled.current)
            if case .makeCurrentLongTerm(let index) = operation { longTermIndex = index }
            if operation == .unmarkAll { hasUnmarkedAll = true }
        }
        if hasUnmarkedAll { restart(&settled) }
        if isReference { keep(whole, longTermIndex: longTermIndex, settled) }
        if isReference { previousReferenceFrameNum = settled.frameNum }
        record(whole, settled)
        if let parity = settled.structure.parity, !settled.isSecond {
            firstField = FirstField(
                parity: parity, frameNum: settled.frameNum, orderCount: settled.current.orderCount,
                isReference: isReference, frame: whole)
        } else {
            firstField = nil
        }
    }

    /// After MMCO 5 the picture counts as one with frame_num 0, and order counts from 0 (8.2.1).
    private mutating func restart(_ settled: inout Settled) {
        let least = settled.current.orderCount
        settled.order.orderCounts = settled.order.orderCounts.map { $0.map { $0 - least } }
        settled.frameNum = 0
        settled.current.frameNum = 0
        settled.current.orderCount = 0
        orderCounter.resetAfterUnmarkAll(
            largest: settled.order.orderCounts.compactMap(\.self).max() ?? 0)
        sequenceIndex += 1
    }

    /// Both fields' rows: those of a field that has no other yet twice.
    private func frame(of target: Picture, _ settled: Settled) -> Picture {
        guard let parity = settled.structure.parity else { return target }
        if settled.isSecond, var frame = firstField?.frame {
            frame.setField(parity, to: target)
            return frame
        }
        return Picture(top: target, bottom: target)
    }

    private mutating func keep(_ whole: Picture, longTermIndex: Int?, _ settled: Settled) {
        let mark: ReferenceBuffer.Mark = longTermIndex == nil ? .shortTerm : .longTerm
        if settled.isSecond, let parity = settled.structure.parity,
            references.addSecondField(
                parity, of: settled.frameNum, mark: mark, longTermIndex: longTermIndex,
                orderCount: settled.current.orderCount, picture: whole)
        {
            return
        }
        if settled.options.memoryManagement.isEmpty && !settled.options.isIDR {
            references.slide(settled.current, limit: sequence.maxReferenceFrames)
        }
        var frame = ReferenceBuffer.Frame(
            frameNum: settled.frameNum, longTermIndex: longTermIndex, marks: [.none, .none],
            orderCounts: settled.order.orderCounts, picture: whole)
        for parity in settled.structure.parities { frame.marks[parity.rawValue] = mark }
        references.append(frame)
        precondition(
            references.frames.count <= max(1, sequence.maxReferenceFrames), "too many references")
    }

    private mutating func record(_ whole: Picture, _ settled: Settled) {
        let origin = sequence.cropOrigin
        let shown = whole.shifted(x: -origin.x, y: -origin.y, into: sequence.format)
        if settled.isSecond {
            let last = pictures.count - 1
            pictures[last].picture = shown
            pictures[last].pictureOrderCount = min(
                pictures[last].pictureOrderCount, settled.current.orderCount)
            pictures[last].structure = .frame
            pictures[last].isFieldPair = true
            let kinds = [pictures[last].kind, settled.options.kind]
            pictures[last].kind = kinds.contains(.b) ? .b : kinds.contains(.p) ? .p : .i
            return
        }
        pictures.append(
            WrittenPicture(
                picture: shown, pictureOrderCount: settled.current.orderCount,
                sequence: sequenceIndex, frameNum: settled.frameNum,
                isReference: settled.options.referenceIDC > 0, isIDR: settled.options.isIDR,
                kind: settled.options.kind, structure: settled.structure, isFieldPair: false,
                pictureStructure: settled.options.pictureStructure))
    }
}
