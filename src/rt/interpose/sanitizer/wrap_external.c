/*
 * wrap_external.c - external races: a library that is not compiled with checks announces reads and
 * modifications of its objects (ThreadSanitizer's __tsan_external_* functions). Two unordered ones
 * are a "race on TYPE".
 *
 * An announced access is an access to the first byte of the object, from a site of a function
 * record that belongs to the type: so the site id alone tells the type of the object.
 */
#include "hooks.h"
#include "runtime_access.h"
#include "spin.h"
#include "store.h"
#include "sys.h"
#include "wrap.h"
#include <string.h>

#define TYPES 1024u /* further ones have no tag */

/* The records for one type. All references are relative, so they and the strings are one block. */
struct external_type {
    struct pf_func access[2]; /* read, write */
    struct pf_scope scope;
    struct pf_site site[2];
    char name[2][sizeof PF_EXTERNAL_ACCESS + 5]; /* the prefix and "read" or "write" */
    char type[];
};
static struct external_type *types[TYPES]; /* a tag is 1 + an index */
static uint32_t ntypes;
static struct pf_spin lock;

void pf_external_lock(void) { pf_spin_lock(&lock); }
void pf_external_unlock(void) { pf_spin_unlock(&lock); }

static pf_rel distance(const void *to, const pf_rel *field)
{
    return (pf_rel)((const char *)to - (const char *)field);
}

static struct external_type *make_type(const char *type)
{
    static const char *const names[2] = {PF_EXTERNAL_ACCESS "read", PF_EXTERNAL_ACCESS "write"};
    size_t n = strlen(type) + 1;
    struct external_type *e = pf_store_alloc_permanent(sizeof *e + n);
    if (!e)
        return NULL;
    pf_zero(e, sizeof *e);
    pf_copy(e->type, type, n);
    for (unsigned i = 0; i < 2; i++) {
        pf_copy(e->name[i], names[i], strlen(names[i]) + 1);
        e->access[i].name = distance(e->name[i], &e->access[i].name);
        e->access[i].sites = distance(e->site, &e->access[i].sites);
        e->access[i].nsites = 2;
        e->site[i].scope = distance(&e->scope, &e->site[i].scope);
        e->site[i].var = distance(e->type, &e->site[i].var);
        e->site[i].kind = i == PF_NATIVE_WRITE ? PF_SITE_WRITE : PF_SITE_READ;
        e->site[i].size = 1;
    }
    return e;
}

void *__tsan_external_register_tag(const char *type);
PF_EXPORT __attribute__((weak)) void *__tsan_external_register_tag(const char *type)
{
    pf_nest();
    struct external_type *e = make_type(type);
    pf_spin_lock(&lock);
    uintptr_t tag = e && ntypes < TYPES ? ntypes + 1 : 0;
    if (tag)
        __atomic_store_n(&types[ntypes++], e, __ATOMIC_RELEASE);
    pf_spin_unlock(&lock);
    pf_unnest();
    return (void *)tag;
}

/* The title of the report, which begins with "race on ". */
void __tsan_external_register_header(void *tag, const char *header);
PF_EXPORT __attribute__((weak)) void __tsan_external_register_header(void *tag, const char *header)
{
    static const char begin[] = "race on ";
    if ((uintptr_t)tag - 1 >= TYPES || strncmp(header, begin, sizeof begin - 1) != 0)
        return;
    pf_nest();
    struct external_type *e = make_type(header + sizeof begin - 1);
    if (e)
        __atomic_store_n(&types[(uintptr_t)tag - 1], e, __ATOMIC_RELEASE);
    pf_unnest();
}

/* Does nothing: the tag would only name the type of a heap block in reports of other races. */
void __tsan_external_assign_tag(void *addr, void *tag);
PF_EXPORT __attribute__((weak)) void __tsan_external_assign_tag(void *addr, void *tag) {}

static struct pf_func *record_of(void *tag, bool write, struct pf_func *otherwise)
{
    struct external_type *e = (uintptr_t)tag - 1 < TYPES
                                  ? __atomic_load_n(&types[(uintptr_t)tag - 1], __ATOMIC_ACQUIRE)
                                  : NULL;
    return e ? &e->access[write] : otherwise;
}

#define ACCESS(fn, write, access, site)                                                            \
    void fn(void *addr, void *pc, void *tag);                                                      \
    PF_PROVIDE(void, fn, (void *addr, void *pc, void *tag))                                        \
    {                                                                                              \
        struct pf_call c __attribute__((cleanup(pf_call_leave))) =                                 \
            pf_call_enter(record_of(tag, write, &pf_native_##fn), pc);                             \
        if (c.t)                                                                                   \
            access(c.t, addr, 1, pf_call_id(&c, site));                                            \
    }
ACCESS(__tsan_external_read, false, pf_runtime_read, PF_NATIVE_READ)
ACCESS(__tsan_external_write, true, pf_runtime_write, PF_NATIVE_WRITE)
