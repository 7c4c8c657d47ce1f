/* names.c - reads stream `name` completely into tables. The stream is untrusted: see struct
 * name_cursor. */
#define _GNU_SOURCE
#include "names.h"
#include "allocation.h"
#include "pf_abi.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define SITES_MAX (1u << 24) /* larger site numbers are rejected */
#define SMALL 65536          /* bytes of the largest table that is on the heap */

/* Texts and lists are allocated from blocks that are freed together. */
struct pf_names_memory {
    struct pf_names_memory *next;
    size_t used, size;
    _Alignas(8) char at[];
};

struct name_cursor {
    const unsigned char *at, *end;
    struct pf_names *names;
    size_t size; /* of the stream */
    bool bad;    /* invalid record */
};

static void *keep(struct name_cursor *c, size_t n)
{
    struct pf_names_memory *m = c->names->memory;
    n = (n + 7) & ~(size_t)7;
    if (!m || m->size - m->used < n) {
        size_t size = n > 1 << 16 ? n : 1 << 16;
        m = pf_mem_resize(NULL, sizeof *m + size, 1);
        *m = (struct pf_names_memory){.next = c->names->memory, .size = size};
        c->names->memory = m;
    }
    void *p = m->at + m->used;
    m->used += n;
    return p;
}

static uint64_t number(struct name_cursor *c)
{
    uint64_t v = 0;
    for (unsigned shift = 0; c->at < c->end && shift < 64; shift += 7) {
        unsigned char b = *c->at++;
        v |= (uint64_t)(b & 127) << shift;
        if (b < 128)
            return v;
    }
    c->bad = true;
    return 0;
}

static const char *text(struct name_cursor *c)
{
    uint64_t n = number(c);
    if (n > (uint64_t)(c->end - c->at)) {
        c->bad = true;
        return "";
    }
    if (!n)
        return "";
    char *s = keep(c, n + 1);
    memcpy(s, c->at, n);
    s[n] = 0;
    c->at += n;
    return s;
}

