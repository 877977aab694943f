import CGetopt
import ElementaryStream
import Glibc
import MediaTime
import Playback
import TerminalGraphics

/// Reads the command line with `getopt_long`, so that abbreviations, `--name=value` and `--` work as everywhere.
enum OptionParser {
    /// Reads `arguments`, the program's name first.
    ///
    /// - Throws: ``UsageError`` with one line for standard error.
    static func parse(_ arguments: [String]) throws(UsageError) -> Options {
        var options = Options()
        var problem: UsageError?
        walk(arguments) { event in
            do throws(UsageError) {
                switch event {
                case .option(let option, let value): try apply(option, value, to: &options)
                case .operand(let text): options.files.append(text)
                case .unknown(let text): throw unknown(text)
                case .missing(let name):
                    throw .init(text: "--\(name) needs an argument; see --help")
                }
                return true
            } catch {
                problem = error
                return false
            }
        }
        if let problem { throw problem }
        try check(options)
        return options
    }

    private enum Event {
        case option(Option, String?)
        case operand(String)
        case unknown(String)
        case missing(String)
    }

    private static func walk(_ arguments: [String], _ body: (Event) -> Bool) {
        let names = unsafe Option.all.map { unsafe strdup($0.name.rawValue) }
        var words = unsafe arguments.map { unsafe strdup($0) } + [nil]
        defer {
            unsafe (names + words).forEach { word in unsafe free(word) }
        }
        cgetopt_begin()
        var letters = "-:"
        for (index, option) in Option.all.enumerated() {
            unsafe cgetopt_add(names[index], option.argument == nil ? 0 : 1, Int32(256 + index))
            if let letter = option.letter { letters += String(letter) }
        }
        let count = Int32(arguments.count)
        while true {
            let step = unsafe cgetopt_next(count, &words, letters)
            if unsafe step.code == -1 { break }
            guard let event = unsafe event(of: step, arguments), body(event) else { return }
        }
        for index in min(Int(cgetopt_place()), arguments.count)..<arguments.count {
            guard body(.operand(arguments[index])) else { return }
        }
    }

    @unsafe
    private static func event(of step: cgetopt_step, _ arguments: [String]) -> Event? {
        let argument = unsafe step.argument.map { unsafe String(cString: $0) }
        switch unsafe step.code {
        case 1: return .operand(argument ?? "")
        case 63:  // '?'
            let place = unsafe Int(step.place)
            return .unknown(place < arguments.count ? arguments[place] : "")
        case 58:  // ':'
            let index = unsafe Int(step.option) - 256
            return .missing(
                Option.all.indices.contains(index) ? Option.all[index].name.rawValue : "")
        case 256...: return .option(Option.all[unsafe Int(step.code) - 256], argument)
        default:
            let scalar = unsafe Unicode.Scalar(UInt32(step.code))
            return Option.all.first { $0.letter == scalar.map(Character.init) }
                .map { .option($0, argument) }
        }
    }

    private static func unknown(_ text: String) -> UsageError {
        guard text.hasPrefix("--") else {
            return .init(text: "unknown option \(Printable.text(text)); see --help")
        }
        let name = String(text.dropFirst(2).prefix(while: { $0 != "=" }))
        let names = Option.all.map(\.name.rawValue)
        let matches = names.filter { $0.hasPrefix(name) }
        if matches.count > 1 {
            let list = matches.map { "--" + $0 }.joined(separator: ", ")
            return .init(text: "--\(name) may be any of \(list)")
        }
        if names.contains(name) {
            return .init(text: "--\(name) takes no argument; see --help")
        }
        let nearest = names.min { editDistance($0, name) < editDistance($1, name) } ?? "help"
        return .init(text: "unknown option --\(Printable.text(name)); did you mean --\(nearest)?")
    }

