/* hunt.c - the phases of a hunt; see hunt.h. */
#define _GNU_SOURCE
#include "hunt.h"
#include "duration.h"
#include "file.h"
#include "hunt_restore.h"
#include "hunt_state.h"
#include "program.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NO_RACE UINT32_MAX
#define NO_RUN UINT32_MAX
/* Every eighth step of phase 3 tries a change without the solver, except every 32nd: that tries a
 * longer input. The step after each of these tries another schedule. */
#define CHANGE_EVERY 8
#define POLICIES 4 /* changed inputs run under rr and POLICIES - 1 other policies in turn */
#define OTHER_EVERY 4 /* every fourth run of a flip is repeated under one of the other policies */
#define CHANGES 64 /* changes of one input, before the input of an older run has its turn */
/* A candidate that cannot happen must not use up the time of the others. So the phases take turns:
 * phase 1 tries this many inputs for all candidates together, phase 2 this many for each race, and
 * phase 3 four times as many. In each further turn it is twice as many, up to PF_HUNT_ROUNDS. */
#define FIRST_SHARE 8
#define GROW_EVERY 32 /* every 32nd input of phase 3 is a longer one */
#define GROWTH_MAX 4096 /* sources are doubled up to this many bytes */

bool pf_hunt_cut(const struct pf_hunt *h)
{
    const struct pf_hunt_settings *s = &h->settings;
    return (s->time_ms && pf_now_ms() - h->began_ms >= s->time_ms) ||
           (s->should_stop && s->should_stop());
}

static bool is_cut(void *arg) { return pf_hunt_cut(arg); }

bool pf_hunt_stopped(const struct pf_hunt *h)
{
    const struct pf_hunt_settings *s = &h->settings;
    return (s->runs && h->runs.len - h->repeated >= s->runs) || pf_hunt_cut(h);
}

/* --- which runs a search may change --- */

struct wanted_runs {
    const struct pf_hunt *h;
    const struct pf_hunt_candidate *candidate; /* runs in which it is a candidate */
    uint32_t race; /* or the runs made to try both orders of this race */
};

static bool is_wanted(void *arg, uint32_t run)
{
    const struct wanted_runs *w = arg;
    if (!w->candidate)
        return w->h->runs.at[run].race == w->race;
    for (size_t i = 0; i < w->candidate->runs.len; i++)
        if (w->candidate->runs.at[i] == run)
            return true;
    return false;
}

/* Makes the symbolic runs that the search needs. */
static pf_status make_wanted_symbolic(struct pf_hunt *h, struct wanted_runs *w, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (uint32_t i = 0; s == PF_OK && i < h->runs.len && !pf_hunt_stopped(h); i++)
        if ((!w || is_wanted(w, i)) &&
            ((!h->runs.at[i].longer && !h->runs.at[i].policy) || h->runs.at[i].reached_new))
            s = pf_hunt_make_symbolic(h, i, e);
    return s;
}

pf_status pf_hunt_run_copies(struct pf_hunt *h, uint32_t run, struct pf_error *e)
{
    pf_status s = PF_OK;
    struct pf_hunt_run next = {.race = NO_RACE};
    struct pf_input_bytes from; /* the vector may move */
    struct pf_hunt_part part = h->runs.at[run].part;
    pf_input_bytes_copy(&from, &h->runs.at[run].input);
    while (s == PF_OK && h->runs.at[run].copies && !pf_hunt_stopped(h)) {
        bool more = true;
        if (!pf_hunt_spread(h, &from, &part, h->runs.at[run].copies - 1, &next.input)) {
            h->runs.at[run].copies = 0;
            break;
        }
        for (next.policy = 0; s == PF_OK && more && next.policy <= 1; next.policy++) {
            next.schedule = next.policy;
            s = pf_hunt_execute(h, &next, &more, e);
        }
        if (!pf_hunt_cut(h))
            h->runs.at[run].copies++;
        pf_input_bytes_release(&next.input);
    }
    pf_input_bytes_release(&from);
    return s;
}

