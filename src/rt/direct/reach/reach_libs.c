/* reach_libs.c - see reach_libs.h. */
#define _GNU_SOURCE
#include "reach_libs.h"
#include "reach_models.h"
#include "sys.h"
#include <dlfcn.h>
#include <link.h>
#include <stdio.h>

#define SEGMENTS 8u /* of data, and of code */
#define STREAM_CXX 280u /* size of std::istream; std::ostream has 272 bytes */

static struct segment {
    uint64_t lo, hi;
} data[SEGMENTS], code[SEGMENTS], program[1];
/* code: segments of the C++ library only; program: of the program itself */
static uint32_t ndata, ncode, nprogram;
static struct pf_mem_range stream[11];
static uint32_t nstreams;
static struct {
    const char *name;
    uint64_t bytes;
    const void *at;
} waiting[] = {{"_ZNSt6thread4joinEv", 8, NULL},
               {"_ZNSt18condition_variable4waitERSt11unique_lockISt5mutexE", 48, NULL}};

static struct {
    const char *name;
    const void *at;
} unwinding[] = {{"__cxa_throw", NULL}, {"__cxa_rethrow", NULL}, {"__cxa_end_catch", NULL}};

static const void *syscall_function; /* syscall() */

/* Libraries whose functions are interposed, have models, or keep no data between calls. */
static const char *const without_own_data[] = {
    "libc.so",  "ld-linux",    "libm.so",    "libpthread.so", "librt.so",     "libdl.so",
    "libutil.", "libanl.so",   "libgcc_s.",  "libstdc++.so",  "libatomic.so", "libgomp.so",
    "libomp.",  "libiomp5.so", "linux-vdso", "[vdso]"};
#define OWN_DATA 256u /* libraries with the same hash share one */
static uint64_t own_data[OWN_DATA]; /* by hash of the file name: only the addresses are used */

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

static int note_library(struct dl_phdr_info *o, size_t size, void *unused)
{
    (void)size, (void)unused;
    const char *name = o->dlpi_name ?: "";
    for (int i = 0; !*name && !nprogram && i < o->dlpi_phnum; i++)
        if (o->dlpi_phdr[i].p_type == PT_LOAD && o->dlpi_phdr[i].p_flags & PF_X) {
            uint64_t lo = o->dlpi_addr + o->dlpi_phdr[i].p_vaddr;
            program[nprogram++] = (struct segment){lo, lo + o->dlpi_phdr[i].p_memsz};
        }
    bool cxx = is_named(name, "libstdc++.so");
    if (!cxx && !is_named(name, "libc.so") && !is_named(name, "ld-linux"))
        return 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        uint64_t lo = o->dlpi_addr + p->p_vaddr, hi = lo + p->p_memsz;
        if (cxx && p->p_type == PT_DYNAMIC)
            pf_reach_model_set_library(o->dlpi_addr, (const void *)lo);
        if (p->p_type != PT_LOAD)
            continue;
        if (p->p_flags & PF_W && ndata < SEGMENTS)
            data[ndata++] = (struct segment){lo, pf_page_up(hi)};
        if (cxx && p->p_flags & PF_X && ncode < SEGMENTS)
            code[ncode++] = (struct segment){lo, hi};
    }
    return 0;
}

void pf_library_init(void)
{
    static const char *const names[] = {"_ZSt4cout",  "_ZSt3cin",  "_ZSt4cerr",  "_ZSt4clog",
                                        "_ZSt5wcout", "_ZSt4wcin", "_ZSt5wcerr", "_ZSt5wclog"};
    FILE *const files[] = {stdin, stdout, stderr};
    if (nstreams)
        return;
    dl_iterate_phdr(note_library, NULL);
    for (unsigned i = 0; i < 3; i++)
        stream[nstreams++] = (struct pf_mem_range){(uintptr_t)files[i], sizeof(FILE)};
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++) {
        void *at = dlsym(RTLD_DEFAULT, names[i]);
        if (at)
            stream[nstreams++] = (struct pf_mem_range){(uintptr_t)at, STREAM_CXX};
    }
    for (unsigned i = 0; i < sizeof waiting / sizeof *waiting; i++)
        waiting[i].at = dlsym(RTLD_DEFAULT, waiting[i].name);
    for (unsigned i = 0; i < sizeof unwinding / sizeof *unwinding; i++)
        unwinding[i].at = dlsym(RTLD_DEFAULT, unwinding[i].name);
    syscall_function = dlsym(RTLD_DEFAULT, "syscall");
    dlerror();
}

uint64_t pf_library_bytes_accessed(const void *function)
{
    for (unsigned i = 0; i < sizeof waiting / sizeof *waiting; i++)
        if (function == waiting[i].at)
            return waiting[i].bytes;
    return 0;
}

bool pf_library_is_syscall(const void *function, struct pf_mem_range *out)
{
    *out = (struct pf_mem_range){(uintptr_t)&syscall_function, sizeof syscall_function};
    return syscall_function && function == syscall_function;
}

static bool is_in(const struct segment *s, uint32_t n, uint64_t p)
{
    for (uint32_t i = 0; i < n; i++)
        if (p >= s[i].lo && p < s[i].hi)
            return true;
    return false;
}

bool pf_library_own_data(uint64_t p, const char *file, struct pf_mem_range *out)
{
    uint32_t hash = 2166136261u;
    for (unsigned i = 0; i < sizeof without_own_data / sizeof *without_own_data; i++)
        if (is_named(file, without_own_data[i]))
            return false;
    if (!*file || is_in(program, nprogram, p))
        return false;
    for (const char *c = file; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 16777619u;
    *out = (struct pf_mem_range){(uintptr_t)&own_data[hash % OWN_DATA], sizeof *own_data};
    return true;
}

bool pf_library_object(uint64_t p, bool handed, struct pf_mem_range *out)
{
    for (uint32_t i = 0; i < nstreams; i++)
        if (p - stream[i].addr < stream[i].size) {
            *out = stream[i];
            return true;
        }
    if (!is_in(data, ndata, p))
        return false;
    *out = (struct pf_mem_range){pf_page_down(p), handed ? PF_PAGE : 0};
    return true;
}

bool pf_library_has_own_pointers(uint64_t p)
{
    for (unsigned i = 0; i < sizeof unwinding / sizeof *unwinding; i++)
        if ((uintptr_t)unwinding[i].at == p)
            return true;
    return !is_in(code, ncode, p);
}
