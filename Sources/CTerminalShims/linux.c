#define _GNU_SOURCE
#include "CTerminalShims.h"

#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/signalfd.h>
#include <unistd.h>

int terminal_signalfd(const sigset_t *set) { return signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC); }

int terminal_signalfd_read(int fd) {
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int terminal_eventfd(void) { return eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC); }

uint32_t terminal_device(int fd) {
    unsigned int device = 0;
    return ioctl(fd, TIOCGDEV, &device) == 0 ? device : 0;
}

int terminal_signal_is_ignored(int signal) {
    struct sigaction action;
    return sigaction(signal, NULL, &action) == 0 && !(action.sa_flags & SA_SIGINFO) && action.sa_handler == SIG_IGN;
}

void terminal_signal_ignore(int signal) {
    struct sigaction action = {.sa_handler = SIG_IGN};
    sigaction(signal, &action, 0);
}

void terminal_signal_default(int signal) {
    struct sigaction action = {.sa_handler = SIG_DFL}, before_action;
    sigset_t one, before_mask;
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigaction(signal, &action, &before_action);
    kill(getpid(), signal);
    // Unblocked here alone, so that it is this thread that takes it, before the call returns.
    pthread_sigmask(SIG_UNBLOCK, &one, &before_mask);
    pthread_sigmask(SIG_SETMASK, &before_mask, 0);
    sigaction(signal, &before_action, 0);
}
