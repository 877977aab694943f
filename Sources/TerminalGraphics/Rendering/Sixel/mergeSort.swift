/// Sorts a range of elements by a key, equal ones as they were, in memory that the caller lends.
///
/// - Parameters:
///   - elements: What is sorted.
///   - spare: As long; its contents are lost.
///   - range: The part of it.
///   - key: What is compared.
/// - Complexity: O(n log n).
func mergeSort<Element: BitwiseCopyable>(
    _ elements: UnsafeMutablePointer<Element>, _ spare: UnsafeMutablePointer<Element>,
    _ range: Range<Int>, by key: (Element) -> Float
) {
    let first = 16
    for start in stride(from: range.lowerBound, to: range.upperBound, by: first) {
        let end = min(start + first, range.upperBound)
        for index in start + 1..<max(end, start + 1) {
            let element = elements[index]
            let own = key(element)
            var place = index
            while place > start, key(elements[place - 1]) > own {
                elements[place] = elements[place - 1]
                place -= 1
            }
            elements[place] = element
        }
    }
    var (from, to) = (elements, spare)
    var length = first
    while length < range.count {
        for start in stride(from: range.lowerBound, to: range.upperBound, by: 2 * length) {
            let middle = min(start + length, range.upperBound)
            let end = min(start + 2 * length, range.upperBound)
            var (left, right) = (start, middle)
            for out in start..<end {
                if left < middle, right == end || key(from[left]) <= key(from[right]) {
                    to[out] = from[left]
                    left += 1
                } else {
                    to[out] = from[right]
                    right += 1
                }
            }
        }
        swap(&from, &to)
        length *= 2
    }
    guard from != elements else { return }
    (elements + range.lowerBound).update(from: from + range.lowerBound, count: range.count)
}
