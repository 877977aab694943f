#define _GNU_SOURCE
#include "CPseudoTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <pty.h>
#include <signal.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t job;

// A shell hands a hang-up on to its jobs.
static void on_hangup(int signal) {
    int saved = errno;
    if (job > 0) kill(-job, signal);
    errno = saved;
}

static void report(int fd, int kind, int value, const struct rusage *used) {
    struct pseudo_terminal_report message = {.kind = kind, .pid = job, .value = value};
    if (used) {
        message.peak_memory_kilobytes = (int32_t)used->ru_maxrss;
        message.processor_microseconds =
            (int64_t)(used->ru_utime.tv_sec + used->ru_stime.tv_sec) * 1000000 + used->ru_utime.tv_usec
            + used->ru_stime.tv_usec;
    }
    while (write(fd, &message, sizeof message) < 0 && errno == EINTR) {}
}

static void set_action(int signal, void (*handler)(int)) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handler;
    sigaction(signal, &action, NULL);
}

static void become_program(
    const char *path, char *const *arguments, char *const *environment, int standard_input, int standard_output,
    int standard_error, int slave) {
    setpgid(0, 0);
    tcsetpgrp(slave, getpid()); // SIGTTOU is still ignored
    dup2(standard_input < 0 ? slave : standard_input, 0);
    dup2(standard_output < 0 ? slave : standard_output, 1);
    dup2(standard_error < 0 ? slave : standard_error, 2);
    close_range(3, ~0U, 0);
    for (int signal = 1; signal < NSIG; signal++) set_action(signal, SIG_DFL);
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    execve(path, arguments, environment);
    _exit(127);
}

static void be_shell(int slave, int reports, int commands) {
    for (;;) {
        int status;
        struct rusage used;
        pid_t pid = wait4(job, &status, WUNTRACED, &used);
        if (pid < 0 && errno == EINTR) continue;
        if (pid < 0) _exit(0);
        tcsetpgrp(slave, getpid());
        int stopped = WIFSTOPPED(status);
        if (stopped)
            report(reports, PSEUDO_TERMINAL_STOPPED, WSTOPSIG(status), &used);
        else if (WIFSIGNALED(status))
            report(reports, PSEUDO_TERMINAL_SIGNALLED, WTERMSIG(status), &used);
        else
            report(reports, PSEUDO_TERMINAL_EXITED, WEXITSTATUS(status), &used);
        for (;;) {
            char command;
            ssize_t count = read(commands, &command, 1);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) {
                if (stopped) kill(-job, SIGKILL);
                _exit(0);
            }
            if (stopped && (command == 'c' || command == 'b')) {
                if (command == 'c') tcsetpgrp(slave, job);
                kill(-job, SIGCONT);
                break;
            }
        }
    }
}

int pseudo_terminal_start(
    const char *path, char *const *arguments, char *const *environment, const char *directory, int columns,
    int rows, int width, int height, int standard_input, int standard_output, int standard_error,
    struct pseudo_terminal *result) {
    struct winsize size = {
        .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns,
        .ws_xpixel = (unsigned short)width, .ws_ypixel = (unsigned short)height};
    int reports[2], commands[2];
    if (openpty(&result->master, &result->slave, NULL, NULL, &size) != 0) return -1;
    if (pipe2(reports, O_CLOEXEC) != 0 || pipe2(commands, O_CLOEXEC) != 0) return -1;
    tcgetattr(result->slave, &result->modes);
    fcntl(result->master, F_SETFD, FD_CLOEXEC);
    fcntl(result->slave, F_SETFD, FD_CLOEXEC);
    // All signals wait until the shell has its handlers.
    sigset_t all, old;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    pid_t shell = fork();
    if (shell == 0) {
        close(result->master);
        setsid();
        ioctl(result->slave, TIOCSCTTY, 0);
        if (directory && chdir(directory) != 0) _exit(126);
        for (int signal = 1; signal < NSIG; signal++) set_action(signal, SIG_DFL);
        set_action(SIGTTOU, SIG_IGN);
        set_action(SIGTTIN, SIG_IGN);
        set_action(SIGTSTP, SIG_IGN);
        set_action(SIGINT, SIG_IGN);
        set_action(SIGQUIT, SIG_IGN);
        set_action(SIGPIPE, SIG_IGN);
        set_action(SIGHUP, on_hangup);
        job = fork();
        if (job == 0)
            become_program(
                path, arguments, environment, standard_input, standard_output, standard_error, result->slave);
        setpgid(job, job);
        // What the program alone may hold must not stay open here: the other ends of its pipes, all of the tests'.
        int kept[3] = {result->slave, reports[1], commands[0]};
        for (int i = 0; i < 3; i++) kept[i] = fcntl(kept[i], F_DUPFD, 10);
        for (int i = 0; i < 3; i++) kept[i] = dup2(kept[i], 3 + i);
        close_range(0, 2, 0);
        close_range(6, ~0U, 0);
        sigemptyset(&all);
        sigprocmask(SIG_SETMASK, &all, NULL);
        report(kept[1], PSEUDO_TERMINAL_STARTED, 0, NULL);
        be_shell(kept[0], kept[1], kept[2]);
    }
    int failure = errno;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    close(reports[1]);
    close(commands[0]);
    result->reports = reports[0];
    result->commands = commands[1];
    result->shell = shell;
    fcntl(result->master, F_SETFL, O_NONBLOCK);
    fcntl(result->reports, F_SETFL, O_NONBLOCK);
    errno = failure;
    return shell < 0 ? -1 : 0;
}

int pseudo_terminal_resize(int master, int columns, int rows, int width, int height) {
    struct winsize size = {
        .ws_row = (unsigned short)rows, .ws_col = (unsigned short)columns,
        .ws_xpixel = (unsigned short)width, .ws_ypixel = (unsigned short)height};
    return ioctl(master, TIOCSWINSZ, &size);
}

void pseudo_terminal_end(struct pseudo_terminal *terminal) {
    if (terminal->commands >= 0) close(terminal->commands);
    if (terminal->master >= 0) close(terminal->master);
    if (terminal->slave >= 0) close(terminal->slave);
    if (terminal->reports >= 0) close(terminal->reports);
    if (terminal->shell > 0) {
        kill(terminal->shell, SIGKILL);
        while (waitpid(terminal->shell, NULL, 0) < 0 && errno == EINTR) {}
    }
    terminal->master = terminal->slave = terminal->reports = terminal->commands = -1;
    terminal->shell = 0;
}

ptrdiff_t pseudo_terminal_find(
    const uint8_t *bytes, size_t count, size_t start, const uint8_t *wanted, size_t wanted_count) {
    if (start > count) return -1;
    const uint8_t *found = memmem(bytes + start, count - start, wanted, wanted_count);
    return found ? found - bytes : -1;
}
