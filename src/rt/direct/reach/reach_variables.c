/* reach_variables.c - see reach_variables.h. */
#include "reach_variables.h"
#include "entry.h"
#include "glob.h"
#include "module.h"
#include "options.h"
#include "reach.h"
#include "sys.h"
#include <fcntl.h>

#define VARIABLES (1u << 16) /* entries of the table */
#define NAMED 256u /* by PF_GLOBAL; with more, everything is reached */
#define CONFIG (1u << 16) /* bytes of the file */

static struct pf_mem_range variable[VARIABLES];
static uint32_t n, modules;
static bool table_complete; /* the table has all variables */
static bool table_filled; /* the table was filled at least once */
static struct pf_mem_range named[NAMED]; /* by PF_GLOBAL */
static uint32_t nnamed;

static void note(const struct pf_global *g, void *unused)
{
    (void)unused;
    if (!g->size)
        return;
    if (n < VARIABLES)
        variable[n++] = (struct pf_mem_range){g->addr, g->size};
    else
        table_complete = false;
}

static void sort(void)
{
    for (uint32_t gap = n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < n; i++) {
            struct pf_mem_range v = variable[i];
            uint32_t k = i;
            for (; k >= gap && variable[k - gap].addr > v.addr; k -= gap)
                variable[k] = variable[k - gap];
            variable[k] = v;
        }
}

static void nothing(const struct pf_global *g, void *unused) { (void)g, (void)unused; }

static void refresh(void)
{
    if (table_filled && pf_global_each(modules, nothing, NULL) == modules)
        return;
    n = 0;
    table_complete = table_filled = true;
    modules = pf_global_each(0, note, NULL);
    sort();
}

/* How many variables begin at or below addr. */
static uint32_t below(uint64_t addr)
{
    uint32_t lo = 0, hi = n;
    while (lo < hi) {
        uint32_t mid = (lo + hi) / 2;
        if (variable[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo;
}

void pf_variable_gap(uint64_t addr, uint64_t *lo, uint64_t *hi)
{
    uint32_t k = below(addr);
    if (k && variable[k - 1].addr + variable[k - 1].size > *lo)
        *lo = variable[k - 1].addr + variable[k - 1].size;
    if (k < n && variable[k].addr < *hi)
        *hi = variable[k].addr;
}

uint64_t pf_variable_epoch(void)
{
    refresh();
    return modules | (uint64_t)nnamed << 32;
}

bool pf_variable_may_overlap(uint64_t lo, uint64_t hi)
{
    uint32_t k = below(hi - 1);
    return !table_complete || (k && variable[k - 1].addr + variable[k - 1].size > lo);
}

bool pf_variable_find(uint64_t addr, struct pf_mem_range *out)
{
    uint32_t lo = below(addr);
    struct pf_global g;
    if (lo && addr - variable[lo - 1].addr < variable[lo - 1].size) {
        *out = variable[lo - 1];
        return true;
    }
    if (table_complete || !pf_global_find(addr, &g))
        return false;
    *out = (struct pf_mem_range){g.addr, g.size};
    return true;
}

void pf_variable_each(void (*f)(const struct pf_mem_range *, void *), void *arg)
{
    refresh();
    for (uint32_t i = 0; i < n; i++)
        f(&variable[i], arg);
}

/* --- named variables --- */

static char config[CONFIG]; /* lines "GLOB NAME..." */

void __pf_global(void *addr, uint64_t size)
{
    for (uint32_t i = 0; i < nnamed; i++)
        if (named[i].addr == (uintptr_t)addr)
            return;
    if (nnamed < NAMED)
        named[nnamed++] = (struct pf_mem_range){(uintptr_t)addr, size};
    else
        named[0] = (struct pf_mem_range){0, 1ull << 47}; /* too many: everything is reached */
}

void pf_reach_read_config(void)
{
    if (!*pf_options.globals)
        return;
    long fd = pf_sys(SYS_open, pf_options.globals, O_RDONLY | O_CLOEXEC, 0), got = -1;
    size_t have = 0;
    while (fd >= 0 && have < CONFIG - 1 &&
           (got = pf_sys(SYS_read, fd, config + have, CONFIG - 1 - have)) > 0)
        have += (size_t)got;
    if (fd >= 0)
        pf_sys(SYS_close, fd);
    if (fd < 0 || got < 0 || have == CONFIG - 1)
        pf_options_refuse("globals", pf_options.globals);
}

/* The next word of the line at *p: [result, *p). NULL: no more. */
static const char *word(const char **p)
{
    while (**p == ' ' || **p == '\t')
        ++*p;
    const char *from = *p;
    while (**p && **p != ' ' && **p != '\t' && **p != '\n' && **p != '#')
        ++*p;
    return *p > from ? from : NULL;
}

struct name_query {
    const char *from, *end;
    void (*f)(const struct pf_mem_range *, void *);
    void *arg;
};

static void take_if_named(const struct pf_global *g, void *arg)
{
    const struct name_query *w = arg;
    if (g->name && g->size && pf_glob_matches(w->from, w->end, g->name))
        w->f(&(struct pf_mem_range){g->addr, g->size}, w->arg);
}

bool pf_variable_library_has_none(const char *library)
{
    for (const char *p = config; *p;) {
        const char *glob = word(&p);
        bool ours = glob && pf_glob_matches(glob, p, library);
        for (const char *from; ours && (from = word(&p));)
            if (*from == '-' && p == from + 1)
                return true;
        while (*p && *p++ != '\n')
            ;
    }
    return false;
}

void pf_variable_each_named(const char *library, void (*f)(const struct pf_mem_range *, void *),
                            void *arg)
{
    refresh();
    for (uint32_t i = 0; i < nnamed; i++)
        f(&named[i], arg);
    for (const char *p = config; *p;) {
        const char *glob = word(&p);
        bool ours = glob && pf_glob_matches(glob, p, library);
        for (const char *from; ours && (from = word(&p));) {
            struct name_query w = {from, p, f, arg};
            pf_global_each(0, take_if_named, &w);
        }
        while (*p && *p++ != '\n')
            ;
    }
}