/* Runs the input, which was made from that of another run. If it reaches a site that no run has
 * reached, also runs inputs with copies of the changed part (pf_hunt_spread), so that a second
 * thread does the same: that may be a race. */
static pf_status run_changed(struct pf_hunt *h, const struct pf_hunt_run *what,
                             const struct pf_input_bytes *from, bool *ran, struct pf_error *e)
{
    struct pf_hunt_part part;
    bool differs = pf_hunt_difference(from, &what->input, &part);
    pf_status s = pf_hunt_execute(h, what, ran, e);
    uint32_t run = (uint32_t)h->runs.len - 1;
    if (s != PF_OK || !*ran || !differs)
        return s;
    h->runs.at[run].part = part;
    if (!h->runs.at[run].reached_new || h->settings.no_changes)
        return s;
    h->runs.at[run].copies = 1;
    return pf_hunt_run_copies(h, run, e);
}

/* Tries the next input that makes one of the runs take another path. *more: there was one. */
static pf_status try_flip(struct pf_hunt *h, struct wanted_runs *w, bool *more, struct pf_error *e)
{
    struct pf_hunt_answer answer;
    *more = false;
    if (h->settings.no_solver)
        return PF_OK;
    pf_status s = make_wanted_symbolic(h, w, e);
    if (s != PF_OK || pf_hunt_stopped(h))
        return s;
    *more = pf_hunt_paths_next(h->paths, w ? is_wanted : NULL, w, &answer);
    if (!*more)
        return PF_OK;
    const struct pf_hunt_run *from = &h->runs.at[answer.run];
    struct pf_hunt_run next = {.input = answer.input,
                               .plan = pf_mem_copy(from->plan),
                               .policy = from->policy,
                               .schedule = from->schedule,
                               .predicted = answer.predicted,
                               .flip = answer.key,
                               .race = from->race};
    bool ran;
    uint64_t left = h->left_plan;
    struct pf_input_bytes old;
    pf_input_bytes_copy(&old, &from->input); /* the vector may move */
    s = run_changed(h, &next, &old, &ran, e);
    pf_input_bytes_release(&old);
    if (s == PF_OK && h->left_plan > left) { /* the new input does not fit the schedule */
        struct pf_hunt_run free_run = next;
        free_run.plan = NULL;
        free_run.schedule = free_run.predicted = 0;
        free_run.policy = 0;
        s = pf_hunt_execute(h, &free_run, &ran, e);
    }
    bool other = !next.plan && !next.policy && !h->settings.no_changes;
    if (s == PF_OK && ran && other && h->runs.len % OTHER_EVERY == 0) {
        struct pf_hunt_run other = {.input = answer.input, .race = NO_RACE};
        other.schedule = other.policy = 1 + h->runs.len / OTHER_EVERY % (POLICIES - 1);
        s = pf_hunt_execute(h, &other, &ran, e);
    }
    free(next.plan);
    pf_input_bytes_release(&answer.input);
    return s;
}

/* --- the phases --- */

/* Ends the search for a candidate without a race, and stores the reason. */
static void abandon(struct pf_hunt *h, uint32_t at)
{
    struct pf_hunt_candidate *c = &h->candidates.at[at];
    char why[200];
    c->state = PF_HUNT_ABANDONED;
    if (*c->reason) /* a schedule was tried */
        return;
    for (size_t i = 0; i < c->runs.len; i++)
        if (pf_hunt_paths_obstacle(h->paths, c->runs.at[i], why, sizeof why)) {
            snprintf(c->reason, sizeof c->reason, "no better schedule; %s", why);
            return;
        }
    snprintf(c->reason, sizeof c->reason, "no better schedule");
}

/* Tries the next input for a candidate. */
static pf_status search_candidate(struct pf_hunt *h, uint32_t at, struct pf_error *e)
{
    struct pf_hunt_candidate copy = h->candidates.at[at]; /* the vector may move */
    struct wanted_runs w = {.h = h, .candidate = &copy};
    bool more;
    h->candidates.at[at].rounds++;
    pf_status s = try_flip(h, &w, &more, e);
    bool done = !more || h->candidates.at[at].rounds >= PF_HUNT_ROUNDS;
    if (s == PF_OK && done && !pf_hunt_stopped(h) && h->candidates.at[at].state == PF_HUNT_OPEN)
        abandon(h, at);
    return s;
}

