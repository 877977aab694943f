#include "CAllocationCount.h"

#include <errno.h>
#include <features.h>
#include <stdatomic.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define SANITIZED 1
#endif
#endif

#if defined(SANITIZED) || !defined(__GLIBC__)

bool cac_can_count(void) { return false; }
void cac_begin(size_t threshold) { (void)threshold; }
struct cac_counts cac_end(void) { return (struct cac_counts){0}; }

#else

static atomic_bool counting;
static atomic_long all, large;
static atomic_size_t limit, largest;
static atomic_size_t first[8];

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *old, size_t size);
void *__libc_memalign(size_t alignment, size_t size);

static void note(size_t size) {
    if (!atomic_load_explicit(&counting, memory_order_relaxed)) return;
    atomic_fetch_add(&all, 1);
    size_t most = atomic_load(&largest);
    while (size > most && !atomic_compare_exchange_weak(&largest, &most, size)) {}
    if (size < atomic_load(&limit)) return;
    long number = atomic_fetch_add(&large, 1);
    if (number < 8) atomic_store(&first[number], size);
}

void *malloc(size_t size) {
    note(size);
    return __libc_malloc(size);
}

void *calloc(size_t count, size_t size) {
    note(count * size);
    return __libc_calloc(count, size);
}

void *realloc(void *old, size_t size) {
    note(size);
    return __libc_realloc(old, size);
}

void *memalign(size_t alignment, size_t size) {
    note(size);
    return __libc_memalign(alignment, size);
}

void *aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void **out, size_t alignment, size_t size) {
    if (alignment % sizeof(void *) || (alignment & (alignment - 1)) || !alignment) return EINVAL;
    void *memory = memalign(alignment, size);
    if (!memory) return ENOMEM;
    *out = memory;
    return 0;
}

// In a volatile pointer: the compiler must not know that nobody uses the memory.
bool cac_can_count(void) {
    cac_begin(0);
    void *volatile probe = malloc(24);
    struct cac_counts counts = cac_end();
    __builtin_free(probe);
    return counts.all > 0;
}

void cac_begin(size_t threshold) {
    atomic_store(&all, 0);
    atomic_store(&large, 0);
    atomic_store(&largest, 0);
    atomic_store(&limit, threshold);
    for (int i = 0; i < 8; i++) atomic_store(&first[i], 0);
    atomic_store(&counting, true);
}

struct cac_counts cac_end(void) {
    atomic_store(&counting, false);
    struct cac_counts counts = {atomic_load(&all), atomic_load(&large), atomic_load(&largest), {0}};
    for (int i = 0; i < 8; i++) counts.first[i] = atomic_load(&first[i]);
    return counts;
}

#endif
