/*
 * wrap_dlopen.c - dlopen and dlsym, which can make code bypass the interposed functions.
 *
 * Both search relative to their caller, so the real function must return there: the functions below
 * end in a jump to it. Nothing can be done after the call.
 *
 * With RTLD_DEEPBIND a library calls libc's functions in place of the interposed ones: neither its
 * locks nor its allocations would be seen. So the flag is dropped.
 */
#include "rt.h"
#include "sys.h"
#include "wrap.h"
#include <dlfcn.h>
#include <string.h>
#include <unistd.h>

/* Calls pf_<fn>_target with the two arguments and jumps to what it returns, after `change`. */
#define JUMPS(fn, change)                                                                          \
    __asm__(".pushsection pf_text, \"ax\", @progbits\n.weak " #fn "\n.type " #fn                   \
            ", @function\n.p2align 4\n" #fn ":\n"                                                  \
            ".cfi_startproc\n"                                                                     \
            "push %rdi\n.cfi_adjust_cfa_offset 8\n"                                                \
            "push %rsi\n.cfi_adjust_cfa_offset 8\n"                                                \
            "sub $8, %rsp\n.cfi_adjust_cfa_offset 8\n"                                             \
            "call pf_" #fn "_target\n"                                                             \
            "add $8, %rsp\n.cfi_adjust_cfa_offset -8\n"                                            \
            "pop %rsi\n.cfi_adjust_cfa_offset -8\n"                                                \
            "pop %rdi\n.cfi_adjust_cfa_offset -8\n" change "jmp *%rax\n.cfi_endproc\n.size " #fn   \
            ", .-" #fn "\n.popsection\n");                                                         \
    PF_INTERCEPTOR_NAME(fn)

PF_REAL_DEFINE(dlopen, NULL);
JUMPS(dlopen, "and $~8, %esi\n");
_Static_assert(RTLD_DEEPBIND == 8, "the mask above");

PF_HIDDEN __attribute__((used)) void *pf_dlopen_target(const char *name, int flags)
{
    static bool once;
    if (flags & RTLD_DEEPBIND && !__atomic_exchange_n(&once, true, __ATOMIC_RELAXED))
        pf_sys_say("photofinish: dlopen: RTLD_DEEPBIND is ignored\n");
    return (void *)PF_REAL(dlopen);
}

JUMPS(dlsym, "");

/* The real dlsym; the other real functions are found by it. */
static void *find_dlsym(void)
{
    static void *real;
    if (!real && !(real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.34")))
        real = dlvsym(RTLD_NEXT, "dlsym", "GLIBC_2.2.5"); /* from libdl */
    return real;
}

PF_HIDDEN __attribute__((used)) void *pf_dlsym_target(void *library, const char *name)
{
    static const char allocates[][16] = {"malloc",   "calloc",        "realloc",
                                         "memalign", "aligned_alloc", "posix_memalign"};
    for (size_t i = 0; !__pf_tls.nested && i < sizeof allocates / sizeof *allocates; i++)
        if (strcmp(name, allocates[i]) == 0)
            pf_rt.heap_bypassed = true;
    return find_dlsym();
}
