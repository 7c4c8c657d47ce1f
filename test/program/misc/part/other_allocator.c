/* An allocator for the program: blocks have no header, realloc always moves them, and copies by
 * memcpy. calloc takes the block that was freed last, if it fits, and clears it by memset.
 * malloc_usable_size does not know libc's blocks. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static _Alignas(64) char memory[64 << 20];
static uint32_t size_of[sizeof memory / 16];
static size_t used;
static _Thread_local void *freed_last;

void *__libc_memalign(size_t align, size_t size)
{
    size_t unit = align > 16 ? align : 16, begin, end;
    begin = __atomic_load_n(&used, __ATOMIC_RELAXED);
    do {
        end = (((begin + unit - 1) & -unit) + size + 15) & -16ul;
        if (end > sizeof memory)
            return NULL;
    } while (
        !__atomic_compare_exchange_n(&used, &begin, end, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    begin = (begin + unit - 1) & -unit;
    size_of[begin / 16] = (uint32_t)size;
    return memory + begin;
}

void *__libc_malloc(size_t size) { return __libc_memalign(16, size); }
void __libc_free(void *p) { freed_last = p; }

size_t malloc_usable_size(void *p)
{
    size_t at = (size_t)((char *)p - memory);
    if (at >= sizeof memory)
        abort();
    return size_of[at / 16];
}

void *__libc_calloc(size_t n, size_t each)
{
    size_t size = n * each;
    void *p = freed_last;
    if (p && malloc_usable_size(p) >= size) {
        freed_last = NULL;
        return memset(p, 0, size);
    }
    return __libc_malloc(size);
}

void *__libc_realloc(void *old, size_t size)
{
    void *p = __libc_malloc(size);
    size_t had = old ? malloc_usable_size(old) : 0;
    if (p && old)
        memcpy(p, old, had < size ? had : size);
    return p;
}
