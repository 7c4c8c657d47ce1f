/*
 * lock_misuse.c - see lock_misuse.h.
 *
 * A thread may unlock a mutex of type PTHREAD_MUTEX_ERRORCHECK that it does not hold: by choosing
 * this type the program requests an error code, so nothing is reported. A mutex that glibc elides
 * has no owner, so it is not checked.
 */
#include "lock_misuse.h"
#include "hb.h"
#include "options.h"
#include "rt.h"
#include "sys.h"
#include "thread_table.h"

#define MUTEX_ELIDED 256 /* PTHREAD_MUTEX_ELISION_NP of glibc */
#define MUTEX_PRIO_PROTECT 64
#define MUTEX_DESTROYED (-1)
#define RWLOCK_READER_SHIFT 3
#define SPIN_FREE 1

static bool enabled(const struct pf_call *c)
{
    return pf_options.report_mutex_bugs && !c->t->ignore_sync;
}

static int own_tid(void) { return (int)pf_sys(SYS_gettid); }

/* The thread that holds the lock, and where it took it. Other threads change their lists meanwhile:
 * an entry is used only if it stays the same. */
struct holder_search {
    uintptr_t lock;
    const struct pf_thread *self, *t; /* t: the holder; not self, if another thread holds it, too */
    struct pf_held_lock entry;
};

static void check_held(struct pf_thread *t, void *arg)
{
    struct holder_search *w = arg;
    if (w->t && w->t != w->self)
        return;
    uint32_t n = __atomic_load_n(&t->order.nheld, __ATOMIC_ACQUIRE);
    for (uint32_t i = 0; i < n && i < PF_HELD_MAX; i++) {
        const volatile struct pf_held_lock *h = &t->order.held[i];
        uintptr_t addr = h->addr;
        uint32_t at = h->taken_at;
        bool shared = h->shared;
        if (addr != w->lock || h->addr != addr || h->taken_at != at)
            continue;
        w->t = t;
        w->entry = (struct pf_held_lock){.addr = addr, .taken_at = at, .shared = shared};
        return;
    }
}

static struct holder_search find_holder(const struct pf_call *c, const volatile void *lock)
{
    struct holder_search w = {.lock = (uintptr_t)lock, .self = c->t};
    pf_thread_each(check_held, &w);
    return w;
}

/* Reports the call, with the acquisition by the thread that holds the lock, if that is known. */
static void report(const struct pf_call *c, enum pf_kind kind, enum pf_op op,
                   const volatile void *lock)
{
    struct holder_search h = find_holder(c, lock);
    struct pf_misuse m = {.kind = kind, .object = (uintptr_t)lock, .n = 1};
    m.at[0] = (struct pf_misuse_step){.thread = c->t->number,
                                      .op = op,
                                      .id = pf_call_id(c, PF_NATIVE_CALL),
                                      .addr = (uintptr_t)lock};
    if (h.t && h.entry.taken_at)
        m.at[m.n++] = (struct pf_misuse_step){.thread = h.t->number,
                                              .op = PF_OP_LOCK,
                                              .id = h.entry.taken_at,
                                              .addr = (uintptr_t)lock};
    pf_misuse_found(&m);
}

/* --- unlocking --- */

static bool is_error_checking(const pthread_mutex_t *m)
{
    return (m->__data.__kind & 3) == PTHREAD_MUTEX_ERRORCHECK_NP;
}

void pf_mutex_check_unlock(const struct pf_call *c, const pthread_mutex_t *m)
{
    if (!enabled(c))
        return;
    if (m->__data.__kind == MUTEX_DESTROYED)
        report(c, PF_KIND_MUTEX_INVALID, PF_OP_UNLOCK, m);
    else if (!(m->__data.__kind & MUTEX_ELIDED) && !is_error_checking(m) &&
             (!m->__data.__lock || m->__data.__owner != own_tid()))
        report(c, PF_KIND_MUTEX_BAD_UNLOCK, PF_OP_UNLOCK, m);
}

static bool has_readers(const pthread_rwlock_t *l)
{
    return l->__data.__readers >> RWLOCK_READER_SHIFT;
}

/* glibc does not store which threads are readers, so it is enough that there is one. */
void pf_rwlock_check_unlock(const struct pf_call *c, const pthread_rwlock_t *l)
{
    int writer = l->__data.__cur_writer;
    if (enabled(c) && (writer ? writer != own_tid() : !has_readers(l)))
        report(c, PF_KIND_MUTEX_BAD_UNLOCK, PF_OP_UNLOCK, (const void *)l);
}

