import Glibc
import StreamSynthesis

/// The clip with which `Scripts/play` opens: two linked rings turn above a sea at dusk, for ever.
///
/// Everything that moves does so with a whole number of turns in a loop, so the last picture leads into the first.
struct Showpiece {
    static let width = 640
    static let height = 360
    static let pictureCount = 240

    private struct Surface {
        var distance: Double
        var ring: Int
    }

    private struct Shade {
        var colour: Vector
        /// What is seen: 0 the sky, 1 the sea, 2 and 3 the rings, 4 and 5 the rings in the sea.
        var kind: Int
    }

    private let phase: Double
    private let turnSin: Double
    private let turnCos: Double
    private let tiltSin: Double
    private let tiltCos: Double
    private let camera: Vector
    private let sun = Vector(-0.47, 0.075, 1).normalized
    private let centre = Vector(0.12, 1.42, 0)

    init(picture: Int) {
        phase = 2 * .pi * Double(picture) / Double(Self.pictureCount)
        turnSin = sin(phase)
        turnCos = cos(phase)
        let tilt = 0.55 * sin(phase) + 0.35
        tiltSin = sin(tilt)
        tiltCos = cos(tilt)
        camera = Vector(0.3 * sin(phase), 1.55 + 0.1 * cos(phase), -5.3)
    }

    // MARK: The rings

    /// Into the rings' own space.
    private func local(_ point: Vector) -> Vector {
        var p = point - centre
        p = Vector(p.x * turnCos - p.z * turnSin, p.y, p.x * turnSin + p.z * turnCos)
        return Vector(p.x, p.y * tiltCos - p.z * tiltSin, p.y * tiltSin + p.z * tiltCos)
    }

    private func surface(_ point: Vector) -> Surface {
        let p = local(point)
        let first = ring(p.x + 0.5, p.y, p.z)
        let second = ring(p.x - 0.5, p.z, p.y)
        return first < second
            ? Surface(distance: first, ring: 0) : Surface(distance: second, ring: 1)
    }

    /// Distance to a ring in the plane of `x` and `y`.
    private func ring(_ x: Double, _ y: Double, _ z: Double) -> Double {
        let around = (x * x + y * y).squareRoot() - 0.98
        return (around * around + z * z).squareRoot() - 0.27
    }

    private func normal(_ point: Vector) -> Vector {
        let step = 0.0008
        let d = surface(point).distance
        return Vector(
            surface(point + Vector(step, 0, 0)).distance - d,
            surface(point + Vector(0, step, 0)).distance - d,
            surface(point + Vector(0, 0, step)).distance - d
        ).normalized
    }

    /// How far along a ray the rings are.
    private func hit(_ origin: Vector, _ direction: Vector) -> Double? {
        // Only within the sphere that holds them.
        let toCentre = origin - centre
        let along = toCentre.dot(direction)
        let rest = along * along - toCentre.dot(toCentre) + 1.8 * 1.8
        guard rest > 0 else { return nil }
        let half = rest.squareRoot()
        var t = max(-along - half, 0)
        // Along a grazing ray the steps become short.
        for _ in 0..<300 {
            let distance = surface(origin + t * direction).distance
            if distance < 0.0007 { return t }
            t += distance
            if t > -along + half { return nil }
        }
        return nil
    }

    private func ringColour(_ point: Vector, _ direction: Vector) -> Vector {
        let normal = normal(point)
        let ring = surface(point).ring
        let p = local(point)
        let (x, y, z) = ring == 0 ? (p.x + 0.5, p.y, p.z) : (p.x - 0.5, p.z, p.y)
        let around = atan2(y, x)
        let across = atan2(z, (x * x + y * y).squareRoot() - 0.98)
        // A band winds round the tube and runs along it.
        let winding = sin(3 * around + 2 * across + (ring == 0 ? 2 : -2) * phase)
        let band = smoothStep(0.25, 0.45, winding)
        let base =
            ring == 0
            ? Vector(0.75, 0.16, 0.09).mixed(with: Vector(0.98, 0.62, 0.16), band)
            : Vector(0.03, 0.22, 0.36).mixed(with: Vector(0.25, 0.78, 0.70), band)
        let facing = max(0, -direction.dot(normal))
        let fresnel = 0.06 + 0.94 * pow(1 - facing, 4)
        let light = max(0, normal.dot(sun))
        let skylight = 0.5 + 0.5 * normal.y
        let shadow = 0.35 + 0.65 * smoothStep(-0.02, 0.25, surface(point + 0.25 * normal).distance)
        var colour =
            base
            * (Vector(1.5, 0.95, 0.6) * light + Vector(0.34, 0.32, 0.52) * skylight
                + Vector(0.22, 0.09, 0.08))
        colour *= shadow
        // A key light from behind the viewer, so that the near sides glow too.
        let key = Vector(0.45, 0.75, -0.6).normalized
        let half = (key - direction).normalized
        colour += base * max(0, normal.dot(key)) * Vector(0.62, 0.56, 0.6)
        colour += Vector(1, 0.9, 0.8) * pow(max(0, normal.dot(half)), 60) * 0.8
        let mirrored = direction.reflected(at: normal)
        return colour.mixed(
            with: sky(Vector(mirrored.x, abs(mirrored.y), mirrored.z)), fresnel * 0.8)
    }

