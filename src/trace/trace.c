/*
 * trace.c - building a trace: names, object numbers, places and blocks.
 *
 * All lookups by value use one hash map; the kind in the key says what is looked up. Sealing is in
 * trace_seal.c.
 */
#include "trace.h"
#include "intern_tables.h"
#include <assert.h>
#include <string.h>

const char *const pf_event_word[PF_EV_KINDS] = {
#define PF_EVENT(name, word, operand, class) [PF_EV_##name] = word,
#include "pf_event.def"
#undef PF_EVENT
};
const uint8_t pf_event_class[PF_EV_KINDS] = {
#define PF_EVENT(name, word, operand, class) [PF_EV_##name] = PF_CLASS_##class,
#include "pf_event.def"
#undef PF_EVENT
};
const uint8_t pf_event_operand[PF_EV_KINDS] = {
#define PF_EVENT(name, word, operand, class) [PF_EV_##name] = PF_OPERAND_##operand,
#include "pf_event.def"
#undef PF_EVENT
};

/* Variables of the text form get artificial addresses, far apart from each other. */
#define NAMED_BASE 0x1000000000000000ull /* above all addresses that a program can use */

static uint64_t mix(uint64_t a, uint64_t b, uint64_t c)
{
    uint64_t h = a * 0x9e3779b97f4a7c15ull ^ (b + 0x7f4a7c15) * 0xbf58476d1ce4e5b9ull ^ c;
    h ^= h >> 29;
    h *= 0x94d049bb133111ebull;
    return h ^ h >> 32;
}

/* The value of the key (kind, a, b). If the key is new, sets *fresh and stores `value`. */
static uint32_t intern(struct pf_trace_tables *x, uint32_t kind, uint64_t a, uint64_t b,
                       uint32_t value, bool *fresh)
{
    uint64_t h = mix(kind, a, b);
    struct pf_hash_walk w = pf_hash_map_walk(&x->by_hash, h);
    while (pf_hash_map_next(&x->by_hash, &w)) {
        const struct pf_intern_entry *e = &x->entries.at[w.value];
        if (e->kind == kind && e->a == a && e->b == b) {
            *fresh = false;
            return e->value;
        }
    }
    pf_hash_map_add(&x->by_hash, h, (uint32_t)x->entries.len);
    pf_vec_push(&x->entries, (struct pf_intern_entry){a, b, kind, value});
    *fresh = true;
    return value;
}

void pf_trace_init(struct pf_trace *t)
{
    memset(t, 0, sizeof *t);
    t->tables = pf_mem_zero(1, sizeof *t->tables);
}

void pf_trace_release(struct pf_trace *t)
{
    for (size_t i = 0; i < t->names.len; i++)
        free(t->names.at[i].text);
    pf_vec_release(&t->events);
    pf_vec_release(&t->places);
    pf_vec_release(&t->cells);
    pf_vec_release(&t->sites);
    pf_vec_release(&t->reaches);
    pf_vec_release(&t->initials);
    pf_vec_release(&t->reach_items);
    pf_vec_release(&t->olds);
    pf_vec_release(&t->wakers);
    pf_vec_release(&t->names);
    pf_vec_release(&t->labels);
    pf_vec_release(&t->inner);
    pf_vec_release(&t->reuses);
    pf_vec_release(&t->recorded.variables);
    pf_vec_release(&t->recorded.index);
    pf_vec_release(&t->recorded.event_stack);
    pf_vec_release(&t->recorded.thread);
    pf_vec_release(&t->recorded.threads);
    pf_vec_release(&t->recorded.lock_address);
    pf_vec_release(&t->recorded.callee);
    pf_vec_release(&t->recorded.stacks);
    pf_vec_release(&t->recorded.stack_sites);
    for (int r = 0; r < PF_ROLES; r++)
        pf_vec_release(pf_trace_role(t, r));
    if (t->tables) {
        pf_hash_map_release(&t->tables->by_hash);
        pf_vec_release(&t->tables->entries);
        pf_vec_release(&t->tables->blocks);
        pf_vec_release(&t->tables->raw);
        pf_vec_release(&t->tables->growths);
        pf_vec_release(&t->tables->objects);
        free(t->tables);
        t->tables = NULL;
    }
}

