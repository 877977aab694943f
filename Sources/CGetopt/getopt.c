#include "CGetopt.h"

#include <getopt.h>
#include <stddef.h>
#include <string.h>

#define LIMIT 64
static struct option table[LIMIT + 1];
static int count;

void cgetopt_begin(void) {
    memset(table, 0, sizeof table);
    count = 0;
    opterr = 0;
    optind = 0;
}

void cgetopt_add(const char *name, int has_argument, int value) {
    if (count < LIMIT)
        table[count++] = (struct option){name, has_argument ? required_argument : no_argument, NULL, value};
}

struct cgetopt_step cgetopt_next(int argc, char *const argv[], const char *letters) {
    int place = optind > 0 ? optind : 1;
    int code = getopt_long(argc, argv, letters, table, NULL);
    return (struct cgetopt_step){code, code > 0 && code != '?' && code != ':' ? optarg : NULL, place, optopt};
}

int cgetopt_place(void) { return optind; }
