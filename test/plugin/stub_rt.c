/*
 * stub_rt.c - a runtime for tests of the compiler plugin. It defines the ABI, checks the calls
 * where it can, and counts them.
 *
 * Environment variables:
 *   PF_STUB_LOG=1       prints every event on stderr: "read 4 counter file.c:12 main"
 *   PF_STUB_BALANCED=1  the shadow stack must be empty at exit
 *   PF_STUB_BODY=       chooses the body:
 *       watch, plain, event
 *       ask             every second call runs the plain body
 *       switch          the plain body, and the watch body from the first back edge on
 *       leave           the watch body; long loops switch to the plain body, and back to the watch
 *                       body at their end or, every second time, at the next back edge
 *       bare            bare entries; functions without one run the plain body
 *   PF_STUB_BUDGET=N    event body: the budget that the thread gets each time it is used up; with
 *                       0, the default, every event is printed
 *   PF_STUB_EVENTS=FILE event body: writes the number of all events at exit
 *   PF_STUB_FILL=1      a check stores the access record that covers it in the shadow; otherwise
 *                       the shadow stays empty
 *   PF_STUB_TABLES=1, PF_STUB_COUNTS=1  print the tables at start, the number of calls at exit
 *
 * The shadow is one mapped region, as in pf_shadow.h.
 */
#include "pf_abi.h"
#include "pf_shadow.h"
#include <elf.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define ALL __attribute__((preserve_all))
#define FRAMES 100000

__thread struct pf_tls __pf_tls __attribute__((tls_model("initial-exec")));
uint32_t __pf_bare;

static struct pf_frame frames[FRAMES];
static bool logging, filling, leaving, rare;
static unsigned long counts[32];
static long grant, asked, granted; /* budgets, see count() */
static const char *const names[] = {"read",  "write", "vptr", "copy",   "atomic",
                                    "fence", "ask",   "call", "switch", "leave"};
enum { READ, WRITE, VPTR, COPY, ATOMIC, FENCE, ASK, CALL, SWITCH, LEAVE };

/* Stack variables are not tracked (tls.stack_variables is 0): most of these must not be called. */
ALL void __pf_event_outside(void *addr, uint32_t site, uint64_t size, void *base, uint64_t limit);
ALL void __pf_variables_enter(uint32_t n);
ALL void __pf_variable_begins(void *addr, uint64_t size, uint32_t site, uint32_t entry);
ALL void __pf_variable_ends(uint32_t entry);
ALL void __pf_variables_leave(uint32_t n);

static void die(const char *what)
{
    fprintf(stderr, "stub: %s\n", what);
    abort();
}

extern const char __ehdr_start[] __attribute__((visibility("hidden")));

/* The sites of the program are in a section that is not loaded. */
static intptr_t map_sites(void)
{
    int fd = open("/proc/self/exe", O_RDONLY);
    off_t size = lseek(fd, 0, SEEK_END);
    const char *file = mmap(NULL, size, PROT_READ, MAP_PRIVATE, fd, 0);
    const Elf64_Ehdr *e = (const void *)file;
    const Elf64_Shdr *s = (const void *)(file + e->e_shoff);
    const Elf64_Phdr *first = (const void *)(__ehdr_start + e->e_phoff);
    close(fd);
    for (; first->p_type != PT_LOAD; first++)
        ;
    for (int i = 0; i < e->e_shnum; i++)
        if (!strcmp(file + s[e->e_shstrndx].sh_offset + s[i].sh_name, PF_SITES_SECTION))
            return (intptr_t)(file + s[i].sh_offset) -
                   ((intptr_t)__ehdr_start - (intptr_t)first->p_vaddr);
    die("no section of sites");
    return 0;
}

static const struct pf_site *pf_func_site(const struct pf_func *f, uint32_t index)
{
    static intptr_t moved;
    if (f->flags & PF_FUNCF_SITES_IN_FILE && !moved)
        moved = map_sites();
    return pf_func_site_at(f, f->flags & PF_FUNCF_SITES_IN_FILE ? moved : 0, index);
}

static const struct pf_site *site_of(uint32_t index)
{
    if (__pf_tls.frame <= frames || __pf_tls.frame > frames + FRAMES)
        die("an event without a frame");
    struct pf_func *f = __pf_tls.frame[-1].func;
    if (index >= f->nsites)
        die("a site out of range");
    return pf_func_site(f, index);
}

