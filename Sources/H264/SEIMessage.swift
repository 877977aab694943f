/// A supplemental enhancement information message.
///
/// Source: ITU-T H.264 (08/2021) 7.3.2.3.1, Annex D.
public struct SEIMessage: Hashable, Sendable {
    /// What a message says, as far as it can be read without parameter sets.
    public enum Content: Hashable, Sendable {
        /// Type 6.
        case recoveryPoint(RecoveryPointSEI)
        /// Type 4: the T.35 country code (with its extension byte where the code is 255) and the rest.
        case userDataRegistered(country: UInt8, countryExtension: UInt8?, data: [UInt8])
        /// Type 5: a UUID of 16 bytes and the rest.
        case userDataUnregistered(uuid: [UInt8], data: [UInt8])
        /// Any other type, and types whose payload is broken.
        case other
    }

    /// `payloadType`.
    public let payloadType: Int
    /// The payload, emulation prevention removed.
    public let payload: [UInt8]

    /// The number of the buffering period message.
    public static let bufferingPeriod = 0
    /// The number of the picture timing message.
    public static let pictureTiming = 1
    /// The number of the message with user data registered by ITU-T T.35.
    public static let userDataRegistered = 4
    /// The number of the message with unregistered user data.
    public static let userDataUnregistered = 5
    /// The number of the recovery point message.
    public static let recoveryPoint = 6

    /// Takes a payload apart from its NAL unit.
    public init(payloadType: Int, payload: [UInt8]) {
        self.payloadType = payloadType
        self.payload = payload
    }

    /// What the message says.
    public var content: Content {
        switch payloadType {
        case Self.recoveryPoint:
            guard let message = try? RecoveryPointSEI(payload: payload) else { return .other }
            return .recoveryPoint(message)
        case Self.userDataRegistered:
            guard let country = payload.first else { return .other }
            guard country == 0xFF else {
                return .userDataRegistered(
                    country: country, countryExtension: nil, data: Array(payload.dropFirst()))
            }
            guard payload.count >= 2 else { return .other }
            return .userDataRegistered(
                country: country, countryExtension: payload[1], data: Array(payload.dropFirst(2)))
        case Self.userDataUnregistered:
            guard payload.count >= 16 else { return .other }
            return .userDataUnregistered(
                uuid: Array(payload.prefix(16)), data: Array(payload.dropFirst(16)))
        default:
            return .other
        }
    }

    /// Returns the messages of a whole NAL unit of type 6, header byte and emulation prevention included; those before
    /// the damage where it is damaged.
    ///
    /// - Complexity: O(n).
    public static func messages(nalUnit: [UInt8]) throws(BitstreamError) -> [SEIMessage] {
        guard let byte = nalUnit.first else { throw .truncated(bit: 0, needed: 8) }
        let type = NALUnitHeader(byte: byte).type
        guard type == .sei else { throw .unexpectedNALUnitType(type) }
        let rbsp = EmulationPrevention.remove(from: Array(nalUnit.dropFirst()))
        var messages: [SEIMessage] = []
        forEach(in: rbsp) { type, range in
            messages.append(SEIMessage(payloadType: type, payload: Array(rbsp[range])))
        }
        return messages
    }

    /// Calls `body` with type and payload of each message that is whole.
    static func forEach(in rbsp: [UInt8], _ body: (Int, Range<Int>) -> Void) {
        var index = 0
        // A message takes two bytes at least; the trailing bits are one.
        while index + 2 <= rbsp.count {
            guard let type = readCoded(rbsp, &index), let size = readCoded(rbsp, &index),
                size <= rbsp.count - index
            else { return }
            body(type, index..<index + size)
            index += size
        }
    }

    /// A number written as bytes of 255 and a last one that is less.
    private static func readCoded(_ bytes: [UInt8], _ index: inout Int) -> Int? {
        var value = 0
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            value += Int(byte)
            if byte != 0xFF { return value }
        }
        return nil
    }
}
