/// The reference pictures a decoder would hold, so that the writer knows what a copied macroblock shows.
///
/// Source: ITU-T H.264 (08/2021) 8.2.4, 8.2.5.
struct ReferenceBuffer {
    enum Mark {
        case none
        case shortTerm
        case longTerm
    }

    struct Frame {
        var frameNum: Int
        var longTermIndex: Int?
        /// By parity.
        var marks: [Mark]
        var orderCounts: [Int?]
        var picture: Picture
        var isNonExisting = false

        func isMarked(_ mark: Mark, _ structure: PictureStructure) -> Bool {
            structure.parities.allSatisfy { marks[$0.rawValue] == mark }
        }

        /// Of the fields that are there.
        var orderCount: Int { orderCounts.compactMap(\.self).min() ?? 0 }
    }

    /// A frame or field in a reference list.
    struct Entry: Equatable {
        var frame: Int
        var structure: PictureStructure
    }

    /// The picture that refers.
    struct Current {
        var frameNum: Int
        var structure: PictureStructure
        var orderCount: Int
        var maxFrameNum: Int

        var number: Int { structure == .frame ? frameNum : 2 * frameNum + 1 }
    }

    private(set) var frames: [Frame] = []
    private var longTermLimit = 0

    /// What a prediction without motion takes from a reference.
    func picture(_ entry: Entry, for current: Current) -> Picture {
        let picture = frames[entry.frame].picture
        guard let parity = entry.structure.parity else { return picture }
        let field = picture.field(parity)
        guard parity != current.structure.parity else { return field }
        return field.withChromaOfOtherParity(from: parity)
    }

    // MARK: Lists

    private func wrapped(_ frame: Frame, _ current: Current) -> Int {
        frame.frameNum > current.frameNum ? frame.frameNum - current.maxFrameNum : frame.frameNum
    }

    /// `PicNum` or `LongTermPicNum`, by whether a field has the parity of the current one.
    private func number(_ base: Int, _ structure: PictureStructure, _ current: Current) -> Int {
        switch current.structure {
        case .frame: base
        default: 2 * base + (structure == current.structure ? 1 : 0)
        }
    }

    /// List 0 of a P picture, before modification.
    func initialList(_ current: Current) -> [Entry] {
        let short = indices { $0.marks.contains(.shortTerm) }
            .sorted { wrapped(frames[$0], current) > wrapped(frames[$1], current) }
        return entries(short: short, current)
    }

    /// List `list` of a B picture.
    func initialBidirectionalList(_ list: Int, _ current: Current) -> [Entry] {
        func sorted(_ indices: [Int]) -> [Int] {
            let past = indices.filter { isPast(frames[$0], current) }
                .sorted { frames[$0].orderCount > frames[$1].orderCount }
            let future = indices.filter { !isPast(frames[$0], current) }
                .sorted { frames[$0].orderCount < frames[$1].orderCount }
            return list == 0 ? past + future : future + past
        }
        let short = sorted(indices { $0.marks.contains(.shortTerm) && !$0.isNonExisting })
        return entries(short: short, current)
    }

    private func isPast(_ frame: Frame, _ current: Current) -> Bool {
        current.structure == .frame
            ? frame.orderCount < current.orderCount : frame.orderCount <= current.orderCount
    }

    private func indices(_ isIncluded: (Frame) -> Bool) -> [Int] {
        frames.indices.filter { isIncluded(frames[$0]) }
    }

    private func entries(short: [Int], _ current: Current) -> [Entry] {
        let long = indices { $0.marks.contains(.longTerm) }
            .sorted { frames[$0].longTermIndex ?? 0 < frames[$1].longTermIndex ?? 0 }
        guard let parity = current.structure.parity else {
            let wholeShort = short.filter { frames[$0].isMarked(.shortTerm, .frame) }
            let wholeLong = long.filter { frames[$0].isMarked(.longTerm, .frame) }
            return (wholeShort + wholeLong).map { Entry(frame: $0, structure: .frame) }
        }
        return alternate(short, .shortTerm, from: parity) + alternate(long, .longTerm, from: parity)
    }

    /// Fields in turn, the own parity first; when one parity has run out the rest of the other follows (8.2.4.2.5).
    private func alternate(_ frames: [Int], _ mark: Mark, from parity: FieldParity) -> [Entry] {
        var queues = [FieldParity.top, .bottom].map { parity in
            frames.filter { self.frames[$0].marks[parity.rawValue] == mark }[...]
        }
        var result: [Entry] = []
        var next = parity
        while let frame = queues[next.rawValue].popFirst() {
            result.append(Entry(frame: frame, structure: PictureStructure(next)))
            next = next.opposite
        }
        let rest = next.opposite
        result += queues[rest.rawValue].map { Entry(frame: $0, structure: PictureStructure(rest)) }
        return result
    }

