public import MediaTime

/// The errors of the codec sessions.
public enum VTError {
    /// `kVTPropertyNotSupportedErr`.
    public static let propertyNotSupported = MediaError(
        status: -12900, "the session has no such property")
    /// `kVTPropertyReadOnlyErr`.
    public static let propertyReadOnly = MediaError(
        status: -12901, "the property can only be read")
    /// `kVTParameterErr`.
    public static let parameter = MediaError(status: -12902, "a parameter is wrong")
    /// `kVTInvalidSessionErr`.
    public static let invalidSession = MediaError(
        status: -12903, "the session has been invalidated")
    /// `kVTAllocationFailedErr`.
    public static let allocationFailed = MediaError(status: -12904, "out of memory")
    /// `kVTPixelTransferNotSupportedErr`.
    public static let pixelTransferNotSupported = MediaError(
        status: -12905, "no conversion to this pixel format")
    /// `kVTCouldNotFindVideoDecoderErr`.
    public static let couldNotFindVideoDecoder = MediaError(
        status: -12906, "no decoder for this codec")
    /// `kVTCouldNotCreateInstanceErr`.
    public static let couldNotCreateInstance = MediaError(
        status: -12907, "the codec could not be opened")
    /// `kVTCouldNotFindVideoEncoderErr`.
    public static let couldNotFindVideoEncoder = MediaError(
        status: -12908, "no encoder for this codec")
    /// `kVTVideoDecoderBadDataErr`.
    public static let badData = MediaError(
        status: -12909, "the data of the sample are damaged")
    /// `kVTVideoDecoderUnsupportedDataFormatErr`.
    public static let unsupportedDataFormat = MediaError(
        status: -12910, "the format description cannot be decoded")
    /// `kVTVideoDecoderMalfunctionErr`.
    public static let decoderMalfunction = MediaError(
        status: -12911, "the decoder does not work any more")
    /// `kVTVideoEncoderMalfunctionErr`.
    public static let encoderMalfunction = MediaError(
        status: -12912, "the encoder does not work any more")
    /// `kVTFormatDescriptionChangeNotSupportedErr`.
    public static let formatDescriptionChangeNotSupported = MediaError(
        status: -12916, "the session cannot go on with this format description")
    /// `kVTVideoDecoderReferenceMissingErr`.
    public static let referenceMissing = MediaError(
        status: -17694, "a picture that is needed for prediction is missing")

    /// The error that a session's status stands for, with words for it.
    ///
    /// Ours: calls and handlers give bare codes, as Apple's do.
    ///
    /// - Parameter status: Not `noErr`.
    /// - Returns: One of the errors above, or one that only has the code.
    public static func error(of status: OSStatus) -> MediaError {
        all.first { $0.status == status } ?? MediaError(status: status, "error")
    }

    private static let all = [
        propertyNotSupported, propertyReadOnly, parameter, invalidSession, allocationFailed,
        pixelTransferNotSupported, couldNotFindVideoDecoder, couldNotCreateInstance,
        couldNotFindVideoEncoder, badData, unsupportedDataFormat, decoderMalfunction,
        encoderMalfunction, formatDescriptionChangeNotSupported, referenceMissing,
    ]
}

extension MediaError {
    /// The same error with a text that tells more.
    func saying(_ text: String) -> MediaError { MediaError(status: status, text) }
}
