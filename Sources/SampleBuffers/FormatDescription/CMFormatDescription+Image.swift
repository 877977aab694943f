public import PixelBuffers

extension CMFormatDescription {
    /// The names that descriptions and image buffers have in common.
    public static let extensionKeysCommonWithImageBuffers = [
        Extensions.Key.cleanAperture.name, Extensions.Key<Int>.fieldCount.name,
        Extensions.Key.fieldDetail.name, Extensions.Key.pixelAspectRatio.name,
        Extensions.Key.colorPrimaries.name, Extensions.Key.transferFunction.name,
        Extensions.Key.gammaLevel.name, Extensions.Key.yCbCrMatrix.name,
        Extensions.Key<[UInt8]>.iccProfile.name,
        Extensions.Key<ChromaLocation>.chromaLocationTopField.name,
        Extensions.Key<ChromaLocation>.chromaLocationBottomField.name,
        Extensions.Key<[UInt8]>.masteringDisplayColorVolume.name,
        Extensions.Key<[UInt8]>.contentLightLevelInfo.name,
    ]

    /// Whether a picture is what this describes: same format and size, and every common key equal or absent in both.
    ///
    /// - Parameter imageBuffer: The picture.
    /// - Returns: Whether it matches.
    public func matchesImageBuffer(_ imageBuffer: CVImageBuffer) -> Bool {
        guard mediaType == .video, mediaSubType.rawValue == imageBuffer.pixelFormat.rawValue,
            Int(dimensions.width) == imageBuffer.width,
            Int(dimensions.height) == imageBuffer.height
        else { return false }
        let attachments = imageBuffer.attachments
        return Self.extensionKeysCommonWithImageBuffers.allSatisfy { name in
            switch (extensions[name], attachments[name]?.value) {
            case (nil, nil): true
            case (let own?, let other?): areEqual(own, other)
            default: false
            }
        }
    }

    /// The size to show: the clean aperture, if asked for, its width then times the pixel aspect, if asked for.
    ///
    /// - Parameters:
    ///   - usePixelAspectRatio: Whether to turn pixels into square ones; the height stays.
    ///   - useCleanAperture: Whether to leave out what is not meant to be seen.
    /// - Returns: The size.
    public func presentationDimensions(
        usePixelAspectRatio: Bool = true, useCleanAperture: Bool = true
    ) -> ImageSize {
        var size = ImageSize(width: Double(dimensions.width), height: Double(dimensions.height))
        if useCleanAperture, let aperture = extensions[.cleanAperture] {
            size = ImageSize(width: aperture.width, height: aperture.height)
        }
        if usePixelAspectRatio, let aspect = extensions[.pixelAspectRatio] {
            size.width *= aspect.ratio
        }
        return size
    }

    /// The part meant to be seen; the whole picture when the description does not say.
    ///
    /// - Parameter originIsAtTopLeft: Whether `y` counts from the top; else from the bottom.
    /// - Returns: The rectangle.
    public func cleanAperture(originIsAtTopLeft: Bool) -> ImageRect {
        let (width, height) = (Int(dimensions.width), Int(dimensions.height))
        return
            (extensions[.cleanAperture]
            ?? CleanAperture(width: Double(width), height: Double(height))).rect(
                inWidth: width, height: height, originIsAtTopLeft: originIsAtTopLeft)
    }
}
