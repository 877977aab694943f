internal import CFFmpeg
internal import H264
internal import MediaTime
internal import PixelBuffers
internal import SampleBuffers

/// Makes pixel buffers of decoded frames, in the format that was asked for, with what is known of their colours and
/// shape attached.
struct PictureOutput {
    /// What attachments are made of; the same for most pictures of a stream.
    private struct Tags: Equatable {
        var colours: [UInt32]
        var aspect: [Int32]
        var fields: [Int32]
        var isFullRange: Bool
        var hasChromaLocation: Bool
        var isDamaged: Bool
    }

    private let format: PixelBufferRequest.Format
    private let width: Int?
    private let height: Int?
    private var minimumBufferCount: Int
    private var described = CVBufferAttachments()
    private(set) var pool: CVPixelBufferPool?
    private let converter = PixelConverter()
    private var lastTags: Tags?
    private var lastAttachments = CVBufferAttachments()

    /// - Parameters:
    ///   - request: What the client asked for.
    ///   - description: Decides where nothing was asked for.
    ///   - minimumBufferCount: Unused buffers that the pool keeps.
    /// - Throws: ``VTError/pixelTransferNotSupported`` when nothing of it can be had.
    init(
        request: PixelBufferRequest, description: CMFormatDescription, minimumBufferCount: Int
    ) throws(MediaError) {
        format = try Self.choose(request, description)
        guard (request.width ?? 1) > 0, (request.height ?? 1) > 0 else {
            throw VTError.parameter.saying(
                "pictures of \(request.width ?? 0)x\(request.height ?? 0)")
        }
        width = request.width
        height = request.height
        self.minimumBufferCount = minimumBufferCount
        describe(by: description)
    }

    /// The first wish that can be met (D-15).
    static func choose(
        _ request: PixelBufferRequest, _ description: CMFormatDescription
    ) throws(MediaError) -> PixelBufferRequest.Format {
        guard !request.formats.isEmpty else {
            // Without a parsed SPS nothing is known: what the decoder gives is always right.
            guard let set = description.h264SequenceParameterSet, set.chromaFormatIDC == 1,
                set.bitDepthLuma == 8, set.bitDepthChroma == 8
            else { return .native }
            let isFull = set.vui?.isFullRange ?? false
            return .type(isFull ? .yCbCr420BiPlanarFullRange : .yCbCr420BiPlanarVideoRange)
        }
        let supported: Set<CVPixelFormatType> = [
            .yCbCr420BiPlanarVideoRange, .yCbCr420BiPlanarFullRange, .yCbCr420Planar,
            .yCbCr420PlanarFullRange, .yCbCr420BiPlanar10VideoRange, .yCbCr420BiPlanar10FullRange,
            .bgra32, .rgba32, .argb32,
        ]
        for wish in request.formats {
            switch wish {
            // Scaled pictures are not the decoder's own.
            case .native where request.width == nil && request.height == nil: return wish
            case .type(let type) where supported.contains(type): return wish
            default: continue
            }
        }
        let names = request.formats.map { wish in
            if case .type(let type) = wish { type.fourCharacters } else { "native" }
        }
        throw VTError.pixelTransferNotSupported.saying(
            "no conversion to \(names.joined(separator: ", "))"
                + (request.width != nil || request.height != nil ? " with scaling" : ""))
    }

    /// Whether pictures are copies of what the decoder has.
    var isConverting: Bool { format != .native }

    /// Makes a new pool with the next picture.
    mutating func setPoolMinimum(_ count: Int) {
        minimumBufferCount = count
        pool = nil
    }

    /// Takes what a format description says about all pictures.
    mutating func describe(by description: CMFormatDescription) {
        described = description.imageBufferAttachments
        lastTags = nil
    }

    /// Makes the buffer.
    mutating func picture(
        _ frame: consuming DecodedFrame, isDamaged: Bool,
        sequenceParameterSet: SequenceParameterSet?
    ) throws(MediaError) -> CVPixelBuffer {
        let attachments = attachments(
            of: frame.pointer, isDamaged: isDamaged, set: sequenceParameterSet)
        do throws(CVError) {
            let native = try CVPixelBuffer(wrapping: frame.release())
            native.attachments = attachments
            guard case .type(let type) = format else { return native }
            return try convert(native, to: type)
        } catch {
            throw error.code == CVError.allocationFailed.code
                ? VTError.allocationFailed.saying(error.text)
                : VTError.pixelTransferNotSupported.saying(error.text)
        }
    }

    private mutating func convert(
        _ native: CVPixelBuffer, to type: CVPixelFormatType
    ) throws(CVError) -> CVPixelBuffer {
        let width = width ?? native.width
        let height = height ?? native.height
        if pool == nil || pool?.width != width || pool?.height != height {
            var attributes = CVPixelBufferPool.Attributes()
            attributes.minimumBufferCount = minimumBufferCount
            pool = try CVPixelBufferPool(
                width: width, height: height, pixelFormat: type, attributes: attributes)
        }
        guard let pool else { throw CVError.poolAllocationFailed }
        let converted = try pool.makePixelBuffer()
        try converter.convert(native, to: converted)
        var attachments = native.attachments
        // The code says the range, and RGB has none.
        attachments[.fullRange] = nil
        converted.attachments = attachments
        return converted
    }

    private mutating func attachments(
        of frame: UnsafeMutablePointer<AVFrame>, isDamaged: Bool, set: SequenceParameterSet?
    ) -> CVBufferAttachments {
        let tags = Tags(
            colours: [
                frame.pointee.colorspace.rawValue, frame.pointee.color_primaries.rawValue,
                frame.pointee.color_trc.rawValue, frame.pointee.chroma_location.rawValue,
            ],
            aspect: [frame.pointee.sample_aspect_ratio.num, frame.pointee.sample_aspect_ratio.den],
            fields: [frame.pointee.interlaced_frame, frame.pointee.top_field_first],
            isFullRange: frame.pointee.color_range == AVCOL_RANGE_JPEG,
            hasChromaLocation: set?.vui?.chromaSampleLocationTopField != nil, isDamaged: isDamaged)
        if tags == lastTags { return lastAttachments }
        var attachments = described
        var own = CVBufferAttachments(tagsOf: frame)
        if !tags.hasChromaLocation {
            // libavcodec fills in H.264's default.
            own[.chromaLocationTopField] = nil
            own[.chromaLocationBottomField] = nil
        }
        attachments.merge(own)
        if isDamaged { attachments[.damaged] = true }
        lastTags = tags
        lastAttachments = attachments
        return attachments
    }

    // MARK: Black

    /// A black picture as the next one would be (D-17).
    func blackPicture(_ description: CMFormatDescription) throws(MediaError) -> CVPixelBuffer {
        let size = description.dimensions
        let type: CVPixelFormatType
        switch format {
        case .type(let wanted): type = wanted
        case .native: type = NativeFormat.type(of: description.h264SequenceParameterSet)
        }
        do throws(CVError) {
            let buffer = try CVPixelBuffer(
                width: width ?? Int(size.width), height: height ?? Int(size.height),
                pixelFormat: type)
            BlackPicture.fill(buffer)
            return buffer
        } catch {
            throw VTError.allocationFailed.saying(error.text)
        }
    }
}
