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
    /// With `--strict`, where slices begin that nothing explains and that end the stream.
    var undecodableOffset: Int64?

    mutating func count(_ picture: ReportedPicture) { count(picture.facts) }

    mutating func count(_ picture: ReportedPicture.Facts) {
        frames += 1
        if picture.isShown { shown += 1 }
        if picture.isDamaged { damaged += 1 }
        if picture.hasPicture { decoded += 1 }
    }
}
