// terminfo only: what the terminal is, not a screen library.
#ifndef CNCURSES_SHIM_H
#define CNCURSES_SHIM_H
#define NCURSES_NOMACROS 1
#include <curses.h>
#include <term.h>
#endif
