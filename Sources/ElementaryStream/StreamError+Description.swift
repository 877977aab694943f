internal import Glibc

extension StreamError: CustomStringConvertible {
    /// What is wrong with the stream and what to do about it: the part of a line behind the stream's name.
    public var description: String {
        switch self {
        case .system("open", let code): "\(Self.reason(code)); check the name"
        case .system(let call, let code): "\(call): \(Self.reason(code))"
        case .directory: "is a directory; name a file in it"
        case .empty: "is empty; nothing to play"
        case .notH264(let format): format.advice
        case .dropped(let offset): "byte \(offset) of the pipe is no longer in memory"
        case .parameterSets(let offset):
            "the parameter sets at byte \(offset) cannot be used, or are too many"
        case .sample(let offset): "the access unit at byte \(offset) cannot be decoded"
        case .truncated: "has become shorter while it was followed"
        case .cancelled: "interrupted"
        }
    }

    private static func reason(_ code: Int32) -> String { String(cString: strerror(code)) }
}

extension ForeignFormat: CustomStringConvertible {
    /// The format's name, as in "this is …".
    public var description: String {
        switch self {
        case .mp4: "MP4"
        case .matroska: "Matroska"
        case .mpegTransportStream: "an MPEG transport stream"
        case .mpegProgramStream: "an MPEG program stream"
        case .flv: "FLV"
        case .avi: "AVI"
        case .lengthPrefixed: "H.264 with length fields (AVCC), not start codes"
        case .hevc: "HEVC (H.265)"
        case .mpeg2Video: "MPEG-2 video"
        case .text: "text"
        case .unknown: "something that has no start code (00 00 01)"
        }
    }

    /// Whether there may be H.264 in it, to be taken out.
    public var mayHoldH264: Bool {
        switch self {
        case .mp4, .matroska, .mpegTransportStream, .mpegProgramStream, .flv, .avi: true
        case .lengthPrefixed: true
        case .hevc, .mpeg2Video, .text, .unknown: false
        }
    }

    fileprivate var advice: String {
        guard mayHoldH264 else {
            return "is \(self), not H.264; nothing here decodes it"
        }
        return "is \(self), no byte stream; make one:"
            + " ffmpeg -i FILE -c copy -bsf:v h264_mp4toannexb -f h264 CLIP.264"
    }
}