    /// The list after `modifications`, cut to `count` entries.
    func modified(
        _ list: [Entry], by modifications: [ListModification], _ current: Current, count: Int
    ) -> [Entry] {
        var result = list
        var predicted = current.number
        let maxNumber = current.structure == .frame ? current.maxFrameNum : 2 * current.maxFrameNum
        for (at, modification) in modifications.enumerated() {
            var wanted: (number: Int, mark: Mark)
            switch modification {
            case .subtract(let difference):
                predicted = (predicted - difference - 1 + 2 * maxNumber) % maxNumber
                wanted = (
                    predicted > current.number ? predicted - maxNumber : predicted, .shortTerm
                )
            case .add(let difference):
                predicted = (predicted + difference + 1) % maxNumber
                wanted = (
                    predicted > current.number ? predicted - maxNumber : predicted, .shortTerm
                )
            case .longTerm(let number):
                wanted = (number, .longTerm)
            }
            guard let entry = find(wanted.number, wanted.mark, current) else {
                preconditionFailure("no reference picture \(wanted)")
            }
            let later = result[min(at, result.count)...].filter { $0 != entry }
            result = Array(result[..<min(at, result.count)]) + [entry] + later
        }
        return Array(result.prefix(count))
    }

    private func find(_ wanted: Int, _ mark: Mark, _ current: Current) -> Entry? {
        let structures: [PictureStructure] =
            current.structure == .frame ? [.frame] : [.top, .bottom]
        for index in frames.indices {
            for structure in structures where frames[index].isMarked(mark, structure) {
                let base =
                    mark == .longTerm
                    ? frames[index].longTermIndex ?? 0 : wrapped(frames[index], current)
                if number(base, structure, current) == wanted {
                    return Entry(frame: index, structure: structure)
                }
            }
        }
        return nil
    }

    // MARK: Marking

    mutating func removeAll() {
        frames = []
        longTermLimit = 0
    }

    /// Makes room for a frame (8.2.5.3).
    mutating func slide(_ current: Current, limit: Int) {
        guard frames.count >= max(1, limit) else { return }
        let short = indices { $0.marks.contains(.shortTerm) }
        if let oldest = short.min(by: {
            wrapped(frames[$0], current) < wrapped(frames[$1], current)
        }) {
            frames.remove(at: oldest)
        }
    }

    /// Adds a frame or first field.
    mutating func append(_ frame: Frame) { frames.append(frame) }

    /// Adds the second field of the frame that was added last; it takes the first one's marking unless `mark` is given.
    mutating func addSecondField(
        _ parity: FieldParity, of frameNum: Int, mark: Mark, longTermIndex: Int?, orderCount: Int,
        picture: Picture
    ) -> Bool {
        guard
            let index = frames.lastIndex(where: {
                $0.frameNum == frameNum && $0.orderCounts[parity.rawValue] == nil
                    && !$0.isNonExisting
            })
        else { return false }
        frames[index].marks[parity.rawValue] = mark
        frames[index].orderCounts[parity.rawValue] = orderCount
        frames[index].picture = picture
        if let longTermIndex { frames[index].longTermIndex = longTermIndex }
        return true
    }

    /// Executes an operation; `.unmarkAll` and `.makeCurrentLongTerm` have effect on the caller's side too.
    mutating func execute(_ operation: MemoryManagement, _ current: Current) {
        switch operation {
        case .unmarkShortTerm(let difference):
            unmark(current.number - difference - 1, .shortTerm, current)
        case .unmarkLongTerm(let number):
            unmark(number, .longTerm, current)
        case .makeLongTerm(let difference, let index):
            guard let entry = find(current.number - difference - 1, .shortTerm, current) else {
                preconditionFailure("no short-term picture for \(operation)")
            }
            let frameNum = frames[entry.frame].frameNum
            freeLongTerm(index, unlessFrameNum: frameNum)
            // The removal may have moved it.
            guard let moved = find(current.number - difference - 1, .shortTerm, current) else {
                return
            }
            for parity in moved.structure.parities {
                frames[moved.frame].marks[parity.rawValue] = .longTerm
            }
            frames[moved.frame].longTermIndex = index
        case .limitLongTerm(let count):
            longTermLimit = count
            for index in frames.indices where frames[index].longTermIndex ?? -1 >= count {
                frames[index].marks = frames[index].marks.map { $0 == .longTerm ? .none : $0 }
            }
            removeUnmarked()
        case .unmarkAll:
            removeAll()
        case .makeCurrentLongTerm(let index):
            freeLongTerm(index, unlessFrameNum: current.frameNum)
        }
    }

    /// A long-term index belongs to one frame: another that has it loses it.
    private mutating func freeLongTerm(_ index: Int, unlessFrameNum frameNum: Int) {
        frames.removeAll { $0.longTermIndex == index && $0.frameNum != frameNum }
    }

    private mutating func unmark(_ number: Int, _ mark: Mark, _ current: Current) {
        guard let entry = find(number, mark, current) else {
            preconditionFailure("no \(mark) picture \(number)")
        }
        for parity in entry.structure.parities {
            frames[entry.frame].marks[parity.rawValue] = .none
        }
        removeUnmarked()
    }

    private mutating func removeUnmarked() {
        frames.removeAll { !$0.marks.contains(.shortTerm) && !$0.marks.contains(.longTerm) }
    }
}

/// A frame or one of its fields.
package enum PictureStructure: Hashable, Sendable {
    case frame
    case top
    case bottom

    package init(_ parity: FieldParity) { self = parity == .top ? .top : .bottom }

    /// `nil` for a frame.
    package var parity: FieldParity? {
        switch self {
        case .frame: nil
        case .top: .top
        case .bottom: .bottom
        }
    }

    /// The fields it has.
    package var parities: [FieldParity] {
        switch self {
        case .frame: [.top, .bottom]
        case .top: [.top]
        case .bottom: [.bottom]
        }
    }
}
