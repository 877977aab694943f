// A child process on a pseudo-terminal, for tests: forkpty is not safe to call from Swift.
#ifndef C_PSEUDO_TERMINAL_H
#define C_PSEUDO_TERMINAL_H
#endif
