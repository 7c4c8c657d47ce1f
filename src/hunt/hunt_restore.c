/* hunt_restore.c - see hunt_restore.h. */
#define _GNU_SOURCE
#include "hunt_restore.h"
#include "file.h"
#include "hunt_order.h"
#include "hunt_state.h"
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LOT 16 /* how many runs are repeated at a time */
#define NO_QUESTION 1000 /* the cost of a run without questions */

static char *file_of(const struct pf_hunt *h)
{
    return pf_mem_format("%s/%s", h->settings.state, h->is_part ? "part" : "open");
}

/* --- the entry of a run --- */

static uint64_t name_of_plan(const char *plan)
{
    const char *name = plan ? strrchr(plan, '/') : NULL;
    return name ? strtoull(name + 1, NULL, 16) : 0;
}

/* The entry of a run, without its questions. */
static struct pf_hunt_open entry_of(const struct pf_hunt *h, uint32_t run)
{
    const struct pf_hunt_run *r = &h->runs.at[run];
    struct pf_hunt_open o = {.input = pf_input_bytes_hash(&r->input),
                             .schedule = r->schedule,
                             .plan = name_of_plan(r->plan),
                             .policy = r->policy,
                             .longer = r->longer,
                             .first_new = PF_HUNT_NOTHING_NEW,
                             .grown = r->grown,
                             .schedules = r->schedules,
                             .changed = r->changed,
                             .copies = r->copies,
                             .source = r->part.source,
                             .at = (uint32_t)r->part.at,
                             .cost = NO_QUESTION};
    o.flags = (r->reached_new ? PF_HUNT_OPEN_REACHED_NEW : 0) |
              (r->took_new ? PF_HUNT_OPEN_TOOK_NEW : 0) | (r->explored ? PF_HUNT_OPEN_EXPLORED : 0);
    if (!(r->longer ? r->grown < r->longer : r->reached_new && r->grown < r->input.sources.len))
        o.grown = PF_HUNT_NOT_OPEN;
    if (!r->reached_new && !r->took_new)
        o.schedules = o.changed = PF_HUNT_NOT_OPEN;
    for (size_t i = 0; i < h->races.len; i++)
        if (h->races.at[i].run == run)
            o.flags |= PF_HUNT_OPEN_SHOWS | (h->races.at[i].rounds ? 0 : PF_HUNT_OPEN_RACE);
    return o;
}

pf_status pf_hunt_note_open(struct pf_hunt *h, uint32_t run, struct pf_error *e)
{
    if (h->runs.at[run].restored) /* the file has it, or nothing is left to try */
        return PF_OK;
    struct pf_hunt_open o = entry_of(h, run);
    pf_hunt_open_print(h->open, &o);
    return fflush(h->open) ? pf_fail(e, PF_IO, "%s/open: %s", h->settings.state, strerror(errno))
                           : PF_OK;
}

/* --- begin --- */

/* Marks the questions of other parts as asked: other processes ask them. */
static pf_status skip_others(struct pf_hunt *h, struct pf_error *e)
{
    struct pf_hash_map own = {0}; /* keys; all values are 0 */
    pf_hunt_open_list all = {0};
    char *path = pf_mem_format("%s/open", h->settings.state);
    pf_status s = pf_hunt_open_read(&all, path, e);
    for (size_t i = 0; i < h->parked.len; i++)
        for (size_t k = 0; k < h->parked.at[i].keys.len; k++)
            (void)pf_hash_map_put(&own, h->parked.at[i].keys.at[k], 0);
    for (size_t i = 0; i < all.len; i++)
        for (size_t k = 0; k < all.at[i].keys.len; k++)
            if (pf_hash_map_find(&own, all.at[i].keys.at[k]) == PF_HASH_NONE)
                pf_hunt_paths_skip(h->paths, all.at[i].keys.at[k]);
    pf_hunt_open_list_release(&all);
    pf_hash_map_release(&own);
    free(path);
    return s;
}

static const struct pf_input_bytes *find_kept(const struct pf_hunt *h, uint64_t input)
{
    uint32_t at = pf_hash_map_find(&h->kept_at, input);
    return at == PF_HASH_NONE ? NULL : &h->kept.at[at];
}

/* Drops runs whose input the corpus does not have: those of another seed command. */
static void drop_foreign(struct pf_hunt *h)
{
    size_t n = 0;
    for (size_t i = 0; i < h->parked.len; i++)
        if (find_kept(h, h->parked.at[i].input))
            h->parked.at[n++] = h->parked.at[i];
        else
            pf_vec_release(&h->parked.at[i].keys);
    h->parked.len = n;
}

/* Unless the hunt is one of several parts, the runs that show races come first: their races belong
 * in the report. */
static void show_races_first(struct pf_hunt *h)
{
    for (size_t i = 0; !h->is_part && i < h->parked.len; i++)
        if (h->parked.at[i].flags & PF_HUNT_OPEN_SHOWS)
            h->parked.at[i].cost = 0;
}

