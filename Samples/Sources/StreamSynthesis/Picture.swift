/// A picture in planes Y, Cb, Cr.
package struct Picture: Hashable, Sendable {
    /// One plane of samples, row after row without padding.
    package struct Plane: Hashable, Sendable {
        package let width: Int
        package let height: Int
        package var samples: [UInt16]

        package init(width: Int, height: Int, filledWith value: UInt16 = 0) {
            self.width = width
            self.height = height
            samples = Array(repeating: value, count: width * height)
        }

        package subscript(x: Int, y: Int) -> UInt16 {
            get { samples[y * width + x] }
            set { samples[y * width + x] = newValue }
        }
    }

    package let format: PictureFormat
    package var planes: [Plane]

    /// A picture of one colour, black unless said.
    ///
    /// The values are of the format's own bit depth.
    package init(_ format: PictureFormat, luma: Int? = nil, cb: Int? = nil, cr: Int? = nil) {
        self.format = format
        let fills = [
            luma ?? 16 << (format.bitDepthLuma - 8), cb ?? 128 << (format.bitDepthChroma - 8),
            cr ?? 128 << (format.bitDepthChroma - 8),
        ]
        planes = (0..<format.planeCount).map {
            Plane(
                width: format.width(ofPlane: $0), height: format.height(ofPlane: $0),
                filledWith: UInt16(fills[$0]))
        }
    }

    /// The picture as `rawvideo` has it: planes tightly packed, a byte a sample, or two (low one first) above 8 bits.
    package var rawBytes: [UInt8] {
        var bytes: [UInt8] = []
        appendRawBytes(to: &bytes)
        return bytes
    }

    /// Appends ``rawBytes`` to `bytes`.
    package func appendRawBytes(to bytes: inout [UInt8]) {
        let isWide = max(format.bitDepthLuma, format.bitDepthChroma) > 8
        for plane in planes {
            bytes.reserveCapacity(bytes.count + plane.samples.count * (isWide ? 2 : 1))
            for sample in plane.samples {
                bytes.append(UInt8(truncatingIfNeeded: sample))
                if isWide { bytes.append(UInt8(sample >> 8)) }
            }
        }
    }
}

extension Picture {
    /// The rows of one parity, as a picture of half the height.
    package func field(_ parity: FieldParity) -> Picture {
        var half = format
        half.height /= 2
        var field = Picture(half)
        for index in planes.indices {
            let width = planes[index].width
            for y in 0..<field.planes[index].height {
                let row = (2 * y + parity.rawValue) * width
                field.planes[index].samples.replaceSubrange(
                    y * width..<(y + 1) * width, with: planes[index].samples[row..<row + width])
            }
        }
        return field
    }

    /// Replaces the rows of one parity.
    package mutating func setField(_ parity: FieldParity, to field: Picture) {
        for index in planes.indices {
            let width = planes[index].width
            for y in 0..<planes[index].height / 2 {
                let row = (2 * y + parity.rawValue) * width
                planes[index].samples.replaceSubrange(
                    row..<row + width,
                    with: field.planes[index].samples[y * width..<(y + 1) * width])
            }
        }
    }

    /// A frame woven of two fields.
    package init(top: Picture, bottom: Picture) {
        precondition(top.format == bottom.format, "fields of one format")
        var whole = top.format
        whole.height *= 2
        self.init(whole)
        setField(.top, to: top)
        setField(.bottom, to: bottom)
    }

    /// The same picture with its last columns and rows repeated up to `width` × `height`, or cut to it.
    package func resized(width: Int, height: Int) -> Picture {
        var size = format
        size.width = width
        size.height = height
        return shifted(x: 0, y: 0, into: size)
    }

    /// The picture moved by `x`, `y` luma samples into one of format `target`; its edges are repeated outwards.
    func shifted(x: Int, y: Int, into target: PictureFormat) -> Picture {
        guard target != format || x != 0 || y != 0 else { return self }
        var result = Picture(target)
        for index in planes.indices {
            let source = planes[index]
            let shiftX = index == 0 ? x : x / format.chromaStepX
            let shiftY = index == 0 ? y : y / format.chromaStepY
            for row in 0..<result.planes[index].height {
                let from = min(max(row - shiftY, 0), source.height - 1)
                for column in 0..<result.planes[index].width {
                    result.planes[index][column, row] =
                        source[min(max(column - shiftX, 0), source.width - 1), from]
                }
            }
        }
        return result
    }

    /// A field as the other parity's field predicts from it without motion: 4:2:0 chroma is moved by a quarter sample (Table 8-9).
    func withChromaOfOtherParity(from parity: FieldParity) -> Picture {
        guard format.chroma == .yuv420 else { return self }
        var result = self
        for index in 1..<planes.count {
            let plane = planes[index]
            for y in 0..<plane.height {
                // From the top field to the bottom one down, else up.
                let other = parity == .top ? min(y + 1, plane.height - 1) : max(y - 1, 0)
                for x in 0..<plane.width {
                    result.planes[index][x, y] = (3 * plane[x, y] + plane[x, other] + 2) >> 2
                }
            }
        }
        return result
    }

    /// The rounded mean of two pictures, as unweighted bi-prediction makes it.
    package func averaged(with other: Picture) -> Picture {
        var result = self
        for index in planes.indices {
            for at in planes[index].samples.indices {
                result.planes[index].samples[at] =
                    (planes[index].samples[at] + other.planes[index].samples[at] + 1) >> 1
            }
        }
        return result
    }
}

/// Which rows of a frame a field holds.
package enum FieldParity: Int, Hashable, Sendable {
    case top = 0
    case bottom = 1

    /// The other one.
    package var opposite: FieldParity { self == .top ? .bottom : .top }
}
