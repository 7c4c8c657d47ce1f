/*
 * locksets.c - see locksets.h. Interning makes equal sets equal numbers, so the results of
 * comparing two sets can be cached under the pair of numbers.
 */
#include "locksets.h"
#include "hash_mix.h"
#include <string.h>

#define CACHE 4096

void pf_locksets_init(struct pf_locksets *x, const struct pf_trace *t)
{
    memset(x, 0, sizeof *x);
    x->held = pf_mem_zero(t->threads.len, sizeof *x->held);
    x->cache = pf_mem_resize(NULL, CACHE, sizeof *x->cache);
    memset(x->cache, 0xff, CACHE * sizeof *x->cache);
    pf_locksets_intern(x, NULL, 0);
}

void pf_locksets_release(struct pf_locksets *x)
{
    pf_vec_release(&x->sets);
    pf_vec_release(&x->words);
    pf_hash_map_release(&x->by_hash);
    free(x->cache);
    free(x->held);
    memset(x, 0, sizeof *x);
}

uint32_t pf_locksets_intern(struct pf_locksets *x, const uint32_t *words, uint32_t n)
{
    uint64_t h = n + 1;
    for (uint32_t i = 0; i < n; i++)
        h = pf_hash_mix(h, words[i]);
    struct pf_hash_walk w = pf_hash_map_walk(&x->by_hash, h);
    while (pf_hash_map_next(&x->by_hash, &w)) {
        const struct pf_lockset_words *r = &x->sets.at[w.value];
        if (r->len == n && (!n || !memcmp(x->words.at + r->first, words, n * sizeof *words)))
            return w.value;
    }
    pf_hash_map_add(&x->by_hash, h, (uint32_t)x->sets.len);
    pf_vec_push(&x->sets, (struct pf_lockset_words){(uint32_t)x->words.len, n});
    for (uint32_t i = 0; i < n; i++)
        pf_vec_push(&x->words, words[i]);
    return (uint32_t)x->sets.len - 1;
}

void pf_locksets_step(struct pf_locksets *x, const struct pf_event *e)
{
    bool take = pf_event_acquires(e);
    if (!take && !pf_event_releases(e))
        return;
    uint32_t word = pf_event_lock(e) * 2 + pf_event_shared(e);
    struct pf_lockset_words r = x->sets.at[x->held[e->thread]];
    uint32_t next[r.len + 1], n = 0, i = 0;
    const uint32_t *w = r.len ? x->words.at + r.first : NULL;
    for (; i < r.len && w[i] < word; i++)
        next[n++] = w[i];
    if (take)
        next[n++] = word;
    if (i < r.len && w[i] == word)
        i++;
    for (; i < r.len; i++)
        next[n++] = w[i];
    x->held[e->thread] = pf_locksets_intern(x, next, n);
}

static bool cached(struct pf_locksets *x, uint64_t key, size_t *slot)
{
    uint64_t h = key * 0x9e3779b97f4a7c15ull;
    *slot = (h >> 40) % CACHE;
    return x->cache[*slot].key == key;
}

bool pf_locksets_exclude(struct pf_locksets *x, uint32_t a, uint32_t b)
{
    if (!a || !b)
        return false;
    if (a > b) {
        uint32_t s = a;
        a = b, b = s;
    }
    size_t slot;
    uint64_t key = (uint64_t)a << 32 | b;
    if (cached(x, key, &slot))
        return x->cache[slot].value;
    struct pf_lockset_words p = x->sets.at[a], q = x->sets.at[b];
    const uint32_t *v = x->words.at + p.first, *w = x->words.at + q.first;
    bool exclude = false;
    for (uint32_t i = 0, k = 0; i < p.len && k < q.len && !exclude;) {
        if (v[i] / 2 == w[k] / 2)
            exclude = !(v[i] & 1) || !(w[k] & 1), i++, k++;
        else if (v[i] < w[k])
            i++;
        else
            k++;
    }
    x->cache[slot].key = key;
    x->cache[slot].value = exclude;
    return exclude;
}

uint32_t pf_locksets_intersect(struct pf_locksets *x, uint32_t a, uint32_t b, bool exclusive)
{
    if (!a || !b || (a == b && !exclusive))
        return a && b ? a : 0;
    size_t slot;
    uint64_t key = 1ull << 63 | (uint64_t)exclusive << 62 | (uint64_t)a << 31 | b;
    if (cached(x, key, &slot))
        return x->cache[slot].value;
    struct pf_lockset_words p = x->sets.at[a], q = x->sets.at[b];
    uint32_t out[p.len + 1], n = 0;
    for (uint32_t i = 0; i < p.len; i++)
        for (uint32_t k = 0; k < q.len; k++) {
            uint32_t v = x->words.at[p.first + i], w = x->words.at[q.first + k];
            if (v / 2 == w / 2 && !(exclusive && (w & 1)))
                out[n++] = v;
        }
    uint32_t r = pf_locksets_intern(x, out, n);
    x->cache[slot].key = key;
    x->cache[slot].value = r;
    return r;
}
