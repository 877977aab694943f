import Glibc
import VideoCodec

let arguments = CommandLine.arguments
do throws(UsageError) {
    let options = try OptionParser.parse(arguments)
    exit(try Command.run(options))
} catch {
    Output.complain(error.text)
    exit(2)
}