/* Phase 1: tries up to `share` inputs, each for the open candidate with the fewest so far. */
static pf_status search_candidates(struct pf_hunt *h, uint32_t share, struct pf_error *e)
{
    pf_status s = PF_OK;
    h->phase = 1;
    while (s == PF_OK && share-- && !pf_hunt_stopped(h)) {
        uint32_t best = NO_RUN;
        for (uint32_t i = 0; i < h->candidates.len; i++)
            if (h->candidates.at[i].state == PF_HUNT_OPEN &&
                (best == NO_RUN || h->candidates.at[i].rounds < h->candidates.at[best].rounds))
                best = i;
        if (best == NO_RUN)
            break;
        s = search_candidate(h, best, e);
    }
    return s;
}

/* Tries up to `share` inputs that change what follows a race. The first call for a race also runs
 * both of its orders with its input. */
static pf_status swap_race(struct pf_hunt *h, uint32_t at, uint32_t share, struct pf_error *e)
{
    pf_status s = PF_OK;
    bool more = true, ran, first = !h->races.at[at].rounds++;
    for (int order = 0; order < 2 && first && s == PF_OK && !pf_hunt_stopped(h); order++) {
        const struct pf_hunt_race *r = &h->races.at[at];
        struct pf_input_bytes input;
        pf_input_bytes_copy(&input, &h->runs.at[r->run].input);
        struct pf_hunt_run next = {.input = input,
                                   .plan = r->plan[order],
                                   .schedule = r->finding->id ^ (uint64_t)(order + 1),
                                   .repeat = true,
                                   .race = at};
        s = pf_hunt_execute(h, &next, &ran, e);
        pf_input_bytes_release(&input);
    }
    while (s == PF_OK && more && share-- && !pf_hunt_stopped(h)) {
        struct wanted_runs w = {.h = h, .race = at};
        h->races.at[at].rounds++;
        s = try_flip(h, &w, &more, e);
    }
    h->races.at[at].swapped = !more || h->races.at[at].rounds > PF_HUNT_ROUNDS;
    return s;
}

/* Phase 2: tries up to `share` inputs for each race. */
static pf_status search_races(struct pf_hunt *h, uint32_t share, struct pf_error *e)
{
    pf_status s = PF_OK;
    h->phase = 2;
    for (uint32_t i = 0; s == PF_OK && i < h->races.len && !pf_hunt_stopped(h); i++)
        if (!h->races.at[i].swapped)
            s = swap_race(h, i, share, e);
    return s;
}

static bool has_work(const struct pf_hunt *h)
{
    for (size_t i = 0; i < h->candidates.len; i++)
        if (h->candidates.at[i].state == PF_HUNT_OPEN)
            return true;
    for (size_t i = 0; i < h->races.len; i++)
        if (!h->races.at[i].swapped)
            return true;
    return false;
}

/* Runs the input of run `at` with one source twice as long, by repeating its bytes. */
static pf_status run_longer(struct pf_hunt *h, uint32_t at, uint32_t source, bool *ran,
                            struct pf_error *e)
{
    const struct pf_input_source *in = &h->runs.at[at].input.sources.at[source];
    struct pf_hunt_run next = {.race = NO_RACE, .longer = source + 1};
    size_t n = in->n ? in->n : 1;
    unsigned char *bytes = pf_mem_resize(NULL, n, 2);
    memset(bytes, 'a', 2 * n);
    for (size_t i = 0; i < 2 * in->n; i += in->n)
        memcpy(bytes + i, in->bytes, in->n);
    pf_input_bytes_copy(&next.input, &h->runs.at[at].input);
    pf_input_bytes_set(&next.input, in->name, bytes, 2 * n);
    pf_status s = pf_hunt_execute(h, &next, ran, e);
    free(bytes);
    pf_input_bytes_release(&next.input);
    return s;
}

