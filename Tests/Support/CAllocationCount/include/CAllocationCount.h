// Counts what a process allocates: malloc and its kin are defined here, in front of glibc's, and pass on to them.
#ifndef CALLOCATIONCOUNT_H
#define CALLOCATIONCOUNT_H

#include <stdbool.h>
#include <stddef.h>

struct cac_counts {
    long all;         // calls that gave memory, of whatever thread
    long large;       // those of at least the threshold
    size_t largest;   // bytes of the largest of all
    size_t first[8];  // bytes of the first large ones
};

/// Whether allocations come by here: not in a sanitizer's build, whose allocator must stand first.
bool cac_can_count(void);
/// Counts from now on, from 0.
void cac_begin(size_t threshold);
/// Counts no more.
struct cac_counts cac_end(void);

#endif
