import TestSupport
import Testing

/// What `docs/stack.md` tells a newcomer.
@Suite("The guide to the stack", .timeLimit(.minutes(Checkout.patience(10))))
struct StackGuideTests {
    private static func text(_ path: String) throws -> String {
        String(decoding: try #require(Checkout.bytes(Checkout.root + "/" + path)), as: UTF8.self)
    }

    @Test func `its example is a program that is built here, and prints each picture's time`()
        throws
    {
        let guide = try Self.text("docs/stack.md")
        let source = try Self.text("Tests/Support/stack-example/main.swift")
        #expect(guide.contains("```swift\n\(source)```\n"), "docs/stack.md has another text")
        let result = SampleProgramTests.run("stack-example", [Checkout.samples + "/main.264"])
        #expect(result.status == 0)
        #expect(result.lines.first == "0/50 176x144")
        #expect(result.lines == (0..<100).map { "\($0 * 2)/50 176x144" })
        let wrong = SampleProgramTests.run("stack-example", [Checkout.root + "/README.md"])
        #expect(wrong.text == "is text, not H.264; nothing here decodes it\n")
        #expect(guide.contains("from `0/50 176x144` on"))
    }

    @Test func `the product that it names is there, with every module`() throws {
        let manifest = try Self.text("Package.swift")
        let start = try #require(manifest.firstRange(of: "name: \"MediaStack\""))
        let end = try #require(manifest[start.upperBound...].firstRange(of: "])"))
        for module in [
            "H264", "MediaTime", "PixelBuffers", "SampleBuffers", "VideoCodec", "SampleDisplay",
            "ElementaryStream",
        ] {
            #expect(manifest[start.upperBound..<end.lowerBound].contains("\"\(module)\""))
            #expect(try Self.text("docs/stack.md").contains("\n## \(module)\n"))
        }
    }

    @Test func `its commands find the rules`() throws {
        let guide = try Self.text("docs/stack.md")
        let commands = guide.split(separator: "\n").filter { $0.hasPrefix("grep -r") }
        #expect(commands.count == 2)
        for command in commands {
            let result = Subprocess.run(
                "/bin/sh", ["-c", "cd \"$0\" && \(command)", Checkout.root])
            #expect(result.status == 0)
            #expect(result.text.contains("D-9 "))
            #expect(result.lines.count >= (command.contains("sort") ? 300 : 4))
        }
    }
}
