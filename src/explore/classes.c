/*
 * classes.c - see classes.h. Lists of numbers are intersected; the alternative, a bit for each
 * pair of history and class, needs much more memory because most histories are rare.
 */
#include "classes.h"

void pf_classes_release(struct pf_classes *c)
{
    for (size_t i = 0; i < c->lists.len; i++)
        pf_vec_release(&c->lists.at[i]);
    pf_vec_release(&c->lists);
    pf_hash_map_release(&c->keys);
    pf_hash_map_release(&c->histories);
    pf_hash_map_release(&c->ends);
    c->n = 0;
}

static uint64_t end_key(uint64_t history, uint32_t number)
{
    return history * 0x9e3779b97f4a7c15ull + number;
}

bool pf_classes_add(struct pf_classes *c, const struct pf_execution *x)
{
    uint32_t number = (uint32_t)c->n;
    if (pf_hash_map_put(&c->keys, x->key, number) != number)
        return false;
    c->n++;
    for (uint32_t t = 0; t < x->threads.len; t++)
        if (x->threads.at[t].length) {
            uint32_t last = pf_rf_node_at(&x->g, t, x->threads.at[t].length - 1);
            pf_hash_map_add(&c->ends, end_key(x->nodes.at[last].history, number), 0);
        }
    for (uint32_t t = 0; t < x->threads.len; t++)
        for (uint32_t pos = 0; pos < x->threads.at[t].length; pos++) {
            uint64_t h = x->nodes.at[pf_rf_node_at(&x->g, t, pos)].history;
            uint32_t list = pf_hash_map_put(&c->histories, h, (uint32_t)c->lists.len);
            if (list == c->lists.len)
                pf_vec_push(&c->lists, (pf_vec_u32){0});
            pf_vec_push((&c->lists.at[list]), number);
        }
    return true;
}

static bool has(const pf_vec_u32 *list, uint32_t number)
{
    size_t lo = 0, hi = list->len;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (list->at[mid] < number)
            lo = mid + 1;
        else
            hi = mid;
    }
    return lo < list->len && list->at[lo] == number;
}

/* after: 0, or a history that must not be the last one of its thread. */
static bool contain(const struct pf_classes *c, const uint64_t *frontier, size_t n, uint64_t after)
{
    const pf_vec_u32 *rarest = NULL;
    for (size_t i = 0; i < n; i++) {
        uint32_t list = pf_hash_map_find(&c->histories, frontier[i]);
        if (list == PF_HASH_NONE)
            return false;
        if (!rarest || c->lists.at[list].len < rarest->len)
            rarest = &c->lists.at[list];
    }
    for (size_t k = 0; rarest && k < rarest->len; k++) {
        bool all =
            !after || pf_hash_map_find(&c->ends, end_key(after, rarest->at[k])) == PF_HASH_NONE;
        for (size_t i = 0; i < n && all; i++) {
            uint32_t list = pf_hash_map_find(&c->histories, frontier[i]);
            all = has(&c->lists.at[list], rarest->at[k]);
        }
        if (all)
            return true;
    }
    return false;
}

bool pf_classes_contain(const struct pf_classes *c, const uint64_t *frontier, size_t n)
{
    return contain(c, frontier, n, 0);
}

bool pf_classes_continue(const struct pf_classes *c, const uint64_t *frontier, size_t n, uint64_t h)
{
    return h && contain(c, frontier, n, h);
}

bool pf_classes_end_with(const struct pf_classes *c, const uint64_t *frontier, size_t n)
{
    uint32_t list = n ? pf_hash_map_find(&c->histories, frontier[0]) : PF_HASH_NONE;
    for (size_t i = 0; list != PF_HASH_NONE && i < c->lists.at[list].len; i++) {
        size_t k = 0;
        while (k < n && pf_hash_map_find(&c->ends, end_key(frontier[k], c->lists.at[list].at[i])) !=
                            PF_HASH_NONE)
            k++;
        if (k == n)
            return true;
    }
    return false;
}
