#define _GNU_SOURCE
#include "CTerminalShims.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

// The fault signals. SIGILL and SIGTRAP are Swift's traps; SIGSYS is a seccomp filter's.
static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT, SIGSYS};
enum { fault_count = sizeof faults / sizeof faults[0] };

static struct sigaction before[fault_count];

static struct {
    _Atomic int armed;
    int output;
    int input;
    struct termios modes;
    uint8_t bytes[256];
    size_t count;
} guard;

// The real standard error and the memory file in its place; -1 when not held.
static _Atomic int held_error = -1;
static _Atomic int held_file = -1;

static int64_t milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

// Writes all, but no longer than half a second: a terminal that takes nothing must not keep a dead process alive.
static void write_bounded(int fd, const uint8_t *bytes, size_t count) {
    int64_t deadline = milliseconds() + 500;
    while (count > 0) {
        ssize_t written = write(fd, bytes, count);
        if (written > 0) {
            bytes += written;
            count -= (size_t)written;
            continue;
        }
        if (written < 0 && errno != EAGAIN && errno != EINTR) return;
        int64_t left = deadline - milliseconds();
        if (left <= 0) return;
        struct pollfd one = {.fd = fd, .events = POLLOUT};
        poll(&one, 1, (int)(left < 50 ? left : 50));
    }
}

// Async-signal-safe: write, poll, clock_gettime, tcflush, tcsetattr, pthread_sigmask, dup2, pread, close only.
static void restore(void) {
    int saved = errno;
    if (atomic_exchange(&guard.armed, 0)) {
        // A process in the background may set modes only with SIGTTOU blocked.
        sigset_t set, old;
        sigemptyset(&set);
        sigaddset(&set, SIGTTOU);
        pthread_sigmask(SIG_BLOCK, &set, &old);
        write_bounded(guard.output, guard.bytes, guard.count);
        // Answers of the terminal that nobody has read are not for the shell.
        tcflush(guard.input, TCIFLUSH);
        tcsetattr(guard.input, TCSANOW, &guard.modes);
        pthread_sigmask(SIG_SETMASK, &old, NULL);
    }
    terminal_guard_release_errors();
    errno = saved;
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    (void)context;
    restore();
    for (int i = 0; i < fault_count; i++)
        if (faults[i] == signal) sigaction(signal, &before[i], NULL);
    // A fault of the processor happens again on return, with the right address, and meets the action set above: the
    // default, or a sanitizer's report. What was sent, and a breakpoint (already passed), is sent again.
    int again = info && info->si_code > 0 && signal != SIGTRAP && signal != SIGABRT && signal != SIGSYS;
    if (!again) raise(signal);
}

static void on_exit_of_process(void) { restore(); }

static int install_result;

static void install(void) {
    install_result = 0;
    // A stack of its own, so that a stack overflow of the installing (main) thread is handled too.
    size_t size = 64 * 1024;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
    if (memory != MAP_FAILED) {
        stack_t present, stack = {.ss_sp = memory, .ss_size = size};
        // A sanitizer may have one there already.
        if (sigaltstack(NULL, &present) == 0 && (present.ss_flags & SS_DISABLE))
            sigaltstack(&stack, NULL);
        else
            munmap(memory, size);
    }
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    for (int i = 0; i < fault_count; i++)
        if (sigaction(faults[i], &action, &before[i]) != 0) install_result = errno;
    // After us comes the default action. Swift's backtracer is kept only where it was asked for: unasked, on a
    // terminal, it would hold the process for half a minute, waiting for a key. A sanitizer's report is kept always;
    // it has the first three signals only, and the backtracer does not survive under a sanitizer.
    int kept = terminal_is_sanitized() ? 3 : getenv("SWIFT_BACKTRACE") ? fault_count : 0;
    for (int i = kept; i < fault_count; i++) {
        memset(&before[i], 0, sizeof before[i]);
        before[i].sa_handler = SIG_DFL;
    }
    if (atexit(on_exit_of_process) != 0) install_result = ENOMEM;
}

int terminal_guard_install(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, install);
    errno = install_result;
    return install_result == 0 ? 0 : -1;
}

void terminal_guard_arm(int output, int input, const struct termios *modes, const uint8_t *bytes, size_t count) {
    atomic_store(&guard.armed, 0);
    guard.output = output;
    guard.input = input;
    guard.modes = *modes;
    guard.count = count < sizeof guard.bytes ? count : sizeof guard.bytes;
    memcpy(guard.bytes, bytes, guard.count);
    atomic_store(&guard.armed, 1);
}

void terminal_guard_disarm(void) { atomic_store(&guard.armed, 0); }

int terminal_is_sanitized(void) {
#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return 1;
#endif
#endif
    return 0;
}

int terminal_guard_hold_errors(int output) {
    if (atomic_load(&held_error) >= 0) return 1;
    if (terminal_is_sanitized() || !isatty(STDERR_FILENO)) return 0;
    if (terminal_device(STDERR_FILENO) != terminal_device(output)) return 0;
    int file = memfd_create("standard error", MFD_CLOEXEC);
    if (file < 0) return 0;
    int real = fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, 3);
    if (real < 0 || dup2(file, STDERR_FILENO) < 0) {
        if (real >= 0) close(real);
        close(file);
        return 0;
    }
    atomic_store(&held_file, file);
    atomic_store(&held_error, real);
    return 1;
}

void terminal_guard_release_errors(void) {
    int real = atomic_exchange(&held_error, -1);
    if (real < 0) return;
    int file = atomic_exchange(&held_file, -1);
    dup2(real, STDERR_FILENO);
    // Close the copy only: `file` itself may still be written by a thread that read the table before.
    uint8_t buffer[1024];
    off_t at = 0;
    ssize_t count;
    // 64 KB are enough to say what went wrong.
    while (at < 65536 && (count = pread(file, buffer, sizeof buffer, at)) > 0) {
        write_bounded(STDERR_FILENO, buffer, (size_t)count);
        at += count;
    }
    close(file);
    close(real);
}
