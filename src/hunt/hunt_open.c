/* hunt_open.c - see hunt_open.h. */
#define _GNU_SOURCE
#include "hunt_open.h"
#include "file.h"
#include "hash_map.h"
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void pf_hunt_open_list_release(pf_hunt_open_list *l)
{
    for (size_t i = 0; i < l->len; i++)
        pf_vec_release(&l->at[i].keys);
    pf_vec_release(l);
}

static bool needs_symbolic_run(const struct pf_hunt_open *o)
{
    return !(o->flags & PF_HUNT_OPEN_EXPLORED) &&
           ((!o->longer && !o->policy) || o->flags & PF_HUNT_OPEN_REACHED_NEW);
}

bool pf_hunt_is_open(const struct pf_hunt_open *o)
{
    bool new = o->flags &(PF_HUNT_OPEN_REACHED_NEW | PF_HUNT_OPEN_TOOK_NEW);
    bool grows = o->longer || o->flags & PF_HUNT_OPEN_REACHED_NEW;
    return o->keys.len || o->copies || needs_symbolic_run(o) || o->flags & PF_HUNT_OPEN_RACE ||
           (new && o->changed < PF_HUNT_CHANGES_MAX) ||
           (new && !o->policy && o->schedules < PF_HUNT_SCHEDULES_MAX) ||
           (grows && o->grown != PF_HUNT_NOT_OPEN);
}

/* --- text --- */

void pf_hunt_open_print(FILE *out, const struct pf_hunt_open *o)
{
    fprintf(out, "run %016" PRIx64 " %016" PRIx64 " %016" PRIx64, o->input, o->schedule, o->plan);
    fprintf(out, " %u %u %u %u %u %u %u %u %u %u %u :", o->policy, o->longer, o->flags,
            o->first_new, o->grown, o->schedules, o->changed, o->copies, o->source, o->at, o->cost);
    for (size_t i = 0; i < o->keys.len; i++)
        fprintf(out, " %016" PRIx64, o->keys.at[i]);
    fputs(" .\n", out);
}

/* Reads a line that ends with its dot; false: it is not one. */
static bool parse_line(const char *line, const char *end, struct pf_hunt_open *o)
{
    int n = 0;
    *o = (struct pf_hunt_open){0};
    if (end - line < 2 || end[-1] != '.' ||
        sscanf(line,
               "run %" SCNx64 " %" SCNx64 " %" SCNx64 " %" SCNu32 " %" SCNu32 " %" SCNu32
               " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32 " %" SCNu32
               " %" SCNu32 " :%n",
               &o->input, &o->schedule, &o->plan, &o->policy, &o->longer, &o->flags, &o->first_new,
               &o->grown, &o->schedules, &o->changed, &o->copies, &o->source, &o->at, &o->cost,
               &n) != 14 ||
        !n)
        return false;
    char *next;
    for (const char *at = line + n; at < end; at = next) {
        uint64_t key = strtoull(at, &next, 16);
        if (next == at)
            break;
        pf_vec_push(&o->keys, key);
    }
    return true;
}

void pf_hunt_open_parse(pf_hunt_open_list *l, const char *text)
{
    for (const char *end; (end = strchr(text, '\n')); text = end + 1) {
        struct pf_hunt_open o;
        if (parse_line(text, end, &o))
            pf_vec_push(l, o);
    }
}

pf_status pf_hunt_open_read(pf_hunt_open_list *l, const char *path, struct pf_error *e)
{
    char *text;
    size_t n;
    if (access(path, F_OK))
        return PF_OK;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s == PF_OK) {
        pf_hunt_open_parse(l, text);
        free(text);
    }
    return s;
}

char *pf_hunt_open_text(const pf_hunt_open_list *l)
{
    char *text = NULL;
    size_t n = 0;
    FILE *out = pf_mem_checked(open_memstream(&text, &n));
    for (size_t i = 0; i < l->len; i++)
        pf_hunt_open_print(out, &l->at[i]);
    fclose(out);
    return text;
}

/* --- order --- */

struct ranked {
    struct pf_hunt_open open;
    size_t at;
};

static int by_cost(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    if (x->open.cost != y->open.cost)
        return x->open.cost < y->open.cost ? -1 : 1;
    return (x->at < y->at) - (x->at > y->at);
}

