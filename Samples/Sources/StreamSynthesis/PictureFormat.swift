/// Size and sampling of a picture.
package struct PictureFormat: Hashable, Sendable {
    /// Chroma sampling, numbered as `chroma_format_idc`.
    package enum Chroma: Int, Sendable {
        case monochrome = 0
        case yuv420 = 1
        case yuv422 = 2
        case yuv444 = 3
    }

    /// Displayed size in luma samples.
    package var width: Int
    package var height: Int
    package var chroma: Chroma
    package var bitDepthLuma: Int
    package var bitDepthChroma: Int

    /// A format; the bit depth of chroma is that of luma unless said.
    package init(
        width: Int, height: Int, chroma: Chroma = .yuv420, bitDepth: Int = 8,
        bitDepthChroma: Int? = nil
    ) {
        self.width = width
        self.height = height
        self.chroma = chroma
        bitDepthLuma = bitDepth
        self.bitDepthChroma = bitDepthChroma ?? bitDepth
    }

    /// Luma samples to a chroma sample, across.
    package var chromaStepX: Int { chroma == .yuv420 || chroma == .yuv422 ? 2 : 1 }

    /// Luma samples to a chroma sample, down.
    package var chromaStepY: Int { chroma == .yuv420 ? 2 : 1 }

    /// One plane, or three.
    package var planeCount: Int { chroma == .monochrome ? 1 : 3 }

    /// Samples across in plane `plane`.
    package func width(ofPlane plane: Int) -> Int {
        plane == 0 ? width : (width + chromaStepX - 1) / chromaStepX
    }

    /// Samples down in plane `plane`.
    package func height(ofPlane plane: Int) -> Int {
        plane == 0 ? height : (height + chromaStepY - 1) / chromaStepY
    }

    /// Bit depth of plane `plane`.
    package func bitDepth(ofPlane plane: Int) -> Int { plane == 0 ? bitDepthLuma : bitDepthChroma }
}
