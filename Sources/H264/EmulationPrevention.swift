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
        var index = 0
        var zeros = 0
        let start = result.count
        let room = limit == .max ? bytes.count : min(limit, bytes.count)
        result.reserveCapacity(start + room + BitReader.padding)
        while index < bytes.count {
            let byte = unsafe bytes[index]
            if zeros >= 2 && byte == 3 {
                zeros = 0
            } else {
                if result.count - start >= room { return false }
                zeros = byte == 0 ? zeros + 1 : 0
                result.append(byte)
            }
            index += 1
        }
        return true
    }
}