pf_vec_u32 *pf_trace_role(struct pf_trace *t, enum pf_role role)
{
    switch (role) {
    case PF_ROLE_THREAD:
        return &t->threads;
    case PF_ROLE_LOCK:
        return &t->locks;
    case PF_ROLE_COND:
        return &t->conds;
    case PF_ROLE_BARRIER:
        return &t->barriers;
    case PF_ROLE_SYNC:
        return &t->syncs;
    default:
        return &t->calls;
    }
}

uint32_t pf_trace_name(struct pf_trace *t, const char *text, size_t len)
{
    uint64_t h1 = 1469598103934665603ull, h2 = len;
    for (size_t i = 0; i < len; i++) {
        h1 = (h1 ^ (uint8_t)text[i]) * 1099511628211ull;
        h2 = h2 * 131 + (uint8_t)text[i];
    }
    bool fresh;
    uint32_t n = intern(t->tables, PF_TABLE_NAME, h1, h2, (uint32_t)t->names.len, &fresh);
    if (fresh) {
        char *copy = pf_mem_resize(NULL, len + 1, 1);
        memcpy(copy, text, len);
        copy[len] = 0;
        pf_vec_push(&t->names, (struct pf_name){copy, 0});
    }
    /* A name is identified by a 128-bit hash; two names with equal hashes would break this. */
    assert(strlen(t->names.at[n].text) == len && !memcmp(t->names.at[n].text, text, len));
    return n;
}

const char *pf_trace_text(const struct pf_trace *t, uint32_t name)
{
    return t->names.at[name].text;
}

uint32_t pf_trace_role_number(struct pf_trace *t, enum pf_role role, uint32_t name)
{
    bool fresh;
    pf_vec_u32 *list = pf_trace_role(t, role);
    uint32_t n = intern(t->tables, PF_TABLE_ROLE, role, name, (uint32_t)list->len, &fresh);
    if (fresh)
        pf_vec_push(list, name);
    return n;
}

size_t pf_trace_nobjects(const struct pf_trace *t, enum pf_role role)
{
    return pf_trace_role((struct pf_trace *)t, role)->len;
}

uint32_t pf_trace_role_name(const struct pf_trace *t, enum pf_role role, uint32_t number)
{
    return pf_trace_role((struct pf_trace *)t, role)->at[number];
}

uint64_t pf_trace_variable(struct pf_trace *t, uint32_t name)
{
    struct pf_name *n = &t->names.at[name];
    if (!n->addr)
        n->addr = NAMED_BASE + PF_NAMED_STRIDE * ++t->tables->variables;
    return n->addr;
}

