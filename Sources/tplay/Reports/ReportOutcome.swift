import ElementaryStream

/// What a report learnt of its stream.
struct ReportOutcome {
    /// Pictures reported.
    var frames = 0
    var shown = 0
    var damaged = 0
    /// Pictures that were decoded; 0 too where none was asked for.
    var decoded = 0
    var nals = 0
    /// Pictures read, in the range or not.
    var pictureCount = 0
    /// The picture at which `--strict` ended it.
    var damagedRank: Int?

    /// Takes note that the stream was read to its end, for `--strict`: slices there that nothing explains are of a picture
    /// that would be the next.
    mutating func noteEnd(isUndecodable: Bool) {
        if isUndecodable, pictureCount > 0 { damagedRank = damagedRank ?? pictureCount }
    }

    mutating func count(_ picture: ReportedPicture) { count(picture.facts) }

    mutating func count(_ picture: ReportedPicture.Facts) {
        frames += 1
        if picture.isShown { shown += 1 }
        if picture.isDamaged { damaged += 1 }
        if picture.hasPicture { decoded += 1 }
    }
}
