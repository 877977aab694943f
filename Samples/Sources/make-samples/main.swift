import Glibc
import StreamSynthesis

/// Writes all of `bytes` to standard output; ends the program where that cannot be.
func put(_ bytes: [UInt8]) {
    var done = 0
    while done < bytes.count {
        let count = bytes.withUnsafeBytes { write(1, $0.baseAddress! + done, bytes.count - done) }
        guard count > 0 else { exit(1) }
        done += count
    }
}

/// Says how to call the program, and ends it.
func fail(_ text: String) -> Never {
    let line = Array("make-samples: \(text)\n".utf8)
    _ = write(2, line, line.count)
    exit(2)
}

let arguments = CommandLine.arguments.dropFirst()
guard arguments.count == 2, let verb = arguments.first, let name = arguments.last else {
    fail("raw CLIP (pictures for an encoder), stream NAME, pictures NAME (what the stream shows)")
}
switch verb {
case "raw":
    guard let clip = Clip.all.first(where: { $0.name == name }) else { fail("no clip \(name)") }
    for number in 0..<clip.count { put(clip.picture(number).rawBytes) }
case "stream", "pictures":
    guard let stream = SyntheticStream.named(name) else { fail("no stream \(name)") }
    if verb == "stream" {
        put(stream.writer.bytes(stream.framing))
    } else {
        for written in stream.writer.presentedPictures { put(written.picture.rawBytes) }
    }
default:
    fail("\(verb)? raw, stream or pictures")
}
