import ElementaryStream

/// What a report learnt of its stream.
struct ReportOutcome {
    var frames = 0
    var shown = 0
    var damaged = 0
    var nals = 0
    /// Whether `--strict` ended it.
    var isStoppedByDamage = false

    /// The rank of the picture counted last.
    var lastRank = 0

    mutating func count(_ timed: TimedAccessUnit, isDamaged: Bool) {
        frames += 1
        lastRank = timed.presentationRank
        if timed.isShown { shown += 1 }
        if isDamaged { damaged += 1 }
    }
}
