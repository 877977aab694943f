import ElementaryStream  // openByteSource, ForeignFormat, SampleReader
import MediaTime  // CMTime, noErr
import PixelBuffers  // CVPixelBuffer
import SampleBuffers  // CMSampleBuffer
import VideoCodec  // VTDecompressionSession, VTError

func printTimes(_ path: String) throws {
    let source = try openByteSource(path: path)
    // MP4, text, HEVC …: told at once. Else there would just be no samples.
    try ForeignFormat.refuse(source)
    let reader = SampleReader(source)
    var session: VTDecompressionSession?
    while let sample = try reader.next() {
        guard let format = sample.formatDescription else { continue }
        // Another size needs another session; new parameter sets alone do not.
        if session?.canAccept(format) != true {
            session?.waitForAsynchronousFrames()
            session = try VTDecompressionSession(
                formatDescription: format, imageBufferAttributes: .format(.bgra32)
            ) { frame in
                guard let picture = frame.imageBuffer else { return }
                let time = frame.presentationTimeStamp
                print("\(time.value)/\(time.timescale) \(picture.width)x\(picture.height)")
            }
        }
        // In presentation order. With no flags: in decode order, each before the call returns.
        let status = session?.decodeFrame(sample, flags: .enableTemporalProcessing) ?? noErr
        guard status == noErr else { throw VTError.error(of: status) }
    }
    session?.waitForAsynchronousFrames()
}

do {
    try printTimes(CommandLine.arguments.dropFirst().first ?? "-")
} catch {
    print(error)
}
