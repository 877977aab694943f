// A program on a pseudo-terminal with a small job-controlling shell above it, for tests. Written in C because
// between fork and exec of a process with threads only async-signal-safe code may run.
#ifndef C_PSEUDO_TERMINAL_H
#define C_PSEUDO_TERMINAL_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <termios.h>

struct pseudo_terminal {
    int master;   ///< the terminal's side, non-blocking
    int slave;    ///< the program's side, kept open so that modes can be read after the program has gone
    int reports;  ///< struct pseudo_terminal_report comes here
    int commands; ///< one letter each: c continue in the foreground, b in the background; closing it ends the shell
    pid_t shell;
    struct termios modes; ///< before the program started
};

enum {
    PSEUDO_TERMINAL_STARTED = 1,
    PSEUDO_TERMINAL_STOPPED = 2,
    PSEUDO_TERMINAL_EXITED = 3,
    PSEUDO_TERMINAL_SIGNALLED = 4,
};

struct pseudo_terminal_report {
    int32_t kind;
    int32_t pid;
    int32_t value; ///< exit status or signal
    int32_t peak_memory_kilobytes;
    int64_t processor_microseconds; ///< user and system
};

/// Starts a program; descriptors of -1 mean the terminal. 0, or -1 and errno.
int pseudo_terminal_start(
    const char *path, char *const *arguments, char *const *environment, const char *directory, int columns,
    int rows, int width, int height, int standard_input, int standard_output, int standard_error,
    struct pseudo_terminal *result);

/// Tells the terminal's size, with SIGWINCH to its foreground; 0, or -1 and errno.
int pseudo_terminal_resize(int master, int columns, int rows, int width, int height);

/// The first place at or after `start` where `wanted` stands in `bytes`, or -1.
ptrdiff_t pseudo_terminal_find(
    const uint8_t *bytes, size_t count, size_t start, const uint8_t *wanted, size_t wanted_count);

/// Ends the shell (and the program with it) and closes all descriptors.
void pseudo_terminal_end(struct pseudo_terminal *terminal);

#endif
