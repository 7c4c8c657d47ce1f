/*
 * trace_names.c - the meaning of the numbers in a trace: sites with their stacks, threads,
 * variables, objects.
 *
 * A stack is a list of positions; each position is written once. Variables are written when the
 * object that contains them is first seen.
 */
#include "event_code.h"
#include "file_text.h"
#include "findings_log.h"
#include "hash_index.h"
#include "module.h"
#include "name_code.h"
#include "stack.h"
#include "stream_ring.h"
#include "sys.h"
#include "tracer.h"

#define POSITIONS (1u << 20) /* source positions of a trace */
#define OBJECTS 1000         /* whose paths are written */
#define MAPPED 16            /* recent results of object_at */

static struct pf_position *positions; /* positions written so far; 0 is unused */
static uint32_t npositions = 1;
static struct pf_hash_index known;

/* The program and its libraries, with code that has positions. */
static struct pf_pool pool;
static const char *maps; /* text of /proc/self/maps, or NULL */
static const char *objects[OBJECTS]; /* paths written so far */
static uint32_t nobjects;
/* Mappings in which positions were found, with their objects; the next one replaces the oldest. */
static struct mapped_object {
    uintptr_t range[2];
    uint32_t object;
} mapped[MAPPED];
static uint32_t nmapped;
static uint32_t modules; /* the number of instrumented objects when `maps` was read */

/* --- one record: built completely, then written --- */

static unsigned char record[1 << 14];
static size_t used;

static void add_number(uint64_t v)
{
    if (used < sizeof record - 10)
        used = (size_t)(pf_code_varint(record + used, v) - record);
}

static void add_text(const char *s)
{
    size_t n = 0;
    while (s && s[n] && n < 2000)
        n++;
    add_number(n);
    if (used + n > sizeof record)
        return;
    for (size_t i = 0; i < n; i++)
        record[used + i] = (unsigned char)s[i];
    used += n;
}

/* The length precedes the record, so that readers can skip kinds they do not know. */
static void put_record(void)
{
    uint32_t n = (uint32_t)used;
    pf_ring_put(PF_STREAM_NAME, &n, sizeof n);
    pf_ring_put(PF_STREAM_NAME, record, used);
}

/* --- objects --- */

static bool is_path(const char *known_path, const char *path, size_t n)
{
    size_t i = 0;
    while (i < n && known_path[i] == path[i])
        i++;
    return i == n && !known_path[n];
}

/* The number of the object with this path, written if it is new; 0: unknown. */
static uint32_t object_of(const char *path, size_t n)
{
    for (uint32_t i = 0; path && i < nobjects; i++)
        if (is_path(objects[i], path, n))
            return i + 1;
    const char *copy = path && nobjects < OBJECTS ? pf_pool_text(&pool, path, n) : NULL;
    if (!copy)
        return 0;
    objects[nobjects++] = copy;
    used = 0;
    add_number(PF_NAME_OBJECT);
    add_number(nobjects);
    add_text(copy);
    put_record();
    return nobjects;
}

/* The number of the object that contains p. Recent results are kept, because a search in the text
 * of the mappings takes longer than writing all events of a short run. */
static uint32_t object_at(const void *p)
{
    for (uint32_t i = 0; i < MAPPED; i++)
        if ((uintptr_t)p >= mapped[i].range[0] && (uintptr_t)p < mapped[i].range[1])
            return mapped[i].object;
    struct mapped_object found = {{0}, 0};
    size_t n = 0;
    const char *path = pf_maps_path(maps, p, &n, found.range);
    found.object = object_of(path, n);
    return (mapped[nmapped++ % MAPPED] = found).object;
}

static void put_variable(const struct pf_global *g, void *arg)
{
    (void)arg;
    used = 0;
    add_number(PF_NAME_VARIABLE);
    add_number(g->addr);
    add_number(g->size);
    add_text(g->name);
    add_text(g->file);
    add_number(g->line);
    put_record();
}

/* Writes the variables of objects that were loaded since the last call. */
static void update_objects(void)
{
    size_t n;
    uint32_t now = pf_global_each(modules, put_variable, NULL);
    if (now == modules)
        return;
    if (!modules)
        pf_pool_init(&pool, pf_report_map, pf_report_unmap);
    modules = now;
    pf_zero(mapped, sizeof mapped);
    maps = pf_file_text(&pool, "/proc/self/maps", &n);
}

/* --- positions --- */

static bool same(uint32_t item, const void *key)
{
    const struct pf_position *p = &positions[item], *k = key;
    return p->func == k->func && p->file == k->file && p->var == k->var && p->line == k->line &&
           p->column == k->column && p->kind == k->kind && p->size == k->size &&
           p->merged_lines == k->merged_lines && p->folded == k->folded;
}

static uint32_t number_of(const struct pf_position *p)
{
    uint32_t hash =
        pf_hash_index_hash((uintptr_t)p->func ^ (uintptr_t)p->file << 20 ^ (uintptr_t)p->var,
                           (uint64_t)p->line << 32 | p->column << 8 | p->kind);
    uint32_t i = pf_hash_index_find(&known, hash, same, p);
    if (i || npositions == POSITIONS)
        return i;
    positions[npositions] = *p;
    if (!pf_hash_index_add(&known, hash, npositions))
        return 0;
    uint32_t object = p->file ? object_at(p->func) : 0;
    used = 0;
    add_number(PF_NAME_POSITION);
    add_number(npositions);
    add_text(p->file);
    add_text(p->func);
    add_text(p->var);
    add_number(p->line);
    add_number(p->column);
    add_number(p->func_line);
    add_number(p->kind);
    add_number(object);
    add_text(p->merged_lines);
    add_number(p->folded);
    put_record();
    return npositions++;
}

/* --- names --- */

struct site_positions {
    uint32_t position[PF_NAME_DEPTH], n;
};

static bool add_position(const struct pf_position *p, void *arg)
{
    struct site_positions *t = arg;
    if (t->n == PF_NAME_DEPTH)
        return false;
    t->position[t->n++] = number_of(p);
    return true;
}

void pf_trace_name_site(uint32_t site, unsigned kind, unsigned size)
{
    static struct site_positions t;
    if (!positions && !(positions = pf_sys_map(NULL, POSITIONS * sizeof *positions)))
        return;
    update_objects();
    t.n = 0;
    pf_stack_walk(site, add_position, &t);
    used = 0;
    add_number(PF_NAME_SITE);
    add_number(site);
    add_number(kind);
    add_number(size);
    add_number(t.n);
    for (uint32_t i = 0; i < t.n; i++)
        add_number(t.position[i]);
    add_number(pf_stack_flags(site));
    put_record();
}

void pf_trace_name_callee(const void *callee, const char *symbol)
{
    used = 0;
    add_number(PF_NAME_CALLEE);
    add_number((uint64_t)callee);
    add_text(symbol);
    put_record();
}

void pf_trace_name_thread(uint32_t number, const struct pf_thread *t)
{
    used = 0;
    add_number(PF_NAME_THREAD);
    add_number(number);
    add_number(t ? t->parent : 0);
    add_number(t ? t->created_at : 0);
    add_text(t ? t->name : "");
    add_number(t ? (uint64_t)t->tid : 0);
    add_number(t ? t->stack_lo : 0);
    add_number(t ? t->stack_hi - t->stack_lo : 0);
    add_number(t ? t->tls_lo : 0);
    add_number(t ? t->tls_hi - t->tls_lo : 0);
    put_record();
    if (t && t->created_at)
        pf_trace_name_site(t->created_at, PF_EV_KINDS, 0);
}