    private static func apply(
        _ option: Option, _ value: String?, to options: inout Options
    ) throws(UsageError) {
        let value = value ?? ""
        func wrong(_ what: String) -> UsageError {
            .init(text: "--\(option.name.rawValue) \(Printable.text(value)): \(what)")
        }
        func choice<T: RawRepresentable & CaseIterable>(
            _: T.Type, beside others: [String] = []
        ) throws(UsageError) -> T where T.RawValue == String {
            guard let result = T(rawValue: value) else {
                let names = (others + T.allCases.map(\.rawValue)).joined(separator: ", ")
                throw wrong("must be one of \(names)")
            }
            return result
        }
        func bytes() throws(UsageError) -> Int {
            guard let bytes = Decimal.bytes(value) else {
                throw wrong("must be bytes, such as 200K, 256M or 2G")
            }
            return bytes
        }
        func place() throws(UsageError) -> Place {
            guard let place = Place(value) else {
                throw wrong("must be a time such as 12.5 or 1:02.5, or a picture such as 120f")
            }
            return place
        }
        switch option.name {
        case .timebaseRate:
            guard let rate = Decimal.rate(value) else {
                throw wrong("must be a rate such as 0.5, 2 or 1/3, at most 1000")
            }
            options.rate = rate
        case .start: options.start = try place()
        case .until: options.until = try place()
        case .paused: options.isPaused = true
        case .loop:
            if value == "inf" {
                options.loopCount = nil
            } else if let count = Decimal.integer(value), count > 0 {
                options.loopCount = count
            } else {
                throw wrong("must be a count from 1, or inf")
            }
        case .fps:
            guard let fraction = Decimal.fraction(value),
                let rate = PictureRate(
                    numerator: fraction.numerator, denominator: fraction.denominator)
            else { throw wrong("must be pictures a second such as 25, 29.97 or 30000/1001") }
            options.pictureRate = rate
        case .untimed: options.isUntimed = true
        case .lowDelay: options.isLowDelay = true
        case .follow: options.follows = true
        case .order: options.order = try choice(Options.Order.self)
        case .fromAny: options.showsAll = true
        case .strict: options.isStrict = true
        case .buffer: options.bufferByteLimit = try bytes()
        case .cache: options.cacheByteLimit = try bytes()
        case .log: options.logPath = value
        case .renderer:
            switch value {
            case "auto": options.renderer = .auto
            case "none": options.renderer = .none
            default:
                options.renderer = .kind(
                    try choice(RendererKind.self, beside: ["auto", "none"]))
            }
        case .colors:
            options.colorDepth =
                value == "auto" ? nil : try choice(ColorDepth.self, beside: ["auto"])
        case .dither: options.dither = try choice(Dither.self)
        case .matrix: options.matrix = try choice(ColorMatrix.self)
        case .range: options.range = try choice(ColorRange.self)
        case .size:
            guard let size = Decimal.size(value), size.width <= 1000, size.height <= 1000 else {
                throw wrong("must be columns x rows, such as 160x45, at most 1000x1000")
            }
            options.size = TerminalGrid(columns: size.width, rows: size.height)
        case .cellSize:
            guard let size = Decimal.size(value), size.width <= 256, size.height <= 256 else {
                throw wrong("must be pixels, such as 8x16, at most 256x256")
            }
            options.cellSize = CellSize(width: size.width, height: size.height)
        case .deinterlace: options.deinterlacing = try choice(Deinterlacing.self)
        case .fit: options.fit = try choice(Fit.self)
        case .maxRate: options.maximumRate = try bytes()
        case .noStatus: options.hasStatus = false
        case .report: options.report = try choice(Options.Report.self)
        case .md5: options.hasDigests = true
        case .snapshot:
            guard !value.isEmpty, value != "-" else { throw wrong("must name a file") }
            options.snapshotPath = value
        case .probeTerminal: options.probesTerminal = true
        case .testPattern: options.wantsTestPattern = true
        case .help: options.wantsHelp = true
        case .version: options.wantsVersion = true
        }
    }

    private static func checkReporting(_ options: Options) throws(UsageError) {
        if options.snapshotPath != nil {
            guard options.report == nil else {
                throw .init(text: "--snapshot and --report: one at a time")
            }
            guard options.files.count == 1 else {
                throw .init(text: "--snapshot takes one FILE")
            }
        } else if options.report != nil {
            guard options.rate == 1 || options.rate == -1 else {
                throw .init(text: "--timebase-rate with --report is 1, or -1 for backwards")
            }
            guard !options.isBackwards || options.report != .nals else {
                throw .init(text: "--report nals goes in the order of the stream, not backwards")
            }
            guard !options.isBackwards || options.order == .presentation else {
                throw .init(text: "--order decode goes forwards only")
            }
        }
    }

    private static func check(_ options: Options) throws(UsageError) {
        if options.wantsHelp || options.wantsVersion { return }
        if options.probesTerminal || options.wantsTestPattern {
            guard options.files.isEmpty else {
                throw .init(text: "--probe-terminal and --test-pattern take no FILE")
            }
            return
        }
        guard !options.files.isEmpty else {
            throw .init(text: "no file; tplay FILE plays one, --help tells more")
        }
        if options.hasDigests, options.report != .frames {
            throw .init(text: "--md5 goes with --report frames")
        }
        try checkReporting(options)
        if options.files.count(where: { $0 == "-" }) > 1 {
            throw .init(text: "standard input can be played only once")
        }
        if case .picture(let first)? = options.start, case .picture(let last)? = options.until,
            last < first
        {
            throw .init(text: "--until \(last)f is before --start \(first)f")
        }
        if let first = options.start?.time, let last = options.until?.time, last <= first {
            throw .init(text: "--until is not after --start")
        }
        if let last = options.until?.time, last <= .zero {
            throw .init(text: "--until 0 leaves no picture: the first is at 0; 0f is that picture")
        }
    }
}
