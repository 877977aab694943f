import Glibc
import Terminal

// A program that does one thing with the terminal, for the tests of module Terminal.

SignalSet.block()
exit(Probe.run(Array(CommandLine.arguments.dropFirst())))
