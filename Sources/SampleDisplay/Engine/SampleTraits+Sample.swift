internal import MediaTime
internal import SampleBuffers

extension SampleTraits {
    /// Reads a buffer with one sample, or a marker with none.
    init(_ buffer: CMSampleBuffer) {
        // Asked for only where there are some: reading them makes room for them.
        let hasSample = buffer.sampleAttachmentStorage(createIfNecessary: false) != nil
        let sample = hasSample ? buffer.sampleAttachments[0] : nil
        let attachments = buffer.attachments
        kind =
            buffer.numSamples == 0 ? .marker : buffer.imageBuffer != nil ? .image : .compressed
        time = buffer.outputPresentationTimeStamp
        decodeTime = buffer.outputDecodeTimeStamp
        nanoseconds = buffer.outputDuration.nanoseconds
        isSync = sample?[.notSync] != true
        isRandomAccess =
            isSync || sample?[.partialSync] == true || sample?[.dependsOnOthers] == false
        doNotDisplay = sample?[.doNotDisplay] == true
        displayImmediately = sample?[.displayImmediately] == true
        token = sample?[.token]
        emptiesMedia = false
        endsMedia = attachments[.permanentEmptyMedia] == true
        resetsDecoder = attachments[.resetDecoderBeforeDecoding] == true
        drainsDecoder = endsMedia || attachments[.drainAfterDecoding] == true
        if kind == .marker {
            displayImmediately = attachments[.displayEmptyMediaImmediately] == true
            emptiesMedia = displayImmediately || attachments[.emptyMedia] == true
        }
    }

    /// A buffer's samples one by one, where it holds several and can be divided.
    static func singleSamples(
        of buffer: CMSampleBuffer
    ) -> [(buffer: CMSampleBuffer, traits: SampleTraits)] {
        guard buffer.numSamples > 1, let pieces = try? Array(buffer.singleSampleBuffers()) else {
            return [(buffer, SampleTraits(buffer))]
        }
        return pieces.enumerated().map { index, piece in
            var traits = SampleTraits(piece)
            // What is attached to the whole happens before the first or after the last.
            if index > 0 { traits.resetsDecoder = false }
            if index < pieces.count - 1 {
                traits.drainsDecoder = false
                traits.endsMedia = false
            }
            return (piece, traits)
        }
    }
}