/* The newest block that covers addr, or NULL. */
static const struct pf_block_range *range_of(const struct pf_trace *t, uint64_t addr)
{
    const struct pf_trace_tables *x = t->tables;
    size_t lo = 0, hi = x->blocks.len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (x->blocks.at[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    const struct pf_block_range *b = lo ? &x->blocks.at[lo - 1] : NULL;
    return b && addr < b->addr + b->size ? b : NULL;
}

bool pf_trace_block_at(const struct pf_trace *t, uint64_t addr, uint64_t *first, uint64_t *size)
{
    const struct pf_block_range *b = range_of(t, addr);
    if (b)
        *first = b->addr, *size = b->size;
    return b;
}

bool pf_trace_variable_at(const struct pf_trace *t, uint64_t addr, struct pf_variable *v)
{
    /* afterwards lo - 1 is the last variable at or below addr */
    size_t lo = 0, hi = t->recorded.variables.len;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (t->recorded.variables.at[mid].addr <= addr)
            lo = mid + 1;
        else
            hi = mid;
    }
    if (!lo ||
        addr - t->recorded.variables.at[lo - 1].addr >= t->recorded.variables.at[lo - 1].size)
        return false;
    *v = t->recorded.variables.at[lo - 1];
    return true;
}

static uint32_t place_in(struct pf_trace *t, uint64_t addr, uint64_t size, uint32_t block)
{
    bool fresh;
    uint32_t p =
        intern(t->tables, PF_TABLE_PLACE + block, addr, size, (uint32_t)t->places.len, &fresh);
    if (fresh)
        pf_vec_push(&t->places, (struct pf_range){addr, size, block, 0, 0});
    return p;
}

uint32_t pf_trace_place(struct pf_trace *t, uint64_t addr, uint64_t size)
{
    const struct pf_block_range *b = range_of(t, addr);
    return place_in(t, addr, size, b ? b->number : 0);
}

uint32_t pf_trace_new_block(struct pf_trace *t, uint64_t addr, uint64_t size)
{
    struct pf_trace_tables *x = t->tables;
    struct pf_block_range fresh = {addr, size, ++x->nblocks};
    /* Blocks stay sorted and disjoint: a new block takes the bytes that it overlaps from older
     * blocks. */
    size_t at = 0, above = x->blocks.len;
    while (at < above) { /* finds the first block that ends after addr */
        size_t mid = (at + above) / 2;
        if (x->blocks.at[mid].addr + x->blocks.at[mid].size <= addr)
            at = mid + 1;
        else
            above = mid;
    }
    size_t end = at;
    struct pf_block_range keep[2];
    int nkeep = 0;
    for (; end < x->blocks.len && x->blocks.at[end].addr < addr + size; end++) {
        struct pf_block_range o = x->blocks.at[end];
        pf_vec_push(&t->reuses, fresh.number);
        pf_vec_push(&t->reuses, o.number);
        if (o.addr < addr)
            keep[nkeep++] = (struct pf_block_range){o.addr, addr - o.addr, o.number};
        if (o.addr + o.size > addr + size)
            keep[nkeep++] =
                (struct pf_block_range){addr + size, o.addr + o.size - addr - size, o.number};
    }
    struct pf_block_range put[3];
    int nput = 0;
    for (int i = 0; i < nkeep; i++)
        if (keep[i].addr < addr)
            put[nput++] = keep[i];
    put[nput++] = fresh;
    for (int i = 0; i < nkeep; i++)
        if (keep[i].addr > addr)
            put[nput++] = keep[i];
    pf_vec_reserve(&x->blocks, 3);
    memmove(x->blocks.at + at + nput, x->blocks.at + end,
            (x->blocks.len - end) * sizeof *x->blocks.at);
    memcpy(x->blocks.at + at, put, (size_t)nput * sizeof *put);
    x->blocks.len = x->blocks.len - (end - at) + (size_t)nput;
    return place_in(t, addr, size, fresh.number);
}

uint32_t pf_trace_position(struct pf_trace *t, uint32_t file, uint32_t line, uint32_t func,
                           uint32_t column)
{
    bool fresh;
    uint64_t where = (uint64_t)(func + 1) << 32 | file, spot = (uint64_t)column << 32 | line;
    uint32_t s = intern(t->tables, PF_TABLE_SITE, where, spot, (uint32_t)t->sites.len, &fresh);
    if (fresh)
        pf_vec_push(&t->sites, (struct pf_site_info){.file = file,
                                                     .line = line,
                                                     .func = func,
                                                     .column = column,
                                                     .object = PF_NONE,
                                                     .merged_lines = PF_NONE});
    return s;
}

uint32_t pf_trace_merged_site(struct pf_trace *t, uint32_t site, uint32_t merged_lines)
{
    bool fresh;
    uint64_t apart = 1ull << 63 | merged_lines; /* no position has bit 63 */
    uint32_t s = intern(t->tables, PF_TABLE_SITE, apart, site, (uint32_t)t->sites.len, &fresh);
    struct pf_site_info now = t->sites.at[site];
    now.merged_lines = merged_lines;
    if (fresh)
        pf_vec_push(&t->sites, now);
    return s;
}

uint32_t pf_trace_site(struct pf_trace *t, uint32_t file, uint32_t line)
{
    return pf_trace_position(t, file, line, PF_NONE, 0);
}

uint32_t pf_trace_reach(struct pf_trace *t)
{
    t->tables->extending = false;
    pf_vec_push(&t->reaches, (struct pf_reach){(uint32_t)t->tables->raw.len, 0});
    return (uint32_t)t->reaches.len - 1;
}

void pf_trace_reach_add(struct pf_trace *t, uint32_t name, uint32_t place)
{
    pf_vec_push(&t->tables->raw, (struct pf_reach_raw_item){name, place});
    if (t->tables->extending)
        t->tables->growths.at[t->tables->growths.len - 1].nitems++;
    else
        t->reaches.at[t->reaches.len - 1].nitems++;
}

void pf_trace_reach_extend(struct pf_trace *t, uint32_t earlier)
{
    if (t->reaches.at[earlier].nitems == PF_REACH_SAME_AS)
        earlier = t->reaches.at[earlier].item0;
    t->tables->extending = true;
    pf_vec_push(&t->tables->growths,
                (struct pf_reach_growth){earlier, (uint32_t)t->tables->raw.len, 0});
}

void pf_trace_reach_range(struct pf_trace *t, uint64_t addr, uint64_t size)
{
    pf_trace_reach_add(t, PF_NONE, place_in(t, addr, size, PF_BLOCK_RANGE));
}

uint32_t pf_trace_reach_same(struct pf_trace *t, uint32_t earlier)
{
    pf_vec_push(&t->reaches, (struct pf_reach){earlier, PF_REACH_SAME_AS});
    return (uint32_t)t->reaches.len - 1;
}

uint32_t pf_trace_reach_refresh(struct pf_trace *t, uint32_t earlier)
{
    struct pf_trace_tables *x = t->tables;
    if (t->reaches.at[earlier].nitems == PF_REACH_SAME_AS)
        earlier = t->reaches.at[earlier].item0;
    struct pf_reach d = t->reaches.at[earlier];
    uint32_t r = pf_trace_reach_same(t, earlier);
    bool fresh;
    intern(x, PF_TABLE_REFRESHED, earlier, x->nblocks, 0, &fresh);
    if (!fresh) /* no new block since the last refresh */
        return r;
    pf_trace_reach_extend(t, earlier);
    for (uint32_t k = d.item0; k < d.item0 + d.nitems; k++) {
        uint32_t place = x->raw.at[k].place;
        if (place == PF_NONE)
            continue;
        uint32_t now = pf_trace_place(t, t->places.at[place].addr, t->places.at[place].size);
        if (now != place)
            intern(x, PF_TABLE_REACHED, earlier, now, 0, &fresh);
        if (now != place && fresh)
            pf_trace_reach_add(t, PF_NONE, now);
    }
    return r;
}

void pf_trace_locate_object(struct pf_trace *t, enum pf_role role, uint32_t number, uint64_t addr)
{
    pf_vec_push(&t->tables->objects, (struct pf_located_object){addr, role, number});
}

uint64_t pf_trace_object_address(const struct pf_trace *t, enum pf_role role, uint32_t number)
{
    for (size_t i = 0; i < t->tables->objects.len; i++)
        if (t->tables->objects.at[i].role == role && t->tables->objects.at[i].number == number)
            return t->tables->objects.at[i].addr;
    return 0;
}

struct pf_event *pf_trace_add(struct pf_trace *t, enum pf_event_kind kind, uint32_t thread)
{
    assert(!t->sealed && thread <= UINT16_MAX && t->events.len < PF_NONE - 1);
    pf_vec_push(&t->events, (struct pf_event){.kind = kind,
                                              .thread = (uint16_t)thread,
                                              .site = PF_NONE,
                                              .what = PF_NONE,
                                              .link = PF_NONE});
    return &t->events.at[t->events.len - 1];
}

/* The number of `name` in `role`; PF_NONE if it has none. */
uint32_t pf_trace_role_find(const struct pf_trace *t, enum pf_role role, uint32_t name)
{
    const pf_vec_u32 *list = pf_trace_role((struct pf_trace *)t, role);
    for (size_t i = 0; i < list->len; i++)
        if (list->at[i] == name)
            return (uint32_t)i;
    return PF_NONE;
}

void pf_trace_set_inner(struct pf_trace *t, uint32_t i)
{
    while (t->inner.len <= i)
        pf_vec_push(&t->inner, 0);
    t->inner.at[i] = 1;
}
