public import MediaTime

extension CMBufferQueue {
    /// The errors of buffer queues.
    public enum Error {
        /// `kCMBufferQueueError_AllocationFailed`.
        public static let allocationFailed = MediaError(status: -12760, "allocation failed")
        /// `kCMBufferQueueError_RequiredParameterMissing`.
        public static let requiredParameterMissing = MediaError(
            status: -12761, "a required parameter is missing")
        /// `kCMBufferQueueError_InvalidCMBufferCallbacksStruct`.
        public static let invalidBufferCallbacksStruct = MediaError(
            status: -12762, "invalid handlers")
        /// `kCMBufferQueueError_EnqueueAfterEndOfData`.
        public static let enqueueAfterEndOfData = MediaError(
            status: -12763, "the end of data was marked")
        /// `kCMBufferQueueError_QueueIsFull`.
        public static let queueIsFull = MediaError(status: -12764, "the queue is full")
        /// `kCMBufferQueueError_BadTriggerDuration`.
        public static let badTriggerDuration = MediaError(
            status: -12765, "a trigger's duration must be a number")
        /// `kCMBufferQueueError_CannotModifyQueueFromTriggerCallback`.
        public static let cannotModifyQueueFromTriggerCallback = MediaError(
            status: -12766, "a trigger cannot change its queue")
        /// `kCMBufferQueueError_InvalidTriggerCondition`.
        public static let invalidTriggerCondition = MediaError(
            status: -12767, "invalid trigger condition")
        /// `kCMBufferQueueError_InvalidTriggerToken`.
        public static let invalidTriggerToken = MediaError(status: -12768, "no such trigger")
        /// `kCMBufferQueueError_InvalidBuffer`.
        public static let invalidBuffer = MediaError(status: -12769, "invalid buffer")
    }
}
