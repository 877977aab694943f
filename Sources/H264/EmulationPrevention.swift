internal import Glibc

/// The bytes that keep start codes from appearing inside NAL units.
///
/// Source: ITU-T H.264 (08/2021) 7.3.1, 7.4.1.
public enum EmulationPrevention {
    /// Returns `bytes` of a NAL unit without the `03` of each `00 00 03`, as also at the very end.
    ///
    /// - Complexity: O(n).
    public static func remove(from bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        _ = unsafe bytes.withUnsafeBytes { unsafe remove(from: $0, into: &result, limit: .max) }
        return result
    }

    /// Returns `bytes` of an RBSP as they are written in a NAL unit: `03` goes before every byte up to `03` that follows
    /// two zeros, and after two zeros at the end.
    ///
    /// - Complexity: O(n).
    public static func insert(into bytes: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count + bytes.count / 64 + 1)
        var zeros = 0
        for byte in bytes {
            if zeros == 2 && byte <= 3 {
                result.append(3)
                zeros = 0
            }
            zeros = byte == 0 ? zeros + 1 : 0
            result.append(byte)
        }
        if zeros == 2 { result.append(3) }
        return result
    }

    /// Appends to `result` the first `limit` bytes that remain of `bytes` once emulation prevention is removed.
    ///
    /// - Returns: Whether all of `bytes` was taken.
    @discardableResult
    package static func remove(
        from bytes: UnsafeRawBufferPointer, into result: inout [UInt8], limit: Int
    ) -> Bool {
        let start = result.count
        let room = min(limit, bytes.count)
        result.reserveCapacity(start + room + BitReader.padding)
        result.append(contentsOf: repeatElement(0, count: room))
        var isWhole = true
        // SAFETY: both pointers stay in their buffers: index < bytes.count, and written < room before each write.
        let count = unsafe result.withUnsafeMutableBytes { all in
            let target = unsafe UnsafeMutableRawBufferPointer(rebasing: all[start...])
            return unsafe copy(bytes, to: target, &isWhole)
        }
        result.removeLast(room - count)
        return isWhole
    }

    /// Returns the number of bytes written.
    private static func copy(
        _ bytes: UnsafeRawBufferPointer, to target: UnsafeMutableRawBufferPointer,
        _ isWhole: inout Bool
    ) -> Int {
        guard let source = bytes.baseAddress, let destination = target.baseAddress else {
            isWhole = bytes.count == 0
            return 0
        }
        var index = 0
        var written = 0
        var zeros = 0
        while index < bytes.count {
            if zeros == 0 {
                // Up to the next zero nothing can be emulation prevention: ten times as fast as byte by byte.
                let left = bytes.count - index
                let current = unsafe source + index
                var run = left
                if let zero = unsafe memchr(current, 0, left) {
                    run = unsafe UnsafeRawPointer(zero) - current
                }
                let taken = min(run, target.count - written)
                unsafe memcpy(destination + written, current, taken)
                index += taken
                written += taken
                if taken < run { break }
                if index == bytes.count { return written }
            }
            let byte = unsafe bytes[index]
            if zeros >= 2 && byte == 3 {
                zeros = 0
            } else {
                if written == target.count { break }
                unsafe target[written] = byte
                written += 1
                zeros = byte == 0 ? zeros + 1 : 0
            }
            index += 1
        }
        isWhole = index == bytes.count
        return written
    }
}
