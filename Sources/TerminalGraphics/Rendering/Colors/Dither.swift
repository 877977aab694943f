/// How colours that cannot be shown are approached by mixing those that can.
public enum Dither: String, CaseIterable, Hashable, Sendable {
    /// Ordered where colours are few, none where they are many.
    case automatic = "auto"
    /// The nearest colour.
    case none
    /// A fixed pattern of thresholds, which stays still from picture to picture.
    case ordered
    /// Floyd and Steinberg's diffusion of the error: finer, and alive where the picture moves.
    case diffusion
}