void pf_spin_check_unlock(const struct pf_call *c, const pthread_spinlock_t *l)
{
    if (!enabled(c))
        return;
    struct holder_search h = find_holder(c, l);
    if (*l == SPIN_FREE || (h.t && h.t != c->t))
        report(c, PF_KIND_MUTEX_BAD_UNLOCK, PF_OP_UNLOCK, l);
}

/* --- waiting for oneself --- */

void pf_mutex_check_wait(const struct pf_call *c, const pthread_mutex_t *m)
{
    int type = m->__data.__kind & 3;
    if ((type == PTHREAD_MUTEX_TIMED_NP || type == PTHREAD_MUTEX_ADAPTIVE_NP) && enabled(c) &&
        m->__data.__lock && m->__data.__owner == own_tid() && pf_lock_is_held(c->t, m))
        report(c, PF_KIND_MUTEX_DOUBLE_LOCK, PF_OP_LOCK, m);
}

void pf_rwlock_check_wait(const struct pf_call *c, const pthread_rwlock_t *l, bool shared)
{
    if (!enabled(c) || !pf_lock_is_held(c->t, l))
        return;
    bool writer = l->__data.__cur_writer == own_tid();
    if (shared && writer)
        report(c, PF_KIND_MUTEX_BAD_READ_LOCK, PF_OP_LOCK, (const void *)l);
    else if (!shared && (writer || has_readers(l)))
        report(c, PF_KIND_MUTEX_DOUBLE_LOCK, PF_OP_LOCK, (const void *)l);
}

void pf_spin_check_wait(const struct pf_call *c, const pthread_spinlock_t *l)
{
    if (*l != SPIN_FREE && enabled(c) && pf_lock_is_held(c->t, l) && find_holder(c, l).t == c->t)
        report(c, PF_KIND_MUTEX_DOUBLE_LOCK, PF_OP_LOCK, l);
}

/* --- begin and end of a lock --- */

/* The memory of a lock that was never initialised may look locked, so some thread must be known to
 * hold it. */
static bool is_known_held(const struct pf_call *c, const volatile void *lock)
{
    return pf_options.report_destroy_locked && !c->t->ignore_sync && find_holder(c, lock).t;
}

/* libc may destroy a lock without reading its memory. So the memory is read here only if a thread
 * is known to hold the lock. */
#define CHECK_DESTROY(c, lock, locked)                                                             \
    if (is_known_held(c, lock) && (locked))                                                        \
    report(c, PF_KIND_MUTEX_DESTROY_LOCKED, PF_OP_DESTROY, lock)

void pf_mutex_check_destroy(const struct pf_call *c, const pthread_mutex_t *m)
{
    CHECK_DESTROY(c, m, m->__data.__kind != MUTEX_DESTROYED && m->__data.__lock);
}

void pf_rwlock_check_destroy(const struct pf_call *c, const pthread_rwlock_t *l)
{
    CHECK_DESTROY(c, l, l->__data.__cur_writer || has_readers(l));
}

void pf_spin_check_destroy(const struct pf_call *c, const pthread_spinlock_t *l)
{
    CHECK_DESTROY(c, l, *l != SPIN_FREE);
}

/* EINVAL may also mean that the thread's priority is above the priority ceiling of the mutex. */
void pf_mutex_check_invalid(const struct pf_call *c, const pthread_mutex_t *m)
{
    int kind = m->__data.__kind;
    if (enabled(c) && (kind < 0 || !(kind & MUTEX_PRIO_PROTECT)))
        report(c, PF_KIND_MUTEX_INVALID, PF_OP_LOCK, m);
}

void pf_lock_check_none_held(const struct pf_call *c)
{
    struct pf_misuse m = {.kind = PF_KIND_MUTEX_WRONG_CONTEXT, .n = 1};
    m.at[0] = (struct pf_misuse_step){
        .thread = c->t->number, .op = PF_OP_CALL, .id = pf_call_id(c, PF_NATIVE_CALL)};
    for (uint32_t i = 0; i < c->t->order.nheld && m.n < PF_MISUSE_STEPS; i++) {
        const struct pf_held_lock *h = &c->t->order.held[i];
        m.object = m.object ? m.object : h->addr;
        m.at[m.n++] = (struct pf_misuse_step){
            .thread = c->t->number, .op = PF_OP_LOCK, .id = h->taken_at, .addr = h->addr};
    }
    if (m.n > 1)
        pf_misuse_found(&m);
}

