/*
 * object_log.c - see object_log.h.
 *
 * dlopen is not interposed: it searches libraries relative to its caller, which would be the
 * runtime. So objects are listed at the start, at every dlclose, and at the end.
 */
#define _GNU_SOURCE
#include "object_log.h"
#include "race_log.h"
#include "sys.h"
#include "textbuf.h"
#include <link.h>

#define OBJECTS 512
#define PATH 4096

static uint64_t listed[OBJECTS]; /* hashes of paths */
static uint32_t nlisted;

static uint64_t hash(const char *s)
{
    uint64_t h = 0xcbf29ce484222325ull;
    while (*s)
        h = (h ^ (unsigned char)*s++) * 0x100000001b3ull;
    return h;
}

static bool is_listed(const char *path)
{
    uint64_t h = hash(path);
    for (uint32_t i = 0; i < nlisted; i++)
        if (listed[i] == h)
            return true;
    if (nlisted < OBJECTS)
        listed[nlisted++] = h;
    return false;
}

static int list(struct dl_phdr_info *o, size_t size, void *first)
{
    static char program[PATH];
    const char *path = o->dlpi_name;
    (void)size;
    if (*(bool *)first) { /* the program itself has no name here */
        long n = pf_sys(SYS_readlink, "/proc/self/exe", program, sizeof program - 1);
        program[n > 0 ? n : 0] = 0;
        path = program;
        *(bool *)first = false;
    }
    if (path && path[0] == '/' && !is_listed(path)) /* the kernel's vDSO has no path */
        pf_race_log_object(path);
    return 0;
}

void pf_object_log_new(void)
{
    bool first = true;
    if (pf_race_log_is_open())
        dl_iterate_phdr(list, &first);
}
