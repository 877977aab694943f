public import MediaTime
internal import PixelBuffers

extension VTCompressionSession {
    /// Sets a property by name.
    ///
    /// - Parameters:
    ///   - key: The property.
    ///   - value: Its value; nil restores the default.
    /// - Returns: `noErr`, ``VTError/propertyNotSupported``, ``VTError/propertyReadOnly``, ``VTError/parameter`` for a
    ///   value of the wrong type or out of range, or ``VTError/invalidSession``.
    @discardableResult
    public func setProperty(
        _ key: VTCompressionPropertyKey, to value: (any Sendable)?
    ) -> OSStatus {
        guard !shared.isInvalidated else { return VTError.invalidSession.status }
        guard let info = key.info else { return VTError.propertyNotSupported.status }
        guard !info.isReadOnly else { return VTError.propertyReadOnly.status }
        var settings = shared.settings
        guard settings.set(key, to: value) else { return VTError.parameter.status }
        // Once more under the lock: other properties may have changed in between.
        shared.set { _ = $0.set(key, to: value) }
        return noErr
    }

    /// Sets properties by name, up to the first that fails.
    ///
    /// - Parameter values: Names and values.
    /// - Returns: `noErr` or the first error.
    @discardableResult
    public func setProperties(
        _ values: KeyValuePairs<VTCompressionPropertyKey, (any Sendable)?>
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
        _ key: VTCompressionPropertyKey
    ) throws(MediaError) -> (any Sendable)? {
        guard !shared.isInvalidated else { throw VTError.invalidSession }
        guard key.info != nil else { throw VTError.propertyNotSupported }
        switch key {
        case .numberOfPendingFrames: return numberOfPendingFrames
        case .pixelBufferPool: return pixelBufferPool
        case .pixelBufferPoolIsShared, .usingHardwareAcceleratedVideoEncoder: return false
        case .videoEncoderPixelBufferAttributes: return videoEncoderPixelBufferAttributes
        case .encoderID: return H264Encoder.name
        default: return shared.settings.value(of: key)
        }
    }

    /// What properties there are.
    public var supportedProperties: [VTCompressionPropertyKey: VTPropertyInfo] {
        VTCompressionPropertyKey.all
    }
}

extension CompressionSettings {
    /// Sets a property; nil restores its default.
    ///
    /// - Returns: False for a value of the wrong type or out of range.
    mutating func set(_ key: VTCompressionPropertyKey, to value: (any Sendable)?) -> Bool {
        let defaults = CompressionSettings()
        switch key {
        case .profileLevel: return put(\.profileLevel, Self.profileLevel(value), value)
        case .h264EntropyMode:
            return put(\.entropyMode, Self.code(value, VTH264EntropyMode.init), value)
        case .maxH264SliceBytes: return put(\.maxSliceBytes, Self.count(value), value, defaults)
        case .averageBitRate: return put(\.averageBitRate, Self.count(value), value, defaults)
        case .dataRateLimits: return put(\.dataRateLimits, Self.limits(value), value, defaults)
        case .quality: return put(\.quality, Self.real(value, upTo: 1), value)
        case .expectedFrameRate: return put(\.expectedFrameRate, Self.real(value), value, defaults)
        case .maxKeyFrameInterval:
            return put(\.maxKeyFrameInterval, Self.count(value), value, defaults)
        case .maxKeyFrameIntervalDuration:
            return put(\.maxKeyFrameIntervalDuration, Self.real(value), value, defaults)
        case .allowTemporalCompression:
            return put(\.allowTemporalCompression, value as? Bool, value, defaults)
        case .allowFrameReordering:
            return put(\.allowFrameReordering, value as? Bool, value, defaults)
        case .realTime: return put(\.realTime, value as? Bool, value)
        case .maxFrameDelayCount:
            return put(\.maxFrameDelayCount, Self.count(value, from: -1), value, defaults)
        case .colorPrimaries:
            return put(\.colorPrimaries, Self.code(value, ColorPrimaries.init(rawValue:)), value)
        case .transferFunction:
            return put(
                \.transferFunction, Self.code(value, TransferFunction.init(rawValue:)), value)
        case .yCbCrMatrix:
            return put(\.yCbCrMatrix, Self.code(value, YCbCrMatrix.init(rawValue:)), value)
        case .pixelAspectRatio: return put(\.pixelAspectRatio, value as? PixelAspectRatio, value)
        case .cleanAperture: return put(\.cleanAperture, value as? CleanAperture, value)
        case .fieldCount: return put(\.fieldCount, Self.count(value, from: 1, upTo: 2), value)
        case .prioritizeEncodingSpeedOverQuality:
            return put(\.prioritizesSpeed, value as? Bool, value)
        case .sourceFrameCount: return put(\.sourceFrameCount, Self.count(value), value)
        case .expectedDuration: return put(\.expectedDuration, value as? CMTime, value)
        case .moreFramesBeforeStart: return put(\.moreFramesBeforeStart, value as? Bool, value)
        case .moreFramesAfterEnd: return put(\.moreFramesAfterEnd, value as? Bool, value)
        case .threadCount:
            return put(\.threadCount, Self.count(value, from: 1, upTo: 64), value)
        default: return false
        }
    }