void *pf_names_table(void *table, size_t had, size_t n)
{
    if (n <= SMALL) {
        char *small = pf_mem_resize(table, n, 1);
        memset(small + had, 0, n - had);
        return small;
    }
    void *p = had > SMALL
                  ? mremap(table, had, n, MREMAP_MAYMOVE)
                  : mmap(NULL, n, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
        pf_out_of_memory(n);
    if (had && had <= SMALL) {
        memcpy(p, table, had);
        free(table);
    }
    return p;
}

void pf_names_table_free(void *table, size_t n)
{
    if (n > SMALL)
        munmap(table, n);
    else
        free(table);
}

/* Element `i` of a table of sites. Their numbers have gaps; see pf_names_table. NULL: too large. */
static void *site_element(struct name_cursor *c, void **table, size_t *n, uint64_t i, size_t size)
{
    if (c->bad || i >= SITES_MAX) {
        c->bad = true;
        return NULL;
    }
    size_t more = *n;
    if (pf_vec_outgrown(&more, (size_t)i + 1)) {
        *table = pf_names_table(*table, *n * size, more * size);
        *n = more;
    }
    return (char *)*table + i * size;
}

/* Element `i` of a growing table whose elements are numbered one after the other, so that there are
 * fewer than the stream has bytes; NULL if i is too large. Small numbers are always valid. */
static void *element(struct name_cursor *c, void **table, size_t *n, uint64_t i, size_t size)
{
    if (c->bad || (i >= c->size && i > UINT16_MAX)) {
        c->bad = true;
        return NULL;
    }
    size_t more = *n;
    if (pf_vec_outgrown(&more, (size_t)i + 1)) {
        char *p = pf_mem_resize(*table, more, size);
        memset(p + *n * size, 0, (more - *n) * size);
        *table = p;
        *n = more;
    }
    return (char *)*table + i * size;
}

static void take_position(struct name_cursor *c)
{
    struct pf_names *n = c->names;
    uint64_t i = number(c);
    struct pf_name_position *p = element(c, (void **)&n->position, &n->npositions, i, sizeof *p);
    struct pf_name_position v = {0};
    v.file = text(c);
    v.function = text(c);
    v.variable = text(c);
    v.line = (uint32_t)number(c);
    v.column = (uint32_t)number(c);
    v.begins = (uint32_t)number(c);
    v.kind = (uint32_t)number(c);
    v.merged_lines = v.object = "";
    if (c->at < c->end) { /* older recordings end here */
        uint64_t object = number(c);
        v.object = object < n->nobjects && n->object[object] ? n->object[object] : "";
        v.merged_lines = text(c);
        v.folded = number(c);
    }
    if (p && !c->bad)
        *p = v;
}

static void take_object(struct name_cursor *c)
{
    const char **o = element(c, (void **)&c->names->object, &c->names->nobjects, number(c),
                             sizeof *c->names->object);
    const char *path = text(c);
    if (o && !c->bad)
        *o = path;
}

static void take_site(struct name_cursor *c, struct pf_code *code, size_t *ncode)
{
    struct pf_names *n = c->names;
    uint64_t i = number(c), kind = number(c), size = number(c), count = number(c);
    struct pf_name_site *s = site_element(c, (void **)&n->site, &n->nsites, i, sizeof *s);
    struct pf_code_site *predictor =
        site_element(c, (void **)&code->site, ncode, i, sizeof *predictor);
    /* Position 0 stands for every unknown position. */
    void *none = element(c, (void **)&n->position, &n->npositions, 0, sizeof *n->position);
    if (!s || !predictor || !none || count > PF_NAME_DEPTH) {
        c->bad |= count > PF_NAME_DEPTH;
        return;
    }
    uint32_t *list = keep(c, (count + 1) * sizeof *list);
    for (uint64_t k = 0; k < count; k++) {
        uint64_t p = number(c);
        list[k] = (uint32_t)(p < n->npositions && n->position[p].file ? p : 0);
    }
    if (c->bad)
        return;
    /* A recording without flags: assume that control and addresses may depend on every read. */
    uint64_t flags = c->at < c->end ? number(c) : PF_SITEF_BRANCH | PF_SITEF_ADDRESS;
    *s = (struct pf_name_site){list, (uint32_t)count, (uint8_t)flags, true};
    if (kind > PF_EV_WRITE)
        return;
    if (size != 1 && size != 2 && size != 4 && size != 8 && !pf_code_is_wide(size)) {
        c->bad = true;
        return;
    }
    predictor->kind = (uint8_t)kind;
    predictor->size = (uint8_t)size;
}

static void take_variable(struct name_cursor *c)
{
    struct pf_names *n = c->names;
    struct pf_name_variable v;
    v.addr = number(c);
    v.size = number(c);
    v.name = text(c);
    v.file = text(c);
    v.line = (uint32_t)number(c);
    if (c->bad)
        return;
    pf_vec_push(&n->variables, v);
}

static void take_thread(struct name_cursor *c)
{
    struct pf_names *n = c->names;
    uint64_t i = number(c);
    if (i > UINT16_MAX)
        c->bad = true;
    struct pf_name_thread *t = element(c, (void **)&n->thread, &n->nthreads, i, sizeof *t);
    struct pf_name_thread v = {0};
    v.parent = (uint32_t)number(c);
    v.created = (uint32_t)number(c);
    v.name = text(c);
    v.known = true;
    if (c->at < c->end) { /* older recordings end here */
        v.id = number(c);
        v.stack = number(c);
        v.stack_size = number(c);
        v.tls = number(c);
        v.tls_size = number(c);
    }
    if (t && !c->bad)
        *t = v;
}

static void take_callee(struct name_cursor *c)
{
    struct pf_names *n = c->names;
    struct pf_name_callee v = {.addr = number(c)};
    v.symbol = text(c);
    if (c->bad)
        return;
    pf_vec_push(&n->callees, v);
}

static int by_address(const void *a, const void *b)
{
    const struct pf_name_variable *x = a, *y = b;
    return x->addr < y->addr ? -1 : x->addr > y->addr;
}

pf_status pf_names_read(struct pf_names *n, struct pf_code *code, size_t *ncode,
                        const unsigned char *bytes, size_t size, const char *path,
                        struct pf_error *e)
{
    for (size_t at = 0; size - at >= 4;) {
        uint32_t length;
        memcpy(&length, bytes + at, 4);
        at += 4;
        if (length > size - at) /* cut: an event that needs the name is rejected later */
            break;
        struct name_cursor c = {bytes + at, bytes + at + length, n, size, false};
        switch (number(&c)) {
        case PF_NAME_POSITION:
            take_position(&c);
            break;
        case PF_NAME_SITE:
            take_site(&c, code, ncode);
            break;
        case PF_NAME_VARIABLE:
            take_variable(&c);
            break;
        case PF_NAME_THREAD:
            take_thread(&c);
            break;
        case PF_NAME_OBJECT:
            take_object(&c);
            break;
        case PF_NAME_CALLEE:
            take_callee(&c);
            break;
        default:
            break;
        }
        if (c.bad)
            return pf_fail(e, PF_BAD, "%s: name stream, offset %zu: invalid record", path, at);
        at += length;
    }
    if (n->variables.len)
        qsort(n->variables.at, n->variables.len, sizeof *n->variables.at, by_address);
    return PF_OK;
}

const struct pf_name_variable *pf_names_variable(const struct pf_names *n, uint64_t addr)
{
    /* invariant at the end: lo - 1 is the last one at or below addr */
    size_t lo = 0, hi = n->variables.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (n->variables.at[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo && addr - n->variables.at[lo - 1].addr < n->variables.at[lo - 1].size
               ? &n->variables.at[lo - 1]
               : NULL;
}

void pf_names_release(struct pf_names *n)
{
    for (struct pf_names_memory *m = n->memory, *next; m; m = next) {
        next = m->next;
        free(m);
    }
    free(n->position);
    pf_names_table_free(n->site, n->nsites * sizeof *n->site);
    pf_vec_release(&n->variables);
    free(n->thread);
    free(n->object);
    pf_vec_release(&n->callees);
    *n = (struct pf_names){0};
}

const char *pf_names_callee(const struct pf_names *n, uint64_t addr)
{
    for (size_t i = 0; i < n->callees.len; i++)
        if (n->callees.at[i].addr == addr)
            return n->callees.at[i].symbol;
    return "";
}
