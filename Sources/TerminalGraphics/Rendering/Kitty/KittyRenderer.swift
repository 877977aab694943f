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
    /// Rows of cells in a strip: small enough that what moves in a part of the picture sends little beside it.
    static let rowsPerStrip = 4

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
        swap(&pixels, &previousPixels)
        pixels.reserve(size.width * size.height * 3)
        interleave(settled.planes)
        let picture = pool.take(layout: layout, content: .kitty)
        encode(layout, into: &picture.kitty)
        previous = picture
        return picture
    }

    private func encode(_ layout: PictureLayout, into image: inout KittyImage) {
        let size = layout.destination
        image.rowsPerStrip = Self.rowsPerStrip
        image.stripCount = (layout.cells.height + Self.rowsPerStrip - 1) / Self.rowsPerStrip
        while image.strips.count < image.stripCount { image.strips.append(.init()) }
        let height = Self.rowsPerStrip * layout.cellSize.height
        let mayReuse = previous?.layout == layout
        for strip in 0..<image.stripCount {
            let rows = strip * height..<min((strip + 1) * height, size.height)
            let bytes = rows.lowerBound * size.width * 3..<rows.upperBound * size.width * 3
            if mayReuse, let previous, isUnchanged(bytes) {
                image.strips[strip].copy(previous.kitty.strips[strip])
                continue
            }
            lastIdentity += 1
            image.strips[strip].identity = lastIdentity
            write(bytes, rowCount: rows.count, layout, into: &image.strips[strip])
        }
    }

    private func isUnchanged(_ bytes: Range<Int>) -> Bool {
        memcmp(
            pixels.start + bytes.lowerBound, previousPixels.start + bytes.lowerBound, bytes.count)
            == 0
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

    private func write(
        _ bytes: Range<Int>, rowCount: Int, _ layout: PictureLayout,
        into strip: inout KittyImage.Strip
    ) {
        let cells = layout.cells
        let cell = layout.cellSize
        let width = layout.destination.width
        var control = "a=T,f=24,s=\(width),v=\(rowCount),q=2,C=1,z=-1"
        // Where it fills whole cells the terminal may as well scale it to them: it knows their size better.
        if width == cells.width * cell.width, rowCount.isMultiple(of: cell.height) {
            control += ",c=\(cells.width),r=\(rowCount / cell.height)"
        }
        let bytesPerChunk = Self.chunkLength / 4 * 3
        strip.head.removeAll(keepingCapacity: true)
        strip.tail.removeAll(keepingCapacity: true)
        strip.head.append(contentsOf: control.utf8)
        strip.head.append(contentsOf: bytes.count > bytesPerChunk ? ",m=1;".utf8 : ",m=0;".utf8)
        let first = pixels.start + bytes.lowerBound
        base64.append(first, min(bytes.count, bytesPerChunk), to: &strip.head)
        var at = bytesPerChunk
        while at < bytes.count {
            let count = min(bytesPerChunk, bytes.count - at)
            let isLast = at + count == bytes.count
            strip.tail.append(contentsOf: isLast ? "\u{1B}_Gm=0;".utf8 : "\u{1B}_Gm=1;".utf8)
            base64.append(first + at, count, to: &strip.tail)
            strip.tail.append(contentsOf: "\u{1B}\\".utf8)
            at += count
        }
    }
}
