public import MediaTime

extension CMBlockBuffer {
    /// The errors of block buffers.
    public enum Error {
        /// `kCMBlockBufferStructureAllocationFailedErr`.
        public static let structureAllocationFailed = MediaError(
            status: -12700, "no memory for the block buffer itself")
        /// `kCMBlockBufferBlockAllocationFailedErr`.
        public static let blockAllocationFailed = MediaError(
            status: -12701, "a memory block could not be allocated")
        /// `kCMBlockBufferBadCustomBlockSourceErr`.
        public static let badCustomBlockSource = MediaError(
            status: -12702, "bad custom block source")
        /// `kCMBlockBufferBadOffsetParameterErr`.
        public static let badOffsetParameter = MediaError(status: -12703, "offset out of range")
        /// `kCMBlockBufferBadLengthParameterErr`.
        public static let badLengthParameter = MediaError(status: -12704, "length out of range")
        /// `kCMBlockBufferBadPointerParameterErr`.
        public static let badPointerParameter = MediaError(status: -12705, "bad pointer")
        /// `kCMBlockBufferEmptyBBufErr`.
        public static let emptyBlockBuffer = MediaError(status: -12706, "the block buffer is empty")
        /// `kCMBlockBufferUnallocatedBlockErr`.
        public static let unallocatedBlock = MediaError(
            status: -12707, "the memory block is not allocated yet")
        /// `kCMBlockBufferInsufficientSpaceErr`.
        public static let insufficientSpace = MediaError(
            status: -12708, "the destination is too small")
    }
}

extension MediaError {
    /// The same error with a text that tells more.
    func saying(_ text: String) -> MediaError { MediaError(status: status, text) }
}
