import StreamSynthesis
import Testing

@Suite("Test card")
struct TestCardTests {
    @Test(arguments: [
        PictureFormat(width: 64, height: 48), PictureFormat(width: 176, height: 144),
        PictureFormat(width: 320, height: 180, chroma: .yuv444, bitDepth: 10),
    ])
    func `the counter reads back`(format: PictureFormat) {
        let card = TestCard(format)
        for number in [0, 1, 42, 999, 1000, 2730, 4095] {
            #expect(PictureCounter.read(card.picture(number)) == number)
        }
    }

    @Test func `the counter reads back from cells`() {
        let card = TestCard(PictureFormat(width: 176, height: 144), cellWidth: 4, cellHeight: 8)
        #expect((0..<64).map { PictureCounter.read(card.interlacedPicture($0)) } == Array(0..<64))
    }

    @Test func `a picture without counter has no number`() {
        #expect(PictureCounter.read(Picture(PictureFormat(width: 64, height: 48))) == nil)
    }

    @Test func `fields come apart and together again`() {
        let picture = TestCard(PictureFormat(width: 64, height: 48)).interlacedPicture(7)
        #expect(Picture(top: picture.field(.top), bottom: picture.field(.bottom)) == picture)
    }
}
