/// The number of letters to insert, delete or change that leads from one word to another (Levenshtein).
func editDistance(_ first: String, _ second: String) -> Int {
    let (a, b) = (Array(first.utf8.prefix(64)), Array(second.utf8.prefix(64)))
    var row = Array(0...b.count)
    for i in a.indices {
        var diagonal = row[0]
        row[0] = i + 1
        for j in b.indices {
            let change = diagonal + (a[i] == b[j] ? 0 : 1)
            diagonal = row[j + 1]
            row[j + 1] = min(change, row[j] + 1, row[j + 1] + 1)
        }
    }
    return row[b.count]
}