pf_status pf_hunt_open_begin(struct pf_hunt *h, bool same, struct pf_error *e)
{
    char *part = pf_mem_format("%s/part", h->settings.state);
    h->is_part = access(part, F_OK) == 0;
    free(part);
    char *path = file_of(h);
    if (!same)
        unlink(path);
    pf_status s = pf_hunt_open_read(&h->parked, path, e);
    pf_hunt_open_join(&h->parked);
    if (s == PF_OK && h->is_part)
        s = skip_others(h, e);
    for (size_t i = 0; i < h->kept.len; i++)
        (void)pf_hash_map_put(&h->kept_at, pf_input_bytes_hash(&h->kept.at[i]), (uint32_t)i);
    drop_foreign(h);
    show_races_first(h);
    pf_hunt_open_sort(&h->parked);
    if (s == PF_OK && !(h->open = fopen(path, "ae")))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    free(path);
    return s;
}

/* --- restoring --- */

bool pf_hunt_has_parked(const struct pf_hunt *h) { return h->restored < h->parked.len; }

bool pf_hunt_is_parked(const struct pf_hunt *h, uint64_t input)
{
    for (size_t i = h->restored; i < h->parked.len; i++)
        if (h->parked.at[i].input == input)
            return true;
    return false;
}

bool pf_hunt_restore_input(struct pf_hunt *h, uint64_t input)
{
    for (size_t i = h->restored; i < h->parked.len; i++)
        if (h->parked.at[i].input == input && !h->parked.at[i].schedule) {
            struct pf_hunt_open o = h->parked.at[i];
            memmove(h->parked.at + h->restored + 1, h->parked.at + h->restored,
                    (i - h->restored) * sizeof o);
            h->parked.at[h->restored] = o;
            return true;
        }
    return false;
}

/* Makes the run of an entry again, and its symbolic run if it had one. */
static pf_status restore_run(struct pf_hunt *h, const struct pf_hunt_open *o, struct pf_error *e)
{
    bool ran;
    struct pf_hunt_run r = {.input = *find_kept(h, o->input),
                            .policy = o->policy,
                            .schedule = o->schedule,
                            .repeat = true,
                            .race = UINT32_MAX,
                            .reached_new = o->flags & PF_HUNT_OPEN_REACHED_NEW,
                            .took_new = o->flags & PF_HUNT_OPEN_TOOK_NEW,
                            .longer = o->longer,
                            .grown = o->grown,
                            .schedules = o->schedules,
                            .changed = o->changed,
                            .part = {o->source, o->at},
                            .copies = o->copies,
                            .restored = true};
    if (o->plan)
        r.plan = pf_mem_format("%s/plans/%016" PRIx64, h->settings.state, o->plan);
    uint32_t run = (uint32_t)h->runs.len;
    pf_status s = pf_hunt_execute(h, &r, &ran, e);
    pf_hunt_paths_restore(h->paths, o);
    if (s == PF_OK && o->flags & PF_HUNT_OPEN_EXPLORED && !pf_hunt_cut(h))
        s = pf_hunt_make_symbolic(h, run, e);
    pf_hunt_paths_restore(h->paths, NULL);
    if (s == PF_OK && run < h->runs.len && !pf_hunt_cut(h))
        s = pf_hunt_run_copies(h, run, e);
    free(r.plan);
    return s;
}

pf_status pf_hunt_restore(struct pf_hunt *h, size_t most, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t n = 0; s == PF_OK && n < most && pf_hunt_has_parked(h); n++) {
        const struct pf_hunt_open *o = &h->parked.at[h->restored];
        bool shows = !h->is_part && o->flags & PF_HUNT_OPEN_SHOWS;
        if (pf_hunt_stopped(h) || (n >= LOT && !shows))
            break;
        s = restore_run(h, o, e);
        if (pf_hunt_cut(h)) /* it stays in the list */
            break;
        h->restored++;
    }
    return s;
}

/* --- end --- */

pf_status pf_hunt_open_end(struct pf_hunt *h, struct pf_error *e)
{
    pf_hunt_open_list all = {0};
    for (uint32_t i = 0; i < h->runs.len; i++)
        pf_vec_push(&all, entry_of(h, i));
    if (all.len)
        pf_hunt_paths_open(h->paths, h->unfinished, all.at);
    for (size_t i = h->restored; i < h->parked.len; i++) {
        pf_vec_push(&all, h->parked.at[i]);
        memset(&h->parked.at[i].keys, 0, sizeof h->parked.at[i].keys);
    }
    pf_hunt_open_join(&all);
    char *path = file_of(h), *text = pf_hunt_open_text(&all);
    pf_status s = pf_file_write(path, text, strlen(text), e);
    if (s == PF_OK)
        s = pf_hunt_journal_flush(h, e);
    pf_hunt_corpus_minimise(h, &all);
    pf_hunt_open_list_release(&all);
    free(path);
    free(text);
    return s;
}
