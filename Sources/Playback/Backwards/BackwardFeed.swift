package import ElementaryStream
import MediaTime
package import VideoCodec

/// Pictures in falling presentation order, decoded a piece at a time ahead of being asked for.
///
/// A piece reaches back from the pictures given last to the random access point before them, or as far as half
/// the budget allows; a long group of pictures is decoded again for each of its pieces. Where that takes longer than to
/// play them, pictures are left out evenly: the same budget then reaches further back, and less is decoded again.
package final class BackwardFeed: Sendable {
    private struct State {
        /// In falling order.
        var ready: [DecodedPicture] = []
        var isFinished = false
        var isCancelled = false
    }

    private let state = Monitor(State())

    /// Of so many pictures one is given, at the least.
    private static let largestStep = 64

    /// Begins to decode, on a thread of its own.
    ///
    /// - Parameters:
    ///   - decoder: What decodes.
    ///   - index: Where random access points are.
    ///   - ranks: What is given, the last first.
    ///   - pieceCount: Pictures that a piece holds at most.
    ///   - request: The pictures' format and size.
    ///   - playingTime: How long a run of pictures will be played, as fast as it goes now; nil where nobody hurries.
    package init(
        _ decoder: PieceDecoder, index: StreamIndex, ranks: ClosedRange<Int>, pieceCount: Int,
        as request: PixelBufferRequest,
        playingTime: @escaping @Sendable (ClosedRange<Int>) -> Duration? = { _ in nil }
    ) {
        startThread(named: "tplay backward") { [self] in
            var last = ranks.upperBound
            var step = 1
            while last >= ranks.lowerBound {
                // One piece is played while the next is decoded.
                let goesOn = state.wait { state -> Bool? in
                    if state.isCancelled { return false }
                    return state.ready.count <= pieceCount ? true : nil
                }
                guard goesOn == true else { return }
                let reach = max(ranks.lowerBound, last - pieceCount * step + 1)
                let first = max(reach, index.firstRankDecodable(with: last))
                let began = ContinuousClock.now
                let pictures = decoder.decode(first...last, step: step, as: request) {
                    state.withLock { $0.isCancelled }
                }
                let needed = ContinuousClock.now - began
                if let given = playingTime(first...last) {
                    if needed > given {
                        step = min(step * 2, Self.largestStep)
                    } else if step > 1, needed * 3 < given {
                        step /= 2
                    }
                }
                state.update { $0.ready += pictures.reversed() }
                last = first - 1
            }
            state.update { $0.isFinished = true }
        }
    }

    /// The next picture, nil at the end; waits until it is decoded.
    package func next() -> DecodedPicture? {
        let found = state.wait { state -> DecodedPicture?? in
            if state.isCancelled { return .some(nil) }
            if !state.ready.isEmpty { return state.ready.removeFirst() }
            return state.isFinished ? .some(nil) : nil
        }
        // The thread that decodes waits for room.
        state.update { _ in }
        return found ?? nil
    }

    /// Ends the decoding; ``next()`` gives nil from now on.
    package func cancel() { state.update { $0.isCancelled = true } }
}
