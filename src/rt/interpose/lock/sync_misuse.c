/*
 * sync_misuse.c - see sync_misuse.h.
 */
#include "sync_misuse.h"
#include "spin.h"
#include "store.h"
#include "sys.h"

#define BUCKETS 64u /* of the map */

struct waited_object {
    const volatile void *object;
    const void *mutex;
    struct waited_object *next;
    uint32_t inside; /* threads that have not returned */
    uint32_t waiting; /* those that are not known to be woken; at most `inside` */
    uint32_t thread, at; /* a thread that waits: its number, and the site id of its call */
};

static struct pf_spin lock;
static struct waited_object *map[BUCKETS];

void pf_waiting_lock(void) { pf_spin_lock(&lock); }
void pf_waiting_unlock(bool child)
{
    if (child) /* the threads that wait are not in this process */
        pf_zero(map, sizeof map);
    pf_spin_unlock(&lock);
}

_Static_assert(BUCKETS == 1u << (64 - 58), "the shift gives an index");
static struct waited_object **find(const volatile void *object)
{
    struct waited_object **p = &map[(uintptr_t)object * 0x9e3779b97f4a7c15u >> 58];
    while (*p && (*p)->object != object)
        p = &(*p)->next;
    return p;
}

static void report(const struct pf_call *c, const volatile void *object, const char *what,
                   const struct waited_object *other)
{
    struct pf_misuse m = {
        .kind = PF_KIND_SYNC_MISUSE, .harm = what, .object = (uintptr_t)object, .n = 1};
    m.at[0] = (struct pf_misuse_step){.thread = c->t->number,
                                      .op = PF_OP_CALL,
                                      .id = pf_call_id(c, PF_NATIVE_CALL),
                                      .addr = (uintptr_t)object};
    if (other)
        m.at[m.n++] = (struct pf_misuse_step){
            .thread = other->thread, .op = PF_OP_WAIT, .id = other->at, .addr = (uintptr_t)object};
    pf_misuse_found(&m);
}

static bool holds(const pthread_mutex_t *m)
{
    return m->__data.__lock && m->__data.__owner == (int)pf_sys(SYS_gettid);
}

struct pf_waiting pf_waiting_begin(const struct pf_call *c, const volatile void *object,
                                   const pthread_mutex_t *mutex)
{
    if (mutex && !holds(mutex))
        report(c, object, "a thread waits with a mutex that it does not hold", NULL);
    uint32_t here = pf_call_id(c, PF_NATIVE_CALL);
    pf_spin_lock(&lock);
    struct waited_object **p = find(object), *w = *p;
    if (!w && (w = *p = pf_store_alloc(0)))
        *w = (struct waited_object){.object = object};
    if (w && !w->waiting) {
        w->mutex = mutex;
        w->thread = c->t->number;
        w->at = here;
    }
    struct waited_object other = w ? *w : (struct waited_object){.mutex = mutex};
    if (w) {
        w->inside++;
        w->waiting++;
    }
    pf_spin_unlock(&lock);
    if (other.mutex != mutex)
        report(c, object, "threads wait on a condition variable with different mutexes", &other);
    return (struct pf_waiting){.object = w ? object : NULL};
}

void pf_waiting_wake(const volatile void *object, bool all)
{
    pf_spin_lock(&lock);
    struct waited_object *w = *find(object);
    if (w && w->waiting)
        w->waiting = all ? 0 : w->waiting - 1;
    pf_spin_unlock(&lock);
}

void pf_waiting_end(struct pf_waiting *scope)
{
    if (!scope->object)
        return;
    pf_spin_lock(&lock);
    struct waited_object **p = find(scope->object), *w = *p;
    if (w && scope->gave_up && w->waiting)
        w->waiting--;
    if (w && --w->inside == 0) {
        *p = w->next;
        pf_store_free(w, 0);
    } else if (w && w->waiting > w->inside) {
        w->waiting = w->inside;
    }
    pf_spin_unlock(&lock);
}

void pf_waiting_check(const struct pf_call *c, const volatile void *object, const char *what)
{
    pf_spin_lock(&lock);
    struct waited_object *w = *find(object), other = w ? *w : (struct waited_object){0};
    pf_spin_unlock(&lock);
    if (other.waiting)
        report(c, object, what, &other);
}
