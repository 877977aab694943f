public import PixelBuffers

/// Draws pictures for a terminal, each independent of what is on the screen.
///
/// One thread at a time. In steady state (same source format, same options) nothing is allocated.
public protocol PictureRenderer: AnyObject {
    /// What the renderer was made with.
    var options: RendererOptions { get }

    /// Scales and draws one picture.
    ///
    /// - Parameters:
    ///   - pixelBuffer: A picture in any format that libswscale reads.
    ///   - field: One field of it, stretched to the height of both; nil: both woven.
    /// - Returns: The picture as cells or as an image, used again once the caller and the encoder let go of it.
    /// - Throws: ``RenderError`` when the format or the size is beyond libswscale.
    func render(
        _ pixelBuffer: CVPixelBuffer, field: Field?
    ) throws(RenderError) -> RenderedPicture

    /// Has the next picture come out as if it were the first.
    ///
    /// Pictures in motion follow each other with a little play, so that what nobody sees costs nothing (noise about a rounding
    /// boundary, a palette slightly beside the best). What is looked at while it stands should owe nothing to the way there.
    func forgetPrevious()
}

extension PictureRenderer {
    /// Scales and draws one picture, its fields woven.
    public func render(_ pixelBuffer: CVPixelBuffer) throws(RenderError) -> RenderedPicture {
        try render(pixelBuffer, field: nil)
    }
}

package protocol SourceRenderer: PictureRenderer {
    /// The same for planes that are not in a pixel buffer.
    func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture
}