    /// What a property was set to, or its default.
    func value(of key: VTCompressionPropertyKey) -> (any Sendable)? {
        switch key {
        case .profileLevel: profileLevel
        case .h264EntropyMode: entropyMode
        case .maxH264SliceBytes: maxSliceBytes
        case .averageBitRate: averageBitRate
        case .dataRateLimits:
            dataRateLimits.isEmpty
                ? nil : dataRateLimits.flatMap { [Double($0.byteCount), $0.seconds] }
        case .quality: quality
        case .expectedFrameRate: expectedFrameRate
        case .maxKeyFrameInterval: maxKeyFrameInterval
        case .maxKeyFrameIntervalDuration: maxKeyFrameIntervalDuration
        case .allowTemporalCompression: allowTemporalCompression
        case .allowFrameReordering: allowFrameReordering
        case .realTime: realTime
        case .maxFrameDelayCount: maxFrameDelayCount
        case .colorPrimaries: colorPrimaries
        case .transferFunction: transferFunction
        case .yCbCrMatrix: yCbCrMatrix
        case .pixelAspectRatio: pixelAspectRatio
        case .cleanAperture: cleanAperture
        case .fieldCount: fieldCount
        case .prioritizeEncodingSpeedOverQuality: prioritizesSpeed
        case .sourceFrameCount: sourceFrameCount
        case .expectedDuration: expectedDuration
        case .moreFramesBeforeStart: moreFramesBeforeStart
        case .moreFramesAfterEnd: moreFramesAfterEnd
        case .threadCount: threadCount
        default: nil
        }
    }

    // MARK: Reading values

    private mutating func put<T>(
        _ path: WritableKeyPath<Self, T?>, _ read: T?, _ value: (any Sendable)?
    ) -> Bool {
        guard value == nil || read != nil else { return false }
        self[keyPath: path] = read
        return true
    }

    private mutating func put<T>(
        _ path: WritableKeyPath<Self, T>, _ read: T?, _ value: (any Sendable)?, _ defaults: Self
    ) -> Bool {
        guard value == nil || read != nil else { return false }
        self[keyPath: path] = read ?? defaults[keyPath: path]
        return true
    }

    private static func count(
        _ value: (any Sendable)?, from least: Int = 0, upTo most: Int = .max
    ) -> Int? {
        guard let value, let count = VTDecompressionSession.integer(value), count >= least,
            count <= most
        else { return nil }
        return count
    }

    private static func real(_ value: (any Sendable)?, upTo most: Double = .infinity) -> Double? {
        guard let value, !(value is Bool) else { return nil }
        let number: Double? =
            if let integer = value as? any BinaryInteger {
                Double(integer)
            } else if let real = value as? any BinaryFloatingPoint {
                Double(real)
            } else {
                nil
            }
        guard let number, number.isFinite, number >= 0, number <= most else { return nil }
        return number
    }

    /// A value of the type itself, or the string behind it.
    private static func code<T: RawRepresentable>(
        _ value: (any Sendable)?, _ make: (String) -> T?
    ) -> T? where T.RawValue == String {
        (value as? T) ?? (value as? String).flatMap(make)
    }

    private static func profileLevel(_ value: (any Sendable)?) -> VTProfileLevel? {
        code(value, VTProfileLevel.init(rawValue:)).flatMap { $0.isKnown ? $0 : nil }
    }

    private static func limits(_ value: (any Sendable)?) -> [VTDataRateLimit]? {
        if let limits = value as? [VTDataRateLimit] { return limits.count <= 2 ? limits : nil }
        if let numbers = value as? [any Sendable] {
            let read = numbers.compactMap { real($0) }
            return read.count == numbers.count ? VTDataRateLimit.limits(read) : nil
        }
        return nil
    }
}