__attribute__((no_sanitize("thread"))) static void print_stack(void)
{
    for (struct pf_frame *f = __pf_tls.frame - 1; --f >= frames;) {
        const struct pf_site *s = pf_func_site(f->func, pf_frame_site(f) - 1);
        if (!pf_frame_site(f) || pf_frame_site(f) > f->func->nsites || s->kind != PF_SITE_CALL)
            die("a frame without a call");
        fprintf(stderr, " < %s:%u", pf_rel_str(&pf_site_scope(s)->func), s->line);
    }
}

static void event(int what, uint64_t size, uint32_t site)
{
    counts[what]++;
    const struct pf_site *s = site_of(site);
    if (what == READ && s->kind != PF_SITE_READ)
        die("a read at a site of another kind");
    if (what == WRITE && s->kind != PF_SITE_WRITE)
        die("a write at a site of another kind");
    if (pf_site_scope(s)->inlined > __pf_tls.frame[-1].func->nsites)
        die("an inlined site out of range");
    if (!logging)
        return;
    const char *file = pf_rel_str(&pf_site_scope(s)->file), *var = pf_rel_str(&s->var);
    const char *slash = file ? strrchr(file, '/') : NULL;
    fprintf(stderr, "%s %lu %s %s:%u %s", names[what], (unsigned long)size, var ? var : "-",
            slash  ? slash + 1
            : file ? file
                   : "?",
            s->line, pf_rel_str(&pf_site_scope(s)->func));
    if (pf_site_scope(s)->merged_lines)
        fprintf(stderr, " (merged with %s)", pf_rel_str(&pf_site_scope(s)->merged_lines));
    for (const struct pf_site *in = s; pf_site_scope(in)->inlined;) {
        in = pf_func_site(__pf_tls.frame[-1].func, pf_site_scope(in)->inlined - 1);
        fprintf(stderr, " < [%s:%u]", pf_rel_str(&pf_site_scope(in)->func), in->line);
    }
    print_stack();
    fputc('\n', stderr);
}

static void fill(void *p, uint64_t size, bool write)
{
    if (!filling)
        return;
    for (uintptr_t a = (uintptr_t)p & ~7ul; a < (uintptr_t)p + size; a += 8) {
        uint64_t *cell = (uint64_t *)(PF_SHADOW_BASE + (a << (64 - PF_APP_BITS) >>
                                                        (67 - PF_APP_BITS) << PF_CELL_SHIFT));
        if (write)
            cell[0] = __pf_tls.key;
        cell[1] = write ? __pf_tls.key : __pf_tls.key & ~(1ull << PF_WRITE_BIT);
    }
}

#define ACCESS(name, what, size, write)                                                            \
    ALL void name(void *p, uint32_t site);                                                         \
    ALL void name(void *p, uint32_t site)                                                          \
    {                                                                                              \
        if ((uintptr_t)p % (size > 8 ? 8 : size))                                                  \
            die("an unaligned access");                                                            \
        event(what, size, site);                                                                   \
        fill(p, size, write);                                                                      \
    }