/* Tries the next longer input. The conditions do not contain all lengths: for example, not that
 * of a buffer that was read. An input that was already made longer grows only in the same source.
 * *more: there was one. */
static pf_status try_growth(struct pf_hunt *h, bool *more, struct pf_error *e)
{
    pf_status s = PF_OK;
    *more = false;
    if (h->settings.no_changes)
        return PF_OK;
    for (uint32_t i = 0; i < h->runs.len && s == PF_OK && !*more; i++)
        while (h->runs.at[i].grown < h->runs.at[i].input.sources.len && s == PF_OK && !*more) {
            const struct pf_hunt_run *r = &h->runs.at[i];
            uint32_t source = h->runs.at[i].grown++;
            if ((r->longer ? r->longer == source + 1 : r->reached_new) &&
                r->input.sources.at[source].n <= GROWTH_MAX / 2 &&
                pf_hunt_may_change(h, r->input.sources.at[source].name))
                s = run_longer(h, i, source, more, e);
        }
    return s;
}

/* Tries the next change of an input that reached something new: in turn, of the newest run and of
 * the oldest one. Each gets CHANGES of them before another one has its turn. *more: there was
 * one. */
static pf_status try_change(struct pf_hunt *h, bool *more, struct pf_error *e)
{
    *more = false;
    if (h->settings.no_changes)
        return PF_OK;
    bool oldest = h->changes++ % 2;
    for (;;) {
        uint32_t best = NO_RUN;
        struct pf_hunt_run next = {.race = NO_RACE};
        for (uint32_t i = 0; i < h->runs.len; i++) {
            const struct pf_hunt_run *r = &h->runs.at[i];
            if (!(r->reached_new || r->took_new) || r->changed >= PF_HUNT_CHANGES_MAX)
                continue;
            uint32_t turn = r->changed / CHANGES,
                     least = best == NO_RUN ? turn + 1 : h->runs.at[best].changed / CHANGES;
            if (turn < least || (turn == least && !oldest))
                best = i;
        }
        if (best == NO_RUN)
            return PF_OK;
        uint32_t k = h->runs.at[best].changed++;
        if (!pf_hunt_change(h, &h->runs.at[best].input, k, &next.input))
            continue;
        /* 0: rr. A hunt that is split into parts tries the same pairs as one in a single process */
        next.policy = k / (uint32_t)next.input.sources.len / 2 % POLICIES;
        next.schedule = next.policy;
        struct pf_input_bytes old;
        pf_input_bytes_copy(&old, &h->runs.at[best].input);
        pf_status s = run_changed(h, &next, &old, more, e);
        pf_input_bytes_release(&old);
        pf_input_bytes_release(&next.input);
        if (s != PF_OK || *more)
            return s;
    }
}

/* Tries an input that reached something new with the next policy: another thread may do
 * the work then. *more: there was one. */
static pf_status try_schedule(struct pf_hunt *h, bool *more, struct pf_error *e)
{
    pf_status s = PF_OK;
    *more = false;
    if (h->settings.no_changes)
        return PF_OK;
    for (uint32_t i = 0; s == PF_OK && !*more && i < h->runs.len;) {
        struct pf_hunt_run *r = &h->runs.at[i];
        if (!(r->reached_new || r->took_new) || r->policy ||
            r->schedules >= PF_HUNT_SCHEDULES_MAX) {
            i++;
            continue;
        }
        struct pf_hunt_run next = {.race = NO_RACE, .policy = ++r->schedules};
        next.schedule = next.policy;
        pf_input_bytes_copy(&next.input, &r->input);
        s = pf_hunt_execute(h, &next, more, e);
        pf_input_bytes_release(&next.input);
    }
    return s;
}

/* Phase 3: takes branches that no run took; every few inputs, tries a longer or changed input or
 * another schedule. Ends when there is a new candidate or race. If the other phases have work
 * already, also ends after `share` inputs. */
