#define _GNU_SOURCE
#include "reach_libs.h"
#include "reach_models.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#define SEGMENTS 8u
#define PAGE 4096u
#define STREAM_CXX 280u /* bytes of std::istream; std::ostream has 272 */

static struct segment {
    uint64_t lo, hi;
} data[SEGMENTS], code[SEGMENTS];
static uint32_t ndata, ncode; /* code: of the C++ library */
static struct pf_range_of stream[11];
static uint32_t nstreams;
static struct {
    const char *name;
    uint64_t bytes;
    const void *at;
} waits[] = {{"_ZNSt6thread4joinEv", 8, NULL},
             {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 48, NULL}};

static struct {
    const char *name;
    const void *at;
} unwinds[] = {{"__cxa_throw", NULL}, {"__cxa_rethrow", NULL}, {"__cxa_end_catch", NULL}};

static const void *by_number; /* syscall() */

static bool is_named(const char *path, const char *start)
{
    const char *base = path;
    for (; *path; path++)
        if (*path == '/')
            base = path + 1;
    while (*start && *base == *start)
        base++, start++;
    return !*start;
}

static int note(struct dl_phdr_info *o, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *name = o->dlpi_name ?: "";
    bool cxx = is_named(name, "libstdc++.so");
    if (!cxx && !is_named(name, "libc.so") && !is_named(name, "ld-linux"))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        uint64_t lo = o->dlpi_addr + p->p_vaddr, hi = lo + p->p_memsz;
        if (cxx && p->p_type == PT_DYNAMIC)
            pf_models_library(o->dlpi_addr, (const void *)lo);
        if (p->p_type != PT_LOAD)
            continue;
        if (p->p_flags & PF_W && ndata < SEGMENTS)
            data[ndata++] = (struct segment){lo, (hi + PAGE - 1) & -(uint64_t)PAGE};
        if (cxx && p->p_flags & PF_X && ncode < SEGMENTS)
            code[ncode++] = (struct segment){lo, hi};
    }
    return 0;
}

void pf_libraries_note(void)
{
    static const char *const names[] = {"_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
                                        "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog"};
    FILE *const files[] = {stdin, stdout, stderr};
    if (nstreams)
        return;
    dl_iterate_phdr(note, NULL);
    for (unsigned i = 0; i < 3; i++)
        stream[nstreams++] = (struct pf_range_of){(uintptr_t)files[i], sizeof(FILE)};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(RTLD_DEFAULT, names[i]);
        if (at)
            stream[nstreams++] = (struct pf_range_of){(uintptr_t)at, STREAM_CXX};
    }
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
        waits[i].at = dlsym(RTLD_DEFAULT, waits[i].name);
    for (unsigned i = 0; i < sizeof unwinds / sizeof *unwinds; i++)
        unwinds[i].at = dlsym(RTLD_DEFAULT, unwinds[i].name);
    by_number = dlsym(RTLD_DEFAULT, "syscall");
    dlerror();
}

uint64_t pf_library_touches(const void *function)
{
    for (unsigned i = 0; i < sizeof waits / sizeof *waits; i++)
        if (function == waits[i].at)
            return waits[i].bytes;
    return 0;
}

bool pf_library_kernel(const void *function, struct pf_range_of *out)
{
    *out = (struct pf_range_of){(uintptr_t)&by_number, sizeof by_number};
    return by_number && function == by_number;
}

static bool is_in(const struct segment *s, uint32_t n, uint64_t p)
{
    for (uint32_t i = 0; i < n; i++)
        if (p >= s[i].lo && p < s[i].hi)
            return true;
    return false;
}

bool pf_library_object(uint64_t p, bool handed, struct pf_range_of *out)
{
    for (uint32_t i = 0; i < nstreams; i++)
        if (p - stream[i].addr < stream[i].size) {
            *out = stream[i];
            return true;
        }
    if (!is_in(data, ndata, p))
        return false;
    *out = (struct pf_range_of){p & -(uint64_t)PAGE, handed ? PAGE : 0};
    return true;
}

bool pf_library_has_data(uint64_t p)
{
    for (unsigned i = 0; i < sizeof unwinds / sizeof *unwinds; i++)
        if ((uintptr_t)unwinds[i].at == p)
            return true;
    return !is_in(code, ncode, p);
}