    // MARK: Sky and sea

    private func sky(_ direction: Vector) -> Vector {
        let up = max(direction.y, 0)
        var colour = Vector(1.0, 0.36, 0.12).mixed(
            with: Vector(0.42, 0.085, 0.24), smoothStep(0, 0.14, up))
        colour = colour.mixed(with: Vector(0.055, 0.028, 0.16), smoothStep(0.06, 0.30, up))
        colour = colour.mixed(with: Vector(0.008, 0.012, 0.05), smoothStep(0.2, 0.6, up))
        let near = max(0, direction.dot(sun))
        colour += Vector(1, 0.5, 0.18) * pow(near, 14) * 0.30
        colour += Vector(1, 0.7, 0.35) * pow(near, 200) * 0.7
        return colour + Vector(2.6, 2.0, 1.2) * smoothStep(0.9988, 0.9992, near)
    }

    private func sea(_ origin: Vector, _ direction: Vector) -> Shade {
        let t = origin.y / -direction.y
        let point = origin + t * direction
        // Far waves are too fine to see, and would only flicker.
        let calm = 1 / (1 + 0.012 * t * t)
        let x = point.x
        let z = point.z
        let slopeX =
            0.030 * cos(1.3 * x + 0.9 * z + 3 * phase) + 0.020 * cos(3.1 * x - 1.7 * z - 5 * phase)
        let slopeZ =
            0.045 * cos(2.1 * z + 0.5 * x + 4 * phase) + 0.028 * cos(4.7 * z - 1.1 * x + 7 * phase)
        let normal = Vector(-slopeX * calm, 1, -slopeZ * calm).normalized
        var mirrored = direction.reflected(at: normal)
        mirrored.y = abs(mirrored.y)
        let facing = max(0, -direction.dot(normal))
        let fresnel = 0.10 + 0.90 * pow(1 - facing, 3)
        let deep = Vector(0.010, 0.022, 0.055)
        if let distance = hit(point, mirrored) {
            let seen = point + distance * mirrored
            let ring = surface(seen).ring
            return Shade(
                colour: deep.mixed(with: ringColour(seen, mirrored), fresnel), kind: 4 + ring)
        }
        var colour = deep.mixed(with: sky(mirrored), fresnel)
        // Haze joins sea and sky.
        let haze = sky(Vector(direction.x, 0.015, direction.z).normalized)
        colour = colour.mixed(with: haze, smoothStep(25, 160, t))
        return Shade(colour: colour, kind: 1)
    }

    private func shade(_ x: Double, _ y: Double) -> Shade {
        let target = Vector(0, 1.16, 0)
        let forward = (target - camera).normalized
        let right = Vector(forward.z, 0, -forward.x).normalized
        let up = Vector(
            forward.y * right.z - forward.z * right.y, forward.z * right.x - forward.x * right.z,
            forward.x * right.y - forward.y * right.x)
        let u = (x - Double(Self.width) / 2) / Double(Self.height) * 1.04
        let v = (Double(Self.height) / 2 - y) / Double(Self.height) * 1.04
        let direction = (forward * 1.35 + right * u + up * v).normalized
        if let distance = hit(camera, direction) {
            let point = camera + distance * direction
            return Shade(colour: ringColour(point, direction), kind: 2 + surface(point).ring)
        }
        guard direction.y < -0.0005 else {
            return Shade(colour: sky(direction) + star(direction), kind: 0)
        }
        return sea(camera, direction)
    }

