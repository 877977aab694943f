internal import H264
public import MediaTime
public import PixelBuffers
internal import SampleBuffers
internal import Synchronization

extension VTDecompressionSession {
    // MARK: Typed

    /// libavcodec's threads; nil for the default.
    ///
    /// The default is the number of processors, 16 at most, in presentation order, and one in decode order: there
    /// threads share the slices of a picture, and libavcodec then conceals no errors.
    /// Where it is set to 1, what cannot be decoded of a broken picture is the same each time.
    /// Takes effect when the decoder is next opened: before the first sample, and where a random access point changes
    /// between decode and presentation order. In presentation order each thread adds a picture of delay.
    public var threadCount: Int? {
        get { shared.limits.threadCount }
        set { shared.limits.threadCount = newValue.map { min(max($0, 1), 64) } }
    }

    /// The largest picture, in samples of luma; larger ones are refused before memory is taken for them.
    ///
    /// The default is the largest frame of level 6.2. Takes effect as ``threadCount`` does. Ours.
    public var maximumPixelCount: Int {
        get { shared.limits.pixelCount }
        set { shared.limits.pixelCount = max(newValue, 1) }
    }

    /// Samples that were taken and not called back for.
    public var numberOfFramesBeingDecoded: Int { shared.unansweredCount }

    /// Where pictures come from; nil before the first one, and for `native`.
    public var pixelBufferPool: CVPixelBufferPool? { shared.pixelBufferPool }

    /// Buffers that the pool keeps whatever their age.
    ///
    /// Setting it makes a new pool with the next picture.
    public var outputPoolRequestedMinimumBufferCount: Int {
        get { properties.withLock { $0.minimumBufferCount } }
        set {
            let count = max(newValue, 0)
            properties.withLock { $0.minimumBufferCount = count }
            setPoolMinimum(count)
        }
    }

    /// Whether pictures may need others: not where the profile allows intra pictures only.
    public var contentHasInterframeDependencies: Bool {
        guard let set = formatDescription.h264SequenceParameterSet else { return true }
        if set.profileIDC == 44 { return false }
        let isIntraProfile =
            [100, 110, 122, 244].contains(set.profileIDC) && set.constraintFlags & 0x10 != 0
        return !(isIntraProfile || set.maximumReferenceFrames == 0)
    }

    // MARK: By name

    /// Sets a property by name.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - value: Its value; nil restores the default.
    /// - Returns: `noErr`, ``VTError/propertyNotSupported``, ``VTError/propertyReadOnly``, ``VTError/parameter`` for a
    ///   value of the wrong type, or ``VTError/invalidSession``.
    @discardableResult
    public func setProperty(
        _ key: VTDecompressionPropertyKey, to value: (any Sendable)?
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard let traits = key.traits else { return VTError.propertyNotSupported.status }
        guard !traits.isReadOnly else { return VTError.propertyReadOnly.status }
        let number = value.flatMap { Self.integer($0) }
        let truth = value as? Bool
        if value != nil {
            switch traits.type {
            case .number: guard let number, number >= 0 else { return VTError.parameter.status }
            case .boolean: guard truth != nil else { return VTError.parameter.status }
            default: return VTError.parameter.status
            }
        }
        switch key {
        case .realTime: properties.withLock { $0.realTime = truth }
        // 0 is Apple's word for the default.
        case .threadCount: threadCount = number == 0 ? nil : number
        case .outputPoolRequestedMinimumBufferCount:
            outputPoolRequestedMinimumBufferCount = number ?? 0
        case .propagatePerFrameHDRDisplayMetadata:
            properties.withLock { $0.propagatePerFrameHDRDisplayMetadata = truth }
        case .generatePerFrameHDRDisplayMetadata:
            properties.withLock { $0.generatePerFrameHDRDisplayMetadata = truth }
        case .maximumPixelCount:
            maximumPixelCount = number ?? DecompressionShared.defaultPixelCount
        default: return VTError.propertyNotSupported.status
        }
        return noErr
    }

    /// Sets properties by name, up to the first that fails.
    ///
    /// - Parameter values: Names and values.
    /// - Returns: `noErr` or the first error.
    @discardableResult
    public func setProperties(
        _ values: KeyValuePairs<VTDecompressionPropertyKey, (any Sendable)?>
    ) -> OSStatus {
        for (key, value) in values {
            let status = setProperty(key, to: value)
            guard status == noErr else { return status }
        }
        return noErr
    }

    /// Reads a property by name.
    ///
    /// - Parameter key: The property.
    /// - Returns: Its value; nil where nothing was set and there is no default.
    /// - Throws: ``VTError/propertyNotSupported`` or ``VTError/invalidSession``.
    public func property(
        _ key: VTDecompressionPropertyKey
    ) throws(MediaError) -> (any Sendable)? {
        guard !shared.isInvalidated else { throw VTError.invalidSession }
        switch key {
        case .realTime: return properties.withLock { $0.realTime }
        case .threadCount: return threadCount ?? DecompressionShared.defaultThreadCount
        case .numberOfFramesBeingDecoded: return numberOfFramesBeingDecoded
        case .pixelBufferPool: return pixelBufferPool
        case .pixelBufferPoolIsShared, .usingHardwareAcceleratedVideoDecoder: return false
        case .outputPoolRequestedMinimumBufferCount: return outputPoolRequestedMinimumBufferCount
        case .contentHasInterframeDependencies: return contentHasInterframeDependencies
        case .propagatePerFrameHDRDisplayMetadata:
            return properties.withLock { $0.propagatePerFrameHDRDisplayMetadata }
        case .generatePerFrameHDRDisplayMetadata:
            return properties.withLock { $0.generatePerFrameHDRDisplayMetadata }
        case .maximumPixelCount: return maximumPixelCount
        default: throw VTError.propertyNotSupported
        }
    }

    /// What properties there are.
    public var supportedProperties: [VTDecompressionPropertyKey: VTPropertyInfo] {
        Dictionary(
            uniqueKeysWithValues: VTDecompressionPropertyKey.all.map { key, traits in
                (key, VTPropertyInfo(type: traits.type, isReadOnly: traits.isReadOnly))
            })
    }

    /// Any integer type, and a floating-point one with a whole value.
    static func integer(_ value: any Sendable) -> Int? {
        if value is Bool { return nil }
        if let integer = value as? any BinaryInteger { return Int(exactly: integer) }
        if let real = value as? Double { return Int(exactly: real) }
        if let real = value as? Float { return Int(exactly: real) }
        return nil
    }
}
