internal import CFFmpeg

/// Each picture as soon as its sample was sent.
extension DecompressionEngine {
    func finishInDecodeOrder(
        _ number: Int64, _ error: LibavError?, _ decoder: H264Decoder
    ) {
        guard let entry = pending.popLast(), entry.number == number else { return }
        let contents = entry.contents
        let known = decoder.supply.takeFacts(ofSample: number, fields: contents.fields)
        // The second field of a picture may come as a sample of its own: it completes the picture given before.
        let completes = !known.wasBegun && entry.mayBeSecondField
        guard error == nil, known.wasBegun || completes,
            let picture = decoder.supply.newestPicture(), completes || picture.tag.sample == number
        else {
            fail(entry, judge(entry, isBroken: true))
            return
        }
        let isUndecoded = DecodeMarks.remain(
            in: picture.pointer, fields: completes ? 3 : contents.fields)
        let verdict = judge(entry, isBroken: known.isBroken || isUndecoded)
        if contents.isField, contents.fields != 3, !completes {
            deliver(entry, verdict, repeatField(of: picture, isBottom: contents.fields == 2))
        } else {
            deliver(entry, verdict, picture)
        }
    }

    /// The picture with the lines of its only field doubled, as libavcodec does it; a copy, for the other may yet come.
    func repeatField(of picture: borrowing DecodedFrame, isBottom: Bool) -> DecodedFrame {
        guard let copy = av_frame_clone(picture.pointer) else {
            return DecodedFrame(owning: av_frame_alloc())
        }
        // The clone shares its planes until it is made writable, which copies them.
        guard av_frame_make_writable(copy) >= 0 else { return DecodedFrame(owning: copy) }
        FieldRepetition.fill(copy, fromBottom: isBottom)
        return DecodedFrame(owning: copy)
    }
}
