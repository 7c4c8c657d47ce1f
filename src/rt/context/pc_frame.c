/*
 * pc_frame.c - see pc_frame.h.
 *
 * The records are an open-addressing hash table, indexed by address. The stack pointers of frames
 * are in an array next to the thread's shadow stack; its pages exist only as far as they are used.
 */
#include "pc_frame.h"
#include "limits.h"
#include "spin.h"
#include "symbolizer.h"
#include "sys.h"

struct pc_record {
    struct pf_func func; /* first: a frame refers to it */
    uintptr_t pc;
    const struct pf_position *at; /* NULL until it is looked up */
    uint32_t n;
};

static struct {
    struct pc_record at[PF_PC_RECORDS];
    struct pf_scope scope;
    struct pf_site site[PF_PC_SITES];
    char vtable_pointer[sizeof PF_VTABLE_POINTER];
} *table;
static uint32_t nrecords;
static struct pf_spin lock;

void pf_pc_lock(void) { pf_spin_lock(&lock); }
void pf_pc_unlock(void) { pf_spin_unlock(&lock); }

static pf_rel distance(const void *to, const pf_rel *field)
{
    return (pf_rel)((const char *)to - (const char *)field);
}

void pf_pc_init(void)
{
    static const uint8_t kinds[PF_NATIVE_SITES] = {
        [PF_NATIVE_READ] = PF_SITE_READ,
        [PF_NATIVE_WRITE] = PF_SITE_WRITE,
        [PF_NATIVE_CALL] = PF_SITE_CALL,
        [PF_NATIVE_FREE] = PF_SITE_FREE,
        [PF_NATIVE_LOCK] = PF_SITE_LOCK,
        [PF_NATIVE_ATOMIC_READ] = PF_SITE_ATOMIC_READ,
        [PF_NATIVE_ATOMIC_WRITE] = PF_SITE_ATOMIC_WRITE,
    };
    table = pf_sys_map(NULL, sizeof *table);
    if (!table)
        return;
    pf_copy(table->vtable_pointer, PF_VTABLE_POINTER, sizeof PF_VTABLE_POINTER);
    for (uint32_t i = 0; i < PF_PC_SITES; i++) {
        struct pf_site *s = &table->site[i];
        bool vptr = i >= PF_PC_VPTR_READ;
        s->scope = distance(&table->scope, &s->scope);
        s->kind = i < PF_NATIVE_SITES                       ? kinds[i]
                  : i == PF_PC_VPTR_READ || i < PF_PC_WRITE ? PF_SITE_READ
                                                            : PF_SITE_WRITE;
        s->size = i < PF_NATIVE_SITES ? 0 : vptr ? 8 : 1 << (i - PF_PC_READ) % 4;
        s->var = vptr ? distance(table->vtable_pointer, &s->var) : 0;
    }
}

bool pf_pc_is_record(const struct pf_func *f)
{
    return table && (uintptr_t)f - (uintptr_t)table < sizeof table->at;
}

/* Finds the slot of pc, or a free one. */
static struct pc_record *slot_of(uintptr_t pc)
{
    uint64_t i = pc * 0x9e3779b97f4a7c15ull >> (64 - 19);
    for (;; i = (i + 1) % PF_PC_RECORDS) {
        struct pc_record *r = &table->at[i];
        uintptr_t there = __atomic_load_n(&r->pc, __ATOMIC_ACQUIRE);
        if (there == pc || !there)
            return r;
    }
}
_Static_assert(PF_PC_RECORDS == 1u << 19, "the shift gives an index of the table");

struct pf_func *pf_pc_record(const void *pc)
{
    uintptr_t at = (uintptr_t)pc ? (uintptr_t)pc : 1;
    struct pc_record *r = slot_of(at);
    if (__builtin_expect(r->pc == at, 1))
        return &r->func;
    pf_spin_lock(&lock);
    if (nrecords >= PF_PC_RECORDS / 4 * 3) { /* the table must not become full */
        pf_limit_hit(PF_LIMIT_CONTEXTS);
        at = 1;
    }
    r = slot_of(at);
    if (!r->pc) {
        nrecords++;
        r->func.sites = distance(table->site, &r->func.sites);
        r->func.nsites = PF_PC_SITES;
        __atomic_store_n(&r->pc, at, __ATOMIC_RELEASE);
    }
    pf_spin_unlock(&lock);
    return &r->func;
}

bool pf_pc_walk(const struct pf_func *f, uint32_t site, uint32_t folded,
                bool (*visit)(const struct pf_position *, void *), void *arg)
{
    struct pc_record *r = (struct pc_record *)(uintptr_t)f;
    if (!__atomic_load_n(&r->at, __ATOMIC_ACQUIRE)) {
        uint32_t n = 0;
        const struct pf_position *at = pf_symbolize_code(r->pc, &n);
        r->n = n;
        __atomic_store_n(&r->at, at, __ATOMIC_RELEASE);
    }
    const struct pf_site *s = site < PF_PC_SITES ? &table->site[site] : NULL;
    for (uint32_t i = 0; i < r->n; i++) {
        struct pf_position p = r->at[i];
        p.kind = s && !i ? s->kind : PF_SITE_CALL;
        p.size = s && !i ? s->size : 0;
        p.var = s && !i ? pf_rel_str(&s->var) : NULL;
        p.folded = i + 1 == r->n && folded;
        if (!visit(&p, arg))
            return false;
    }
    return true;
}

static size_t pointers_size(const struct pf_thread *t)
{
    return t->context.frames_size / sizeof(struct pf_frame) * sizeof(uintptr_t);
}

/* The array of the thread; NULL: no memory. */
static uintptr_t *pointers(struct pf_thread *t)
{
    if (__builtin_expect(!t->context.stack_pointers, 0))
        t->context.stack_pointers = pf_sys_map(NULL, pointers_size(t));
    return t->context.stack_pointers;
}

void pf_pc_thread_end(struct pf_thread *t)
{
    if (t->context.stack_pointers)
        pf_sys(SYS_munmap, t->context.stack_pointers, pointers_size(t));
    t->context.stack_pointers = NULL;
}

void pf_pc_push(const void *pc, uintptr_t sp)
{
    struct pf_thread *t = __pf_tls.thread;
    uintptr_t *at = sp && t ? pointers(t) : NULL;
    if (at)
        at[__pf_tls.frame - t->context.frames] = sp;
    pf_stack_push(pf_pc_record(pc));
    __pf_tls.frame[-1].call |= PF_NATIVE_CALL + 1;
}

void pf_pc_jumped(uintptr_t sp)
{
    struct pf_thread *t = __pf_tls.thread;
    const uintptr_t *at = t ? pointers(t) : NULL;
    struct pf_frame *keep = __pf_tls.frame;
    if (!at || sp < t->stack_lo || sp >= t->stack_hi)
        return;
    for (struct pf_frame *f = __pf_tls.frame - 1; f > t->context.frames; f--) {
        uintptr_t its = pf_pc_is_record(f->func) ? at[f - t->context.frames] : 0;
        if (its >= sp)
            break; /* the jump leaves neither this function nor those below */
        if (its)
            keep = f;
    }
    __pf_tls.frame = keep;
}