void pf_hunt_open_sort(pf_hunt_open_list *l)
{
    struct ranked *all = pf_mem_zero(l->len + 1, sizeof *all);
    for (size_t i = 0; i < l->len; i++)
        all[i] = (struct ranked){l->at[i], i};
    if (l->len)
        qsort(all, l->len, sizeof *all, by_cost);
    for (size_t i = 0; i < l->len; i++)
        l->at[i] = all[i].open;
    free(all);
}

/* --- joining and splitting --- */

static uint32_t least(uint32_t a, uint32_t b) { return a < b ? a : b; }

static bool add_key(struct pf_hash_map *m, uint64_t key)
{
    if (pf_hash_map_find(m, key) != PF_HASH_NONE)
        return false;
    pf_hash_map_add(m, key, 0);
    return true;
}

/* Moves what is left of the entry `from` to the entry `to` of the same run. */
static void join_entry(struct pf_hunt_open *to, struct pf_hunt_open *from)
{
    to->grown = least(to->grown, from->grown);
    to->schedules = least(to->schedules, from->schedules);
    to->changed = least(to->changed, from->changed);
    to->cost = least(to->cost, from->cost);
    if (!to->copies) {
        to->copies = from->copies;
        to->source = from->source;
        to->at = from->at;
    }
    /* its symbolic run is made again if one of the entries has none */
    to->flags =
        (to->flags | from->flags) & ((to->flags & from->flags) | ~(uint32_t)PF_HUNT_OPEN_EXPLORED);
    for (size_t i = 0; i < from->keys.len; i++)
        pf_vec_push(&to->keys, from->keys.at[i]);
    pf_vec_release(&from->keys);
}

void pf_hunt_open_join(pf_hunt_open_list *l)
{
    struct pf_hash_map runs = {0}, keys = {0};
    size_t n = 0;
    for (size_t i = 0; i < l->len; i++) {
        struct pf_hunt_open o = l->at[i];
        size_t left = 0;
        for (size_t k = 0; k < o.keys.len; k++)
            if (add_key(&keys, o.keys.at[k]))
                o.keys.at[left++] = o.keys.at[k];
        o.keys.len = left;
        uint64_t hash = (o.input ^ o.schedule * 0x9e3779b97f4a7c15ull) + o.schedule;
        struct pf_hash_walk w = pf_hash_map_walk(&runs, hash);
        struct pf_hunt_open *same = NULL;
        while (!same && pf_hash_map_next(&runs, &w))
            if (l->at[w.value].input == o.input && l->at[w.value].schedule == o.schedule)
                same = &l->at[w.value];
        if (same) {
            join_entry(same, &o);
            continue;
        }
        pf_hash_map_add(&runs, hash, (uint32_t)n);
        l->at[n++] = o;
    }
    l->len = n;
    pf_hash_map_release(&runs);
    pf_hash_map_release(&keys);
    n = 0;
    for (size_t i = 0; i < l->len; i++)
        if (pf_hunt_is_open(&l->at[i]))
            l->at[n++] = l->at[i];
        else
            pf_vec_release(&l->at[i].keys);
    l->len = n;
}

static size_t weight(const struct pf_hunt_open *o) { return o->keys.len ? o->keys.len : 1; }

/* Adds piece `piece` of `pieces` of a run: every pieces-th question. */
static void add_piece(pf_hunt_open_list *out, const struct pf_hunt_open *o, size_t piece,
                      size_t pieces)
{
    struct pf_hunt_open some = *o;
    memset(&some.keys, 0, sizeof some.keys);
    for (size_t k = piece; k < o->keys.len; k += pieces)
        pf_vec_push(&some.keys, o->keys.at[k]);
    if (piece) {
        some.grown = some.schedules = some.changed = PF_HUNT_NOT_OPEN;
        some.copies = 0;
        some.flags &= ~(uint32_t)PF_HUNT_OPEN_RACE;
    }
    pf_vec_push(out, some);
}

void pf_hunt_open_part(const pf_hunt_open_list *l, size_t part, size_t parts,
                       pf_hunt_open_list *out)
{
    size_t sum = 0, turn = 0;
    for (size_t i = 0; i < l->len; i++)
        sum += weight(&l->at[i]);
    for (size_t i = 0; i < l->len; i++) {
        size_t n = weight(&l->at[i]), pieces = (n * parts + sum - 1) / sum;
        for (size_t k = 0; k < pieces && k < n; k++, turn++)
            if (turn % parts == part)
                add_piece(out, &l->at[i], k, pieces < n ? pieces : n);
    }
}
