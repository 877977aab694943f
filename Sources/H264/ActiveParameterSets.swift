/// The parameter sets that a decoder needs for an access unit; immutable and shared among access units.
public final class ActiveParameterSets: Sendable {
    /// The sequence parameter set.
    public let sequenceParameterSet: SequenceParameterSet
    /// Every valid picture parameter set that names it, by ascending id.
    public let pictureParameterSets: [PictureParameterSet]
    /// Its extension, where there is one.
    public let sequenceParameterSetExtension: SequenceParameterSetExtension?
    /// Differs from that of other instances of the same parser exactly when the content does from the one before.
    public let generation: Int

    init(
        _ sequenceParameterSet: SequenceParameterSet, _ pictureParameterSets: [PictureParameterSet],
        _ sequenceParameterSetExtension: SequenceParameterSetExtension?, generation: Int
    ) {
        self.sequenceParameterSet = sequenceParameterSet
        self.pictureParameterSets = pictureParameterSets
        self.sequenceParameterSetExtension = sequenceParameterSetExtension
        self.generation = generation
    }

    /// Whether the content is the same.
    func hasSameContent(
        _ sequenceParameterSet: SequenceParameterSet, _ pictureParameterSets: [PictureParameterSet],
        _ sequenceParameterSetExtension: SequenceParameterSetExtension?
    ) -> Bool {
        self.sequenceParameterSet == sequenceParameterSet
            && self.pictureParameterSets == pictureParameterSets
            && self.sequenceParameterSetExtension == sequenceParameterSetExtension
    }
}
