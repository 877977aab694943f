// getopt_long for Swift, whose Glibc module has neither it nor its global variables.
#ifndef CGETOPT_H
#define CGETOPT_H

/// What one step of getopt_long found.
struct cgetopt_step {
    /// As getopt_long returns it: -1 at the end, '?' unknown, ':' no argument, 1 an operand, else the option's value.
    int code;
    /// The option's argument or the operand; NULL where there is none. Lent from argv.
    const char *argument;
    /// The place in argv of the word that was looked at.
    int place;
    /// The value of the option that lacks an argument (code ':').
    int option;
};

/// Begins anew. Not thread safe, as getopt itself.
void cgetopt_begin(void);

/// Adds a long option. `name` must stay; at most 64 of them.
void cgetopt_add(const char *name, int has_argument, int value);

/// Takes the next step. `letters` as for getopt; "-:" in front gives operands in order and ':' for a missing argument.
struct cgetopt_step cgetopt_next(int argc, char *const argv[], const char *letters);

/// The place in argv behind what has been looked at: where operands behind "--" begin.
int cgetopt_place(void);

#endif
