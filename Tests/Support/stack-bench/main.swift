// How fast the bitstream layer goes over a file: `stack-bench FILE`, a line a stage, for Scripts/bench.

import Glibc
import H264

/// Reads a file in pieces of 1 MiB and gives each NAL unit with its bytes.
func walk(_ path: String, _ body: (NALUnit, UnsafeRawBufferPointer) -> Void) -> Int64 {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return 0 }
    defer { close(descriptor) }
    var capacity = 2 << 20
    var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
    defer { buffer.deallocate() }
    var scanner = ByteStreamScanner()
    var (offset, filled, isEnd) = (Int64(0), 0, false)
    while true {
        let window = UnsafeRawBufferPointer(rebasing: buffer[..<filled])
        while let nal = scanner.next(in: window, windowOffset: offset, isEnd: isEnd) {
            let first = Int(nal.offset - offset)
            body(nal, UnsafeRawBufferPointer(rebasing: window[first..<first + nal.byteCount]))
        }
        if isEnd { return offset + Int64(filled) }
        let kept = filled - Int(min(max(scanner.neededOffset - offset, 0), Int64(filled)))
        if kept == capacity {
            capacity *= 2
            let larger = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: 64)
            larger.copyMemory(from: window)
            buffer.deallocate()
            buffer = larger
        } else if kept < filled {
            buffer.copyMemory(from: .init(rebasing: window[(filled - kept)...]))
            offset += Int64(filled - kept)
            filled = kept
        }
        let room = min(capacity - filled, 1 << 20)
        let count = read(descriptor, buffer.baseAddress! + filled, room)
        if count > 0 { filled += count } else { isEnd = true }
    }
}

func seconds() -> Double {
    var time = timespec()
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
}

guard CommandLine.arguments.count == 2 else {
    print("usage: stack-bench FILE")
    exit(2)
}
let path = CommandLine.arguments[1]
var start = seconds()
var nalUnits = 0
var bytes = walk(path) { _, _ in nalUnits += 1 }
var elapsed = seconds() - start
print("scan \(Double(bytes) / elapsed / 1e9) GB/s of CPU time, \(nalUnits) NAL units")
start = seconds()
var parser = AccessUnitParser()
var accessUnits = 0
bytes = walk(path) { nal, content in
    if parser.append(nal, bytes: content) != nil { accessUnits += 1 }
}
if parser.finish(endOffset: bytes) != nil { accessUnits += 1 }
elapsed = seconds() - start
print("parse \(Double(bytes) / elapsed / 1e9) GB/s of CPU time, \(accessUnits) access units")