    /// A few stars, each where a cell of the sky has one, twinkling a whole number of times.
    private func star(_ direction: Vector) -> Vector {
        guard direction.y > 0.12 else { return Vector() }
        let scale = 34.0
        let x = direction.x / direction.z * scale
        let y = direction.y / direction.z * scale
        var seed =
            UInt64(bitPattern: Int64(x.rounded(.down))) &* 0x9E37_79B9_7F4A_7C15
            ^ UInt64(bitPattern: Int64(y.rounded(.down))) &* 0xC2B2_AE3D_27D4_EB4F
        seed = (seed ^ seed >> 29) &* 0xBF58_476D_1CE4_E5B9
        seed ^= seed >> 32
        guard seed & 7 == 0 else { return Vector() }
        let dx = x - x.rounded(.down) - 0.3 - Double(seed >> 8 & 255) / 640
        let dy = y - y.rounded(.down) - 0.3 - Double(seed >> 16 & 255) / 640
        let turns = Double(1 + seed >> 24 & 3)
        let twinkle = 0.65 + 0.35 * sin(turns * phase + Double(seed >> 32 & 255))
        let glow = max(0, 1 - (dx * dx + dy * dy) * 160)
        let size = 0.25 + 0.75 * Double(seed >> 40 & 255) / 255
        return Vector(0.9, 0.92, 1) * glow * glow * twinkle * size
            * smoothStep(0.12, 0.3, direction.y)
    }

    // MARK: Picture

    /// Light as it is to light as it is stored.
    private func developed(_ light: Vector) -> Colour {
        func part(_ value: Double) -> Double {
            // A filmic curve: shadows stay deep, the sun does not clip hard.
            let mapped = value * (2.51 * value + 0.03) / (value * (2.43 * value + 0.59) + 0.14)
            return pow(min(max(mapped, 0), 1), 1 / 2.2)
        }
        return Colour(part(light.x), part(light.y), part(light.z))
    }

    func picture(number: Int) -> Picture {
        var shades: [Shade] = []
        shades.reserveCapacity(Self.width * Self.height)
        for y in 0..<Self.height {
            for x in 0..<Self.width { shades.append(shade(Double(x) + 0.5, Double(y) + 0.5)) }
        }
        var colours = shades.map(\.colour)
        for y in 1..<Self.height - 1 {
            for x in 1..<Self.width - 1 {
                let at = y * Self.width + x
                let kind = shades[at].kind
                let isEdge = [at - 1, at + 1, at - Self.width, at + Self.width].contains {
                    let difference = shades[$0].colour - shades[at].colour
                    return shades[$0].kind != kind || kind > 1 && difference.length > 0.06
                }
                guard isEdge else { continue }
                var sum = Vector()
                for sub in 0..<9 {
                    sum +=
                        shade(
                            Double(x) + (Double(sub % 3) + 0.5) / 3,
                            Double(y) + (Double(sub / 3) + 0.5) / 3
                        ).colour
                }
                colours[at] = sum / 9
            }
        }
        return stored(colours.map(developed), number: number)
    }

    private func stored(_ colours: [Colour], number: Int) -> Picture {
        var picture = Picture(PictureFormat(width: Self.width, height: Self.height))
        let matrix = ColourMatrix.itu709
        var colours = colours
        overlay(number, on: &colours)
        for (at, colour) in colours.enumerated() {
            picture.planes[0].samples[at] = matrix.luma(colour)
        }
        for y in 0..<Self.height / 2 {
            for x in 0..<Self.width / 2 {
                let at = 2 * y * Self.width + 2 * x
                let mean = colours[at].mixed(with: colours[at + 1], 0.5)
                    .mixed(
                        with: colours[at + Self.width].mixed(
                            with: colours[at + Self.width + 1], 0.5),
                        0.5)
                let (cb, cr) = matrix.chroma(mean)
                picture.planes[1][x, y] = cb
                picture.planes[2][x, y] = cr
            }
        }
        return picture
    }

    /// The number, small in the corner.
    private func overlay(_ number: Int, on colours: inout [Colour]) {
        let dot = 5
        let left = Self.width - 16 - Digits.width(3) * dot
        let top = 298
        for y in 0..<5 * dot {
            for x in 0..<Digits.width(3) * dot
            where Digits.isSet(number, count: 3, x: x / dot, y: y / dot) {
                let at = (top + y) * Self.width + left + x
                colours[at] = colours[at].mixed(with: Colour(1, 0.93, 0.85), 0.8)
            }
        }
        for y in 0..<Self.height {
            for x in 0..<Self.width {
                let white = PictureCounter.isWhite(
                    number, .corner, x: (Double(x) + 0.5) / Double(Self.width),
                    y: (Double(y) + 0.5) / Double(Self.height))
                if let white { colours[y * Self.width + x] = Colour(white ? 0.85 : 0.08) }
            }
        }
    }
}