void pf_lock_check_thread_end(const struct pf_thread *t)
{
    if (!pf_options.report_locks_at_end)
        return;
    for (uint32_t i = 0; i < t->order.nheld; i++) {
        const struct pf_held_lock *h = &t->order.held[i];
        struct pf_misuse m = {.kind = PF_KIND_LOCK_AT_THREAD_END, .object = h->addr, .n = 1};
        m.at[0] = (struct pf_misuse_step){
            .thread = t->number, .op = PF_OP_LOCK, .id = h->taken_at, .addr = h->addr};
        if (!h->robust)
            pf_misuse_found(&m);
    }
}

/* --- annotated locks --- */

/*
 * The writers of annotated locks, by a hash of the lock's address. A lock may lose its entry to
 * another one, and is then not checked.
 */
#define ANNOTATED 4096u
static struct annotated_writer {
    uintptr_t lock;
    uint32_t thread; /* 1 + its number */
} annotated[ANNOTATED];

_Static_assert(ANNOTATED == 1u << (64 - 52), "the shift gives an index");
static struct annotated_writer *annotated_slot(const void *lock)
{
    return &annotated[(uintptr_t)lock * 0x9e3779b97f4a7c15u >> 52];
}

/* The flags with which locks were created, by the same hash; locks without flags have no entry. */
static struct {
    uintptr_t lock;
    unsigned flags;
} created[ANNOTATED];

void pf_annotated_created(const void *lock, unsigned flags)
{
    size_t i = (size_t)(annotated_slot(lock) - annotated);
    bool mine = __atomic_load_n(&created[i].lock, __ATOMIC_ACQUIRE) == (uintptr_t)lock;
    if (!flags && !mine)
        return;
    __atomic_store_n(&created[i].flags, flags, __ATOMIC_RELEASE);
    __atomic_store_n(&created[i].lock, flags ? (uintptr_t)lock : 0, __ATOMIC_RELEASE);
}

unsigned pf_annotated_flags(const void *lock)
{
    size_t i = (size_t)(annotated_slot(lock) - annotated);
    uintptr_t entry = __atomic_load_n(&created[i].lock, __ATOMIC_ACQUIRE);
    unsigned flags = __atomic_load_n(&created[i].flags, __ATOMIC_ACQUIRE);
    return !entry ? 0 : entry == (uintptr_t)lock ? flags : ~0u;
}

/* 1 + the number of the thread that holds the lock for writing; 0: none, or unknown. */
static uint32_t writer_of(const void *lock)
{
    const struct annotated_writer *w = annotated_slot(lock);
    uint32_t thread = __atomic_load_n(&w->thread, __ATOMIC_ACQUIRE);
    return __atomic_load_n(&w->lock, __ATOMIC_ACQUIRE) == (uintptr_t)lock ? thread : 0;
}

static void forget_writer(const void *lock)
{
    if (writer_of(lock))
        __atomic_store_n(&annotated_slot(lock)->lock, 0, __ATOMIC_RELEASE);
}

void pf_annotated_locked(const struct pf_call *c, const void *lock, bool shared)
{
    if (!enabled(c))
        return;
    uint32_t writer = writer_of(lock);
    if (writer && shared) {
        report(c, PF_KIND_MUTEX_BAD_READ_LOCK, PF_OP_LOCK, lock);
        forget_writer(lock); /* so that the unlock that follows is not reported, too */
    } else if (writer && writer != c->t->number + 1) {
        report(c, PF_KIND_MUTEX_DOUBLE_LOCK, PF_OP_LOCK, lock);
    }
    if (!shared) {
        struct annotated_writer *w = annotated_slot(lock);
        __atomic_store_n(&w->lock, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&w->thread, c->t->number + 1, __ATOMIC_RELEASE);
        __atomic_store_n(&w->lock, (uintptr_t)lock, __ATOMIC_RELEASE);
    }
}

void pf_annotated_unlocking(const struct pf_call *c, const void *lock, bool shared, bool last)
{
    if (!enabled(c) || c->t->order.nheld == PF_HELD_MAX)
        return;
    if (shared && writer_of(lock))
        report(c, PF_KIND_MUTEX_BAD_READ_UNLOCK, PF_OP_UNLOCK, lock);
    else if (!shared && !pf_lock_is_held(c->t, lock))
        report(c, PF_KIND_MUTEX_BAD_UNLOCK, PF_OP_UNLOCK, lock);
    if (!shared && last)
        forget_writer(lock);
}

void pf_annotated_destroyed(const struct pf_call *c, const void *lock)
{
    CHECK_DESTROY(c, lock, writer_of(lock));
    forget_writer(lock);
}
