internal import Glibc

/// Pixels in all colours, as kitty's graphics protocol takes them: RGB in base64, in chunks.
public final class KittyRenderer: SourceRenderer {
    /// What the renderer was made with.
    public let options: RendererOptions
    private let stage: ScalingStage
    private let settled = SettledPixels()
    private var pool = RenderedPicturePool()
    /// The picture's bytes and the last one's, red, green and blue in turn.
    private var pixels = ScratchMemory<UInt8>(capacity: 64)
    private var previousPixels = ScratchMemory<UInt8>(capacity: 64)
    private var previous: RenderedPicture?
    private var lastIdentity: UInt64 = 0
    private let base64 = Base64()

    /// Bytes of base64 in one chunk, the protocol's limit.
    static let chunkLength = 4096

    /// Makes a renderer.
    public init(options: RendererOptions) {
        self.options = options
        stage = ScalingStage(
            options: options,
            dotsPerCell: DotsPerCell(
                columns: options.cellSize.width, rows: options.cellSize.height),
            precision: .exact, maximumSize: options.maximumImageSize)
    }

    /// See ``PictureRenderer``.
    public func forgetPrevious() { settled.forget() }

    package func render(
        _ source: SourcePicture, sampleAspectRatio: SampleAspectRatio
    ) throws(RenderError) -> RenderedPicture {
        let layout = try stage.scale(source, sampleAspectRatio: sampleAspectRatio)
        settled.follow(stage.planes)
        let size = settled.planes.size
        let byteCount = size.width * size.height * 3
        swap(&pixels, &previousPixels)
        pixels.reserve(byteCount)
        interleave(settled.planes)
        if let previous, previous.layout == layout,
            memcmp(pixels.start, previousPixels.start, byteCount) == 0
        {
            return previous
        }
        let picture = pool.take(layout: layout, content: .kitty)
        lastIdentity += 1
        picture.kitty.identity = lastIdentity
        write(layout, byteCount, into: &picture.kitty)
        previous = picture
        return picture
    }

    private func interleave(_ planes: RGBPlanes) {
        var out = pixels.start
        for y in 0..<planes.size.height {
            let row = y * planes.stride
            let (red, green, blue) = (planes.red + row, planes.green + row, planes.blue + row)
            for x in 0..<planes.size.width {
                out[x &* 3] = red[x]
                out[x &* 3 &+ 1] = green[x]
                out[x &* 3 &+ 2] = blue[x]
            }
            out += planes.size.width * 3
        }
    }

    private func write(_ layout: PictureLayout, _ byteCount: Int, into image: inout KittyImage) {
        let size = layout.destination
        let cells = layout.cells
        var control = "a=T,f=24,s=\(size.width),v=\(size.height),q=2,C=1,z=-1"
        // Where the picture fills whole cells the terminal may as well scale it to them: it knows their size better.
        if size.width == cells.width * layout.cellSize.width,
            size.height == cells.height * layout.cellSize.height
        {
            control += ",c=\(cells.width),r=\(cells.height)"
        }
        let bytesPerChunk = Self.chunkLength / 4 * 3
        image.head.removeAll(keepingCapacity: true)
        image.tail.removeAll(keepingCapacity: true)
        image.head.append(contentsOf: control.utf8)
        image.head.append(contentsOf: byteCount > bytesPerChunk ? ",m=1;".utf8 : ",m=0;".utf8)
        base64.append(pixels.start, min(byteCount, bytesPerChunk), to: &image.head)
        var at = bytesPerChunk
        while at < byteCount {
            let count = min(bytesPerChunk, byteCount - at)
            let isLast = at + count == byteCount
            image.tail.append(contentsOf: isLast ? "\u{1B}_Gm=0;".utf8 : "\u{1B}_Gm=1;".utf8)
            base64.append(pixels.start + at, count, to: &image.tail)
            image.tail.append(contentsOf: "\u{1B}\\".utf8)
            at += count
        }
    }
}
