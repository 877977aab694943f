internal import CFFmpeg
package import PixelBuffers

extension SourcePicture {
    /// Lends a pixel buffer's planes with the meaning that its attachments and its format give them.
    package static func withPlanes<R>(
        of pixelBuffer: CVPixelBuffer, _ body: (SourcePicture) throws(RenderError) -> R
    ) throws(RenderError) -> R {
        let attachments = pixelBuffer.attachments
        let siting = attachments[.chromaLocationTopField] ?? .left
        return try pixelBuffer.withPlanes { (lent) throws(RenderError) -> R in
            var planes = InlineArray<4, UnsafePointer<UInt8>?>(repeating: nil)
            for index in 0..<lent.count {
                planes[index] = lent.addresses[index].map { UnsafePointer($0) }
            }
            return try body(
                SourcePicture(
                    pixelFormat: pixelBuffer.formatDescription.avPixelFormat.rawValue,
                    size: PixelSize(width: pixelBuffer.width, height: pixelBuffer.height),
                    planes: planes, strides: lent.bytesPerRow,
                    matrix: .meant(by: pixelBuffer),
                    range: pixelBuffer.isFullRange ? .full : .limited,
                    chromaSiting: ChromaSiting(siting)))
        }
    }
}

extension SourceRenderer {
    /// Scales and draws one picture, with the meaning its attachments give it.
    public func render(
        _ pixelBuffer: CVPixelBuffer, field: Field?
    ) throws(RenderError) -> RenderedPicture {
        let ratio = pixelBuffer.attachments[.pixelAspectRatio].map {
            SampleAspectRatio(width: $0.horizontalSpacing, height: $0.verticalSpacing)
        }
        return try SourcePicture.withPlanes(of: pixelBuffer) { (source) throws(RenderError) in
            var source = source
            source.field = field
            return try render(source, sampleAspectRatio: ratio ?? .square)
        }
    }
}

extension ColorMatrix {
    init?(_ matrix: YCbCrMatrix?) {
        switch matrix {
        case .itu_R_709_2: self = .bt709
        case .itu_R_601_4: self = .bt601
        case .itu_R_2020: self = .bt2020
        case .smpte_240M_1995: self = .smpte240
        default: return nil
        }
    }
}

extension ChromaSiting {
    fileprivate init(_ location: ChromaLocation) {
        switch location {
        case .center: self = .center
        case .topLeft: self = .topLeft
        case .top: self = .top
        case .bottomLeft: self = .bottomLeft
        case .bottom: self = .bottom
        default: self = .left
        }
    }
}
