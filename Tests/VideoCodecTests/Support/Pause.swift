import Glibc

/// Lets other threads run for a moment.
func usleepish() { usleep(500) }
