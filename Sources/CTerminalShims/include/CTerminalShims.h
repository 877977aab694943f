// What Swift cannot import of Linux (signalfd, eventfd, TIOCGDEV), and what Swift must not do: run inside a
// signal handler. Lazy globals, exclusivity checks and reference counts are not async-signal-safe.
#ifndef C_TERMINAL_SHIMS_H
#define C_TERMINAL_SHIMS_H

#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <termios.h>

/// A non-blocking, close-on-exec descriptor that reads the blocked signals of `set`; -1 and errno on failure.
int terminal_signalfd(const sigset_t *set);

/// Takes one signal from it; 0 when none is waiting.
int terminal_signalfd_read(int fd);

/// A non-blocking, close-on-exec event counter; -1 and errno on failure.
int terminal_eventfd(void);

/// The device number of the terminal behind `fd`, also when `fd` was opened as /dev/tty; 0 on failure.
uint32_t terminal_device(int fd);

/// Whether the programs's fault handlers are a sanitizer's, which must keep the standard error descriptor.
int terminal_is_sanitized(void);

/// Whether `signal` is ignored, as nohup and shells without job control arrange it for their children.
int terminal_signal_is_ignored(int signal);

/// Ignores `signal`.
void terminal_signal_ignore(int signal);

/// Gives `signal` its default action, unblocks it in this thread and sends it to this process. Returns when the
/// action is none, or when the process was stopped and continued.
void terminal_signal_default(int signal);

// The guard: puts the terminal back when the process crashes or calls exit() without having done so.

/// Installs, once, the handlers of the fault signals and the exit handler. 0, or -1 and errno.
int terminal_guard_install(void);

/// From now on a crash writes `bytes` (at most 256) to `output` and restores `modes` of `input`.
void terminal_guard_arm(int output, int input, const struct termios *modes, const uint8_t *bytes, size_t count);

/// From now on a crash leaves the terminal alone.
void terminal_guard_disarm(void);

/// While on, what is written to the standard error descriptor is kept in memory, so that it does not fall into
/// the picture. Only where that descriptor is the terminal `output`. Returns whether it is on.
int terminal_guard_hold_errors(int output);

/// Gives standard error back and writes there what was kept.
void terminal_guard_release_errors(void);

#endif