static pf_status search_new_branches(struct pf_hunt *h, uint32_t share, struct pf_error *e)
{
    pf_status s = PF_OK;
    bool more = true, other = has_work(h);
    size_t known = h->candidates.len + h->races.len;
    h->phase = 3;
    while (s == PF_OK && more && (other ? share-- > 0 : !has_work(h)) &&
           h->candidates.len + h->races.len == known && !pf_hunt_stopped(h)) {
        more = false;
        if (++h->steps % GROW_EVERY == 0)
            s = try_growth(h, &more, e);
        else if (h->steps % CHANGE_EVERY == 0)
            s = try_change(h, &more, e);
        else if (h->steps % CHANGE_EVERY == 1)
            s = try_schedule(h, &more, e);
        if (s == PF_OK && !more)
            s = try_flip(h, NULL, &more, e);
        if (s == PF_OK && !more && !pf_hunt_stopped(h))
            s = try_growth(h, &more, e);
        if (s == PF_OK && !more && !pf_hunt_stopped(h))
            s = try_change(h, &more, e);
    }
    h->finished = s == PF_OK && !more && !has_work(h) && !pf_hunt_stopped(h);
    return s;
}

/* --- begin and end --- */

/* Runs an input to start from, unless this session has run it already. If an earlier session has
 * run it, an ordinary run is enough, to report what it shows: what is left to try from it is in the
 * list of open runs. */
static pf_status run_input(struct pf_hunt *h, const struct pf_input_bytes *in, struct pf_error *e)
{
    uint64_t hash = pf_input_bytes_hash(in);
    bool ran, old = pf_hash_map_find(&h->known, hash) != PF_HASH_NONE;
    struct pf_hunt_run r = {.input = *in, .race = NO_RACE, .repeat = true};
    if (pf_hash_map_find(&h->inputs, hash) != PF_HASH_NONE || (old && h->is_part))
        return PF_OK;
    if (old && pf_hunt_restore_input(h, hash))
        return pf_hunt_restore(h, 1, e);
    if (old) {
        r.restored = r.explored = true;
        r.grown = r.schedules = r.changed = PF_HUNT_NOT_OPEN;
    }
    return pf_hunt_execute(h, &r, &ran, e);
}

/* Runs the inputs of a list, unless `s` is an error, and releases the list. */
static pf_status run_list(struct pf_hunt *h, pf_hunt_inputs *list, pf_status s, struct pf_error *e)
{
    for (size_t i = 0; i < list->len; i++) {
        if (s == PF_OK && !pf_hunt_stopped(h))
            s = run_input(h, &list->at[i], e);
        pf_input_bytes_release(&list->at[i]);
    }
    pf_vec_release(list);
    return s;
}

/* Runs the inputs of the corpus that earlier sessions have left, except those that the search runs
 * again when it continues from them. */
static pf_status run_kept(struct pf_hunt *h, struct pf_error *e)
{
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < h->kept.len && !pf_hunt_stopped(h); i++)
        if (!h->is_part && !pf_hunt_is_parked(h, pf_input_bytes_hash(&h->kept.at[i])))
            s = run_input(h, &h->kept.at[i], e);
    return s;
}

/* Runs the inputs that the hunt starts from: the seed, those of --corpus, those of earlier
 * sessions. same: the journal is of this build of the program. */
static pf_status run_inputs(struct pf_hunt *h, bool same, struct pf_error *e)
{
    const struct pf_input_bytes *seed = &h->seed;
    pf_hunt_inputs more = {0};
    h->phase = 1;
    pf_status s = pf_hunt_seed(h, &h->seed, e);
    char *kept = pf_mem_format("%s/corpus", h->settings.state);
    if (s == PF_OK)
        s = pf_hunt_read_corpus(kept, seed, &h->kept, e);
    if (s == PF_OK)
        s = pf_hunt_open_begin(h, same, e);
    if (s == PF_OK)
        s = run_input(h, seed, e);
    if (s == PF_OK && h->settings.corpus)
        s = pf_hunt_read_corpus(h->settings.corpus, seed, &more, e);
    free(kept);
    s = run_list(h, &more, s, e);
    return s == PF_OK ? run_kept(h, e) : s;
}

