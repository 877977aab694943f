/// How one frame or field is coded; what is not said follows from the pictures before.
package struct PictureOptions: Sendable {
    /// Slice type.
    package enum Kind: Int, Hashable, Sendable {
        case p = 0
        case b = 1
        case i = 2
    }

    /// Which reference the unchanged macroblocks of a B picture copy.
    package enum BidirectionalCopy: Hashable, Sendable {
        /// The first of list 0.
        case list0
        /// The first of list 1.
        case list1
        /// The mean of both, as B_Skip macroblocks (spatial direct).
        case direct
        /// The mean of both, as B_Bi_16x16 macroblocks.
        case both
    }

    package var kind: Kind
    package var isIDR: Bool
    /// `nal_ref_idc`; 0 is no reference picture.
    package var referenceIDC: Int
    /// Picture order count relative to the last IDR picture or MMCO 5, of the top field (of the field itself in field pictures).
    ///
    /// `nil`: two more than the largest so far (one more for a second field), or what types 1 and 2 expect.
    package var pictureOrderCount: Int?
    /// Of the bottom field beyond the top one; `nil`: 1 where there are fields, else 0.
    package var bottomOffset: Int?
    package var sliceCount = 1
    /// How many values of `frame_num` are left out before this picture.
    package var frameNumGap = 0
    /// A field that could be second of a pair begins a frame of its own.
    package var isUnpaired = false
    package var memoryManagement: [MemoryManagement] = []
    package var listModifications: [ListModification] = []
    /// The entry of list 0 (after modification) that unchanged macroblocks of a P picture copy.
    package var referenceIndex = 0
    package var bidirectionalCopy = BidirectionalCopy.list0
    /// An IDR picture becomes a long-term reference.
    package var isLongTerm = false
    package var omitsOutputOfPriorPictures = false
    /// Flat macroblocks in a few bytes instead of I_PCM, where 8-bit 4:2:0 allows it.
    package var usesCells = true
    /// Pairs of an MBAFF frame that are field coded; every second one unless said.
    package var isFieldPair: @Sendable (Int) -> Bool = { $0 % 2 == 1 }
    package var pictureParameters = 0
    package var hasDelimiter = false
    /// `pic_struct` of a picture timing message.
    package var pictureStructure: Int?
    /// `recovery_frame_cnt` of a recovery point message.
    package var recoveryFrameCount: Int?
    /// User data (unregistered): text after an identifier.
    package var userData: String?

    /// Options for a picture of this kind.
    package init(
        _ kind: Kind, isIDR: Bool = false, referenceIDC: Int = 1, pictureOrderCount: Int? = nil
    ) {
        self.kind = kind
        self.isIDR = isIDR
        self.referenceIDC = referenceIDC
        self.pictureOrderCount = pictureOrderCount
    }

    /// The same with changes.
    package func with(_ change: (inout PictureOptions) -> Void) -> PictureOptions {
        var copy = self
        change(&copy)
        return copy
    }

    package static var idr: PictureOptions { PictureOptions(.i, isIDR: true) }
    package static var i: PictureOptions { PictureOptions(.i) }
    package static var p: PictureOptions { PictureOptions(.p) }
    /// A B picture that is no reference.
    package static var b: PictureOptions { PictureOptions(.b, referenceIDC: 0) }
}

/// A `memory_management_control_operation`.
package enum MemoryManagement: Hashable, Sendable {
    /// 1: `difference_of_pic_nums_minus1`.
    case unmarkShortTerm(differenceMinus1: Int)
    /// 2: `long_term_pic_num`.
    case unmarkLongTerm(number: Int)
    /// 3: `difference_of_pic_nums_minus1`, `long_term_frame_idx`.
    case makeLongTerm(differenceMinus1: Int, index: Int)
    /// 4: `max_long_term_frame_idx_plus1`.
    case limitLongTerm(countOfIndices: Int)
    /// 5.
    case unmarkAll
    /// 6: `long_term_frame_idx` for the picture itself.
    case makeCurrentLongTerm(index: Int)

    func write(to bits: inout BitWriter) {
        switch self {
        case .unmarkShortTerm(let difference):
            bits.ue(1)
            bits.ue(difference)
        case .unmarkLongTerm(let number):
            bits.ue(2)
            bits.ue(number)
        case .makeLongTerm(let difference, let index):
            bits.ue(3)
            bits.ue(difference)
            bits.ue(index)
        case .limitLongTerm(let count):
            bits.ue(4)
            bits.ue(count)
        case .unmarkAll:
            bits.ue(5)
        case .makeCurrentLongTerm(let index):
            bits.ue(6)
            bits.ue(index)
        }
    }
}

/// A `modification_of_pic_nums_idc` for list 0.
package enum ListModification: Hashable, Sendable {
    /// 0: `abs_diff_pic_num_minus1`, towards older pictures.
    case subtract(differenceMinus1: Int)
    /// 1: the same towards newer ones.
    case add(differenceMinus1: Int)
    /// 2: `long_term_pic_num`.
    case longTerm(number: Int)

    func write(to bits: inout BitWriter) {
        switch self {
        case .subtract(let difference):
            bits.ue(0)
            bits.ue(difference)
        case .add(let difference):
            bits.ue(1)
            bits.ue(difference)
        case .longTerm(let number):
            bits.ue(2)
            bits.ue(number)
        }
    }
}
