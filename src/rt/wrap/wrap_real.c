/*
 * wrap_real.c - finds the real functions behind the interposed ones.
 *
 * The table is a linker section, so a new interposer needs no list. dlsym with RTLD_NEXT from the
 * executable finds the first definition in the libraries. A name that is nowhere (a C program has
 * no libstdc++) stays NULL; the error that dlsym then leaves behind is cleared, since it is not
 * the target's.
 */
#include "wrap_thread.h"
#include <dlfcn.h>

extern PF_HIDDEN const struct pf_real __start_pf_real[], __stop_pf_real[];

void *pf_real_find(const struct pf_real *r)
{
    void *found = NULL;
    pf_nest();
    if (r->version)
        found = dlvsym(RTLD_NEXT, r->name, r->version);
    if (!found)
        found = dlsym(RTLD_NEXT, r->name);
    if (found)
        __atomic_store_n(r->slot, found, __ATOMIC_RELAXED);
    else
        dlerror();
    pf_unnest();
    return found;
}

void pf_wrap_init(void)
{
    for (const struct pf_real *r = __start_pf_real; r < __stop_pf_real; r++)
        if (!*r->slot)
            pf_real_find(r);
    pf_start_init();
}