#define ACCESSES(size)                                                                             \
    ACCESS(__pf_read##size, READ, size, false)                                                     \
    ACCESS(__pf_read##size##_miss, READ, size, false)                                              \
    ACCESS(__pf_write##size, WRITE, size, true)                                                    \
    ACCESS(__pf_write##size##_miss, WRITE, size, true)
ACCESSES(1)
ACCESSES(2)
ACCESSES(4)
ACCESSES(8)
ACCESSES(16)

/* Event body: counts an event, and returns true if the budget was used up. The number of events so
 * far is `granted` less the remaining budget. */
static bool count(void)
{
    if (--__pf_tls.budget >= 0)
        return false;
    asked++;
    __pf_tls.budget = grant;
    granted += grant + 1;
    return true;
}

static void value_event(uint32_t site, uint64_t size, uint64_t value, bool write)
{
    event(write ? WRITE : READ, size, site);
    const char *var = pf_rel_str(&site_of(site)->var);
    if (logging)
        fprintf(stderr, "  %s = %lx%s%s.\n", var ? var : "-", (unsigned long)value,
                site_of(site)->flags & PF_SITEF_BRANCH ? " branch" : "",
                site_of(site)->flags & PF_SITEF_ADDRESS ? " address" : "");
}

static uint64_t bytes_at(const void *p, uint64_t size)
{
    uint64_t v = 0;
    memcpy(&v, p, size < 8 ? size : 8);
    return v;
}

#define EVENTS(size)                                                                               \
    ALL void __pf_event_read##size(void *p, uint32_t site);                                        \
    ALL void __pf_event_read##size(void *p, uint32_t site)                                         \
    {                                                                                              \
        if (count())                                                                               \
            value_event(site, size, bytes_at(p, size), false);                                     \
    }                                                                                              \
    ALL void __pf_event_write##size(void *p, uint32_t site, uint64_t value);                       \
    ALL void __pf_event_write##size(void *p, uint32_t site, uint64_t value)                        \
    {                                                                                              \
        if (count())                                                                               \
            value_event(site, size, value, true);                                                  \
    }
EVENTS(1)
EVENTS(2)
EVENTS(4)
EVENTS(8)
ALL void __pf_event_vptr(void *p, uint32_t site, uint64_t value);
ALL void __pf_event_vptr(void *p, uint32_t site, uint64_t value)
{
    if (count())
        event(VPTR, 8, site);
}
ALL void __pf_event_read_range(void *p, uint32_t site, uint64_t n);
ALL void __pf_event_read_range(void *p, uint32_t site, uint64_t n)
{
    if (count())
        value_event(site, n, bytes_at(p, n), false);
}
ALL void __pf_event_write_range(void *p, uint32_t site, uint64_t n, const void *bytes);
ALL void __pf_event_write_range(void *p, uint32_t site, uint64_t n, const void *bytes)
{
    if (count())
        value_event(site, n, bytes ? bytes_at(bytes, n) : 0xbad, true);
}
ALL void __pf_event_fill(void *p, uint32_t site, uint64_t n, uint32_t byte);
ALL void __pf_event_fill(void *p, uint32_t site, uint64_t n, uint32_t byte)
{
    if (count())
        value_event(site, n, byte, true);
}
ALL void __pf_event_copied(void *p, uint32_t site, uint64_t n, const void *bytes);
ALL void __pf_event_copied(void *p, uint32_t site, uint64_t n, const void *bytes)
{
    if (!grant)
        value_event(site, n, bytes_at(bytes, n), true);
}

ALL void __pf_event_call(void *fn, uint32_t site, uint32_t n, void **pointers);
ALL void __pf_event_call(void *fn, uint32_t site, uint32_t n, void **pointers)
{
    if (!count())
        return;
    event(CALL, n, site);
}

static bool skips(void) { return __pf_tls.dispatch == PF_DISPATCH_EVENT && !count(); }

ALL void __pf_read_range(void *p, uint64_t n, uint32_t site);
ALL void __pf_read_range(void *p, uint64_t n, uint32_t site) { event(READ, n, site); }
ALL void __pf_write_range(void *p, uint64_t n, uint32_t site);
ALL void __pf_write_range(void *p, uint64_t n, uint32_t site) { event(WRITE, n, site); }

static void turns(int what, uint64_t n, uint64_t two, uint64_t others)
{
    uint32_t site[] = {(uint32_t)two, two >> 32, (uint32_t)others, others >> 32};
    unsigned k = 0;
    while (k < 4 && site[k] != UINT32_MAX)
        k++;
    if (k < 2 || n % k)
        die("fewer than two turns, or turns that do not divide the size");
    for (unsigned i = 0; i < k; i++)
        event(what, n / k, site[i]);
}
ALL void __pf_read_turns(void *p, uint64_t n, uint64_t two, uint64_t others);
ALL void __pf_read_turns(void *p, uint64_t n, uint64_t two, uint64_t others)
{
    turns(READ, n, two, others);
}
ALL void __pf_write_turns(void *p, uint64_t n, uint64_t two, uint64_t others);
ALL void __pf_write_turns(void *p, uint64_t n, uint64_t two, uint64_t others)
{
    turns(WRITE, n, two, others);
}
ALL void __pf_write_vptr(void *p, void *v, uint32_t site);
ALL void __pf_write_vptr(void *p, void *v, uint32_t site) { event(VPTR, 8, site); }

void *__pf_memcpy(void *d, const void *s, uint64_t n, uint32_t site);
void *__pf_memcpy(void *d, const void *s, uint64_t n, uint32_t site)
{
    if (__pf_tls.dispatch != PF_DISPATCH_EVENT)
        event(COPY, n, site);
    return memcpy(d, s, n);
}
void *__pf_memmove(void *d, const void *s, uint64_t n, uint32_t site);
void *__pf_memmove(void *d, const void *s, uint64_t n, uint32_t site)
{
    if (__pf_tls.dispatch != PF_DISPATCH_EVENT)
        event(COPY, n, site);
    return memmove(d, s, n);
}
void *__pf_memset(void *d, int c, uint64_t n, uint32_t site);
void *__pf_memset(void *d, int c, uint64_t n, uint32_t site)
{
    if (__pf_tls.dispatch != PF_DISPATCH_EVENT)
        event(COPY, n, site);
    return memset(d, c, n);
}

static __thread int open_atomics;
void *__pf_atomic_begin(void *p, uint32_t what, uint32_t site);
void *__pf_atomic_begin(void *p, uint32_t what, uint32_t site)
{
    static const char *const ops[] = {"load", "store", "rmw", "cas"};
    bool skipped = skips();
    if (!skipped)
        event(ATOMIC, what & 255, site);
    if (logging && !skipped)
        fprintf(stderr, "  %s order %u failure %u\n", ops[what >> 8 & 255], what >> 16 & 255,
                what >> 24);
    if (open_atomics++)
        die("an atomic operation inside another");
    return p;
}
void __pf_atomic_end(void *handle, uint32_t stored);
void __pf_atomic_end(void *handle, uint32_t stored)
{
    if (logging && !grant)
        fprintf(stderr, "  end %s\n", stored ? "stored" : "not stored");
    if (--open_atomics)
        die("an atomic operation ends without a begin");
}
void __pf_fence(uint32_t order, uint32_t site);
void __pf_fence(uint32_t order, uint32_t site)
{
    if (!skips())
        event(FENCE, order, site);
}

__attribute__((preserve_most)) uint32_t __pf_ask(struct pf_func *f);
uint32_t __pf_ask(struct pf_func *f)
{
    if (!f->name)
        die("a function without a name");
    return ++counts[ASK] & 1;
}

__attribute__((preserve_most)) void __pf_body_switched(struct pf_func *f);
void __pf_body_switched(struct pf_func *f)
{
    counts[SWITCH]++;
    if (leaving)
        __pf_tls.body_switch = 0;
    if (__pf_tls.frame <= frames || __pf_tls.frame[-1].func != f || __pf_tls.frame[-1].call)
        die("a body switch without a frame");
}

__attribute__((preserve_most)) uint32_t __pf_rare_block(struct pf_func *f, struct pf_rare_block *b);
uint32_t __pf_rare_block(struct pf_func *f, struct pf_rare_block *b)
{
    if (!f->name || !b->left || b->left > PF_RARE_BLOCK_ENTRIES)
        die("a block without a counter");
    if (!rare)
        b->left = 0;
    return rare;
}

ALL uint32_t __pf_burst_left(struct pf_func *f, uint32_t iterations);
uint32_t __pf_burst_left(struct pf_func *f, uint32_t iterations)
{
    if (!leaving && !rare)
        return UINT32_MAX;
    counts[LEAVE]++;
    if (__pf_tls.frame <= frames || __pf_tls.frame[-1].func != f)
        die("a watch body without a frame");
    __pf_tls.left_watch = __pf_tls.frame - 1;
    __pf_tls.body_switch = leaving && counts[LEAVE] & 1;
    return 0;
}

__attribute__((preserve_most)) void __pf_event_excluded(struct pf_func *f, uint32_t n,
                                                        void **pointers);
void __pf_event_excluded(struct pf_func *f, uint32_t n, void **pointers)
{
    die("an excluded function");
}

void __pf_module_loaded(struct pf_func *f, struct pf_func *fe, struct pf_var *v, struct pf_var *ve);

/* Prints all sites of the module: kind, file:line, function, first line of the function. */
static void print_sites(const struct pf_func *f, const struct pf_func *end)
{
    static const char *const kinds[] = {
#define PF_SITE(name, text) text,
#include "pf_site.def"
#undef PF_SITE
    };
    for (; f < end; f++)
        for (uint32_t i = 0; i < f->nsites; i++) {
            const struct pf_site *s = pf_func_site(f, i);
            const struct pf_scope *in = pf_site_scope(s);
            fprintf(stderr, "site %s %s:%u %s %u\n", kinds[s->kind],
                    in->file ? pf_rel_str(&in->file) : "?", s->line, pf_rel_str(&in->func),
                    in->begins);
        }
}

void __pf_module_loaded(struct pf_func *f, struct pf_func *fe, struct pf_var *v, struct pf_var *ve)
{
    static bool begun;
    const char *body = getenv("PF_STUB_BODY");
    if (f && ((char *)fe - (char *)f) % sizeof *f)
        die("the size of the function table is wrong");
    if (v && ((char *)ve - (char *)v) % sizeof *v)
        die("the size of the variable table is wrong");
    if (getenv("PF_STUB_SITES"))
        print_sites(f, fe);
    if (getenv("PF_STUB_TABLES")) {
        for (; f < fe; f++)
            fprintf(stderr, "func %s %s:%u sites %u hash %016lx\n", pf_rel_str(&f->name),
                    pf_rel_str(&f->file), f->line, f->nsites, (unsigned long)f->hash);
        for (; v < ve; v++)
            fprintf(stderr, "var %s size %lu first byte %d\n", pf_rel_str(&v->name),
                    (unsigned long)v->size, *((char *)&v->address + v->address));
    }
    if (begun)
        return;
    begun = true;
    logging = getenv("PF_STUB_LOG");
    filling = getenv("PF_STUB_FILL");
    leaving = body && !strcmp(body, "leave");
    rare = body && !strcmp(body, "rare");
    mmap((void *)PF_SHADOW_BASE, PF_SHADOW_SIZE, PROT_READ | PROT_WRITE,
         MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    __pf_tls.frame = frames;
    __pf_tls.step = sizeof(struct pf_frame);
    __pf_tls.key = 0xffull << PF_MASK_SHIFT | 1ull << PF_SID_SHIFT | 1ull << PF_CLK_SHIFT |
                   1ull << PF_WRITE_BIT;
    __pf_tls.read_set = ~0ull;
    grant = getenv("PF_STUB_BUDGET") ? atol(getenv("PF_STUB_BUDGET")) : 0;
    __pf_tls.dispatch = !body || !strcmp(body, "watch") || leaving ? PF_DISPATCH_WATCH
                        : !strcmp(body, "event")                   ? PF_DISPATCH_EVENT
                        : !strcmp(body, "ask")                     ? PF_DISPATCH_ASK
                                                                   : PF_DISPATCH_PLAIN;
    __pf_tls.body_switch = body && !strcmp(body, "switch");
    __pf_bare = body && !strcmp(body, "bare");
}

void __pf_module_unloaded(struct pf_func *f, struct pf_func *fe, struct pf_var *v, struct pf_var *ve);
void __pf_module_unloaded(struct pf_func *f, struct pf_func *fe, struct pf_var *v, struct pf_var *ve)
{
    static bool ended;
    if (ended)
        return;
    ended = true;
    if (getenv("PF_STUB_COUNTS"))
        for (size_t i = 0; i < sizeof names / sizeof *names; i++)
            fprintf(stderr, "%s %lu\n", names[i], counts[i]);
    if (getenv("PF_STUB_BALANCED") && __pf_tls.frame != frames)
        die("frames left on the shadow stack");
    if (__pf_tls.dispatch == PF_DISPATCH_EVENT && getenv("PF_STUB_EVENTS")) {
        FILE *out = fopen(getenv("PF_STUB_EVENTS"), "w");
        fprintf(out, "%ld\n", granted - __pf_tls.budget);
        fclose(out);
    }
    __pf_tls.dispatch = PF_DISPATCH_PLAIN;
}

void __tsan_init(void);
void __tsan_init(void) {}

ALL void __pf_event_outside(void *addr, uint32_t site, uint64_t size, void *base, uint64_t limit)
{
    (void)addr, (void)size, (void)base, (void)limit;
    fprintf(stderr, "outside %s:%u\n", pf_rel_str(&site_of(site)->var), site_of(site)->line);
}
ALL void __pf_variables_enter(uint32_t n) { die(n ? "variables entered" : "variables"); }
ALL void __pf_variable_begins(void *addr, uint64_t size, uint32_t site, uint32_t entry)
{
    (void)addr, (void)size, (void)site, (void)entry;
    die("variable begins");
}
ALL void __pf_variable_ends(uint32_t entry) { die(entry ? "variable ends" : "variable"); }
ALL void __pf_variables_leave(uint32_t n) { die(n ? "variables left" : "variables"); }