static pf_status make_folders(const struct pf_hunt *h, struct pf_error *e)
{
    static const char *const names[] = {"runs", "plans", "clips", "found", "corpus"};
    pf_status s = PF_OK;
    for (size_t i = 0; s == PF_OK && i < sizeof names / sizeof *names; i++) {
        char *folder = pf_mem_format("%s/%s", h->settings.state, names[i]);
        s = pf_folder_make(folder, e);
        free(folder);
    }
    return s;
}

pf_status pf_hunt(struct pf_hunt *h, const struct pf_hunt_settings *settings, struct pf_error *e)
{
    memset(h, 0, sizeof *h);
    h->settings = *settings;
    h->began_ms = pf_now_ms();
    pf_findings_init(&h->findings);
    h->paths = pf_hunt_paths_new(settings->worker, settings->solver_ms);
    pf_hunt_paths_stop(h->paths, is_cut, h);
    uint32_t arguments = 0;
    while (settings->argv[arguments])
        arguments++;
    char added[32];
    snprintf(added, sizeof added, "argv[%u]", arguments);
    if (pf_hunt_may_change(h, added))
        pf_hunt_paths_arguments(h->paths, arguments);
    bool same;
    char *program; /* set only if it is found */
    pf_status s = pf_program_find(settings->argv[0], &program, e);
    if (s == PF_OK)
        h->program = program;
    if (s == PF_OK)
        s = make_folders(h, e);
    /* absolute paths of commands and clips work in every folder */
    if (s == PF_OK && (h->state = realpath(settings->state, NULL)))
        h->settings.state = h->state;
    if (s == PF_OK)
        s = pf_hunt_journal_open(h, &same, e);
    if (s == PF_OK)
        s = run_inputs(h, same, e);
    if (s == PF_OK)
        s = pf_hunt_restore(h, SIZE_MAX, e);
    for (uint32_t share = FIRST_SHARE; s == PF_OK && !h->finished && !pf_hunt_stopped(h);
         share *= 2) {
        share = share < PF_HUNT_ROUNDS ? share : PF_HUNT_ROUNDS;
        s = search_candidates(h, share, e);
        if (s == PF_OK)
            s = search_races(h, share, e);
        if (s == PF_OK)
            s = search_new_branches(h, 4 * share, e);
        if (s == PF_OK && h->finished && pf_hunt_has_parked(h)) {
            h->finished = false;
            s = pf_hunt_restore(h, SIZE_MAX, e);
        }
    }
    for (size_t i = 0; s == PF_OK && i < h->races.len; i++)
        if (!pf_hunt_try_command(h->races.at[i].command)) {
            free(h->races.at[i].command);
            h->races.at[i].command = NULL;
        }
    if (s == PF_OK)
        s = pf_hunt_open_end(h, e);
    if (s == PF_OK && h->settings.export)
        s = pf_hunt_corpus_export(h, h->settings.export, e);
    return s;
}

void pf_hunt_release(struct pf_hunt *h)
{
    for (size_t i = 0; i < h->candidates.len; i++) {
        free(h->candidates.at[i].text);
        pf_vec_release(&h->candidates.at[i].runs);
    }
    for (size_t i = 0; i < h->runs.len; i++) {
        pf_input_bytes_release(&h->runs.at[i].input);
        free(h->runs.at[i].plan);
    }
    for (size_t i = 0; i < h->races.len; i++) {
        free(h->races.at[i].plan[0]);
        free(h->races.at[i].plan[1]);
        free(h->races.at[i].folder);
        free(h->races.at[i].command);
    }
    pf_vec_release(&h->candidates);
    pf_vec_release(&h->runs);
    pf_vec_release(&h->races);
    pf_hash_map_release(&h->tried);
    pf_hash_map_release(&h->sites);
    pf_hash_map_release(&h->values);
    pf_hash_map_release(&h->inputs);
    pf_findings_release(&h->findings);
    pf_hunt_state_release(h);
    pf_input_bytes_release(&h->seed);
    pf_hunt_paths_free(h->paths);
    free(h->program);
    free(h->state);
}
