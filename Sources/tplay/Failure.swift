import ElementaryStream
import Playback

/// What to say of a failure: what it is, and what to do about it.
enum Failure {
    /// The part of the line behind the file's name.
    static func text(_ failure: PlaybackFailure, file: String) -> String {
        switch failure {
        case .stream(let error): return text(error, file: file)
        case .nothingShown(.noNALUnits):
            return "not H.264: no start code (00 00 01) in it; --report nals shows what is there"
        case .nothingShown(.noParameterSets(let nals)):
            return "no picture decodable: \(nals) NAL units, but no slice whose SPS and PPS are"
                + " there and valid; --report nals tells which are not"
        case .nothingShown(.noRandomAccessPoint(let pictures)):
            return "no picture decodable: \(pictures) pictures, but no IDR picture and no"
                + " recovery point; --report frames lists them"
        case .nothingShown(.undecodable(let pictures)):
            return "no picture decodable: \(pictures) pictures, and libavcodec decodes none;"
                + " --log FILE keeps what it says"
        case .decoder(let status):
            return "the decoder gave up (\(status)); --log FILE keeps what libav says of it"
        case .drawing(let reason): return "cannot be drawn: \(reason)"
        case .startBehindEnd(let pictures):
            return "--start is behind the end: there are \(pictures) pictures"
        case .emptyRange:
            return "no picture that is shown lies between --start and --until; --report frames"
                + " lists the times"
        case .damage(let picture):
            return "picture \(picture) is damaged; without --strict it is played on"
        case .undecodableEnd(let offset):
            return "from byte \(offset) to the end there are only slices whose SPS and PPS are not"
                + " there or not valid; --report nals shows them"
        }
    }

    static func text(_ error: StreamError, file: String) -> String {
        switch error {
        case .notH264(let format): return text(format, file: file)
        case .parameterSets(let offset):
            return "the parameter sets at byte \(offset) cannot be used; --report nals shows them"
        case .dropped: return "\(error); --buffer keeps more"
        case .truncated: return "\(error); start again to play it anew"
        case .system, .directory, .empty, .sample, .cancelled: return error.description
        }
    }

    private static func text(_ format: ForeignFormat, file: String) -> String {
        let input = file == "-" ? "FILE" : file
        let quoted = Printable.quoted(input)
        let convert =
            "ffmpeg -nostdin -v error -i \(quoted) -c copy -bsf:v h264_mp4toannexb -f h264 - | tplay -"
        switch format {
        case .mp4, .matroska, .flv, .avi:
            return "is \(format), not a byte stream; play it with: \(convert)"
        case .mpegTransportStream, .mpegProgramStream:
            return "is \(format); play it with: \(convert)"
        case .lengthPrefixed: return "is \(format); from the file it comes from: \(convert)"
        case .hevc, .mpeg2Video: return "is \(format), not H.264; tplay plays H.264 only"
        case .text: return "is text, not H.264"
        case .unknown: return "not H.264: no start code (00 00 01) in it"
        }
    }
}
