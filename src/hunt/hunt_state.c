/* hunt_state.c - see hunt_state.h. */
#define _GNU_SOURCE
#include "hunt_state.h"
#include "clip.h"
#include "file.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- the journal --- */

/* Takes over the lines of a journal; false: it is of another program. */
static bool read_journal(struct pf_hunt *h, char *text, uint64_t program)
{
    uint64_t value, branch, own;
    char *line = strtok(text, "\n");
    if (!line || sscanf(line, "program %" SCNx64, &value) != 1 || value != program)
        return false;
    while ((line = strtok(NULL, "\n"))) {
        if (sscanf(line, "pair %16" SCNx64 ".", &value) == 1 && strchr(line, '.'))
            (void)pf_hash_map_put(&h->tried, value, 0);
        if (sscanf(line, "flip %16" SCNx64 ".", &value) == 1 && strchr(line, '.'))
            pf_hunt_paths_skip(h->paths, value);
        if (sscanf(line, "input %16" SCNx64 ".", &value) == 1 && strchr(line, '.'))
            (void)pf_hash_map_put(&h->known, value, 0);
        if (sscanf(line, "site %16" SCNx64 ".", &value) == 1 && strchr(line, '.'))
            (void)pf_hash_map_put(&h->sites, value, 0);
        if (sscanf(line, "took %16" SCNx64 " %16" SCNx64 " %16" SCNx64 ".", &value, &branch,
                   &own) == 3 &&
            strchr(line, '.'))
            pf_hunt_paths_took(h->paths, value, branch, own);
    }
    return true;
}

pf_status pf_hunt_journal_open(struct pf_hunt *h, bool *same, struct pf_error *e)
{
    char *path = pf_mem_format("%s/journal", h->settings.state), *text = NULL;
    size_t n = 0;
    uint64_t program = 0;
    struct pf_error none;
    pf_status s = pf_clip_hash_file(h->program, &program, e);
    *same = s == PF_OK && !access(path, R_OK) && pf_file_read(path, &text, &n, &none) == PF_OK &&
            read_journal(h, text, program);
    free(text);
    if (s == PF_OK && !(h->journal = fopen(path, *same ? "a" : "w")))
        s = pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    if (s == PF_OK && !*same)
        fprintf(h->journal, "program %016" PRIx64 "\n", program);
    free(path);
    return s;
}

pf_status pf_hunt_journal_add(struct pf_hunt *h, uint64_t pair, uint64_t input, struct pf_error *e)
{
    fprintf(h->journal, "pair %016" PRIx64 ".\n", pair);
    if (pf_hash_map_find(&h->known, input) == PF_HASH_NONE) {
        pf_hash_map_add(&h->known, input, 0);
        fprintf(h->journal, "input %016" PRIx64 ".\n", input);
    }
    return pf_hunt_journal_flush(h, e);
}

pf_status pf_hunt_journal_flush(struct pf_hunt *h, struct pf_error *e)
{
    struct pf_hunt_paths_news news;
    pf_hunt_paths_news(h->paths, &news);
    for (size_t i = 0; i < news.tried.len; i++)
        if (news.tried.at[i] != h->unfinished)
            fprintf(h->journal, "flip %016" PRIx64 ".\n", news.tried.at[i]);
    for (size_t i = 0; i + 2 < news.taken.len; i += 3)
        fprintf(h->journal, "took %016" PRIx64 " %016" PRIx64 " %016" PRIx64 ".\n",
                news.taken.at[i], news.taken.at[i + 1], news.taken.at[i + 2]);
    for (size_t i = 0; i < h->new_sites.len; i++)
        fprintf(h->journal, "site %016" PRIx64 ".\n", h->new_sites.at[i]);
    pf_vec_clear(&h->new_sites);
    return fflush(h->journal)
               ? pf_fail(e, PF_IO, "%s/journal: %s", h->settings.state, strerror(errno))
               : PF_OK;
}

/* --- the journal of another process --- */

bool pf_hunt_journal_is_of(const char *folder, uint64_t program)
{
    char *path = pf_mem_format("%s/journal", folder), *text = NULL;
    uint64_t value;
    size_t n;
    struct pf_error none;
    bool same = pf_file_read(path, &text, &n, &none) == PF_OK &&
                sscanf(text, "program %" SCNx64, &value) == 1 && value == program;
    free(text);
    free(path);
    return same;
}

void pf_hunt_journal_count(const char *folder, struct pf_hunt_journal_counts *c)
{
    char *path = pf_mem_format("%s/journal", folder), *line = NULL;
    struct pf_hash_map directions = {0}; /* all values are 0 */
    size_t room = 0;
    uint64_t direction;
    FILE *in = fopen(path, "re");
    *c = (struct pf_hunt_journal_counts){0};
    while (in && getline(&line, &room, in) > 0) {
        c->runs += !strncmp(line, "pair ", 5);
        c->inputs += !strncmp(line, "input ", 6);
        c->sites += !strncmp(line, "site ", 5);
        if (sscanf(line, "took %" SCNx64, &direction) == 1)
            (void)pf_hash_map_put(&directions, direction, 0);
    }
    c->directions = directions.len;
    if (in)
        fclose(in);
    pf_hash_map_release(&directions);
    free(line);
    free(path);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Splits a text into lines; returns how many. */
static size_t split(char *text, char ***lines)
{
    PF_VEC(char *) list = {0};
    char *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest))
        pf_vec_push(&list, line);
    *lines = list.at;
    return list.len;
}

pf_status pf_hunt_journal_merge(const char *from, const char *to, uint64_t *added,
                                struct pf_error *e)
{
    char *text, *old = NULL, **lines, **known = NULL;
    size_t n, size, count, nknown = 0;
    *added = 0;
    pf_status s = pf_file_read(from, &text, &size, e);
    if (s != PF_OK)
        return s;
    if (access(to, R_OK) == 0)
        s = pf_file_read(to, &old, &n, e);
    FILE *out = s == PF_OK ? fopen(to, "ae") : NULL;
    if (s == PF_OK && !out)
        s = pf_fail(e, PF_IO, "%s: %s", to, strerror(errno));
    if (old)
        nknown = split(old, &known);
    if (nknown)
        qsort(known, nknown, sizeof *known, by_text);
    count = split(text, &lines);
    for (size_t i = 0; s == PF_OK && i < count; i++) {
        if (nknown && bsearch(&lines[i], known, nknown, sizeof *known, by_text))
            continue;
        fprintf(out, "%s\n", lines[i]);
        *added += !strncmp(lines[i], "pair ", 5);
    }
    if (out && fclose(out) && s == PF_OK)
        s = pf_fail(e, PF_IO, "%s: %s", to, strerror(errno));
    free(lines);
    free(known);
    free(text);
    free(old);
    return s;
}

/* --- the corpus --- */

static char *folder_of(const struct pf_hunt *h, uint64_t input)
{
    return pf_mem_format("%s/corpus/%016" PRIx64, h->settings.state, input);
}

static struct pf_hunt_kept *find(const struct pf_hunt *h, uint64_t input)
{
    for (size_t i = 0; i < h->corpus.len; i++)
        if (h->corpus.at[i].hash == input)
            return &h->corpus.at[i];
    return NULL;
}

static void add_reached(struct pf_hunt_kept *k, const uint64_t *keys, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (pf_hash_map_find(&k->known, keys[i]) == PF_HASH_NONE) {
            pf_hash_map_add(&k->known, keys[i], 0);
            pf_vec_push(&k->reached, keys[i]);
        }
}

pf_status pf_hunt_corpus_add(struct pf_hunt *h, const struct pf_input_bytes *in,
                             const uint64_t *sites, size_t nsites, struct pf_error *e)
{
    uint64_t hash = pf_input_bytes_hash(in);
    struct pf_hunt_kept *old = find(h, hash);
    pf_status s = PF_OK;
    if (!old) {
        struct pf_hunt_kept kept = {.hash = hash};
        char *folder = folder_of(h, hash), *command = NULL;
        s = pf_hunt_write_input(h, in, folder, &command, e);
        free(folder);
        free(command);
        pf_input_bytes_copy(&kept.input, in);
        pf_vec_push(&h->corpus, kept);
        old = &h->corpus.at[h->corpus.len - 1];
    }
    add_reached(old, sites, nsites);
    return s;
}

void pf_hunt_corpus_explored(struct pf_hunt *h, uint64_t input, const uint64_t *branches, size_t n)
{
    struct pf_hunt_kept *k = find(h, input);
    if (!k)
        return;
    k->explored = true;
    add_reached(k, branches, n);
}

void pf_hunt_corpus_keep(struct pf_hunt *h, uint64_t input)
{
    struct pf_hunt_kept *k = find(h, input);
    if (k)
        k->shows_race = true;
}

static void kept_release(struct pf_hunt_kept *k)
{
    pf_input_bytes_release(&k->input);
    pf_vec_release(&k->reached);
    pf_hash_map_release(&k->known);
}

/* Adds `change` to the number of inputs that reach each site and branch of this input. */
static void count_users(struct pf_hash_map *users, const struct pf_hunt_kept *k, int change)
{
    for (size_t i = 0; i < k->reached.len; i++) {
        struct pf_hash_walk w = pf_hash_map_walk(users, k->reached.at[i]);
        if (pf_hash_map_next(users, &w))
            pf_hash_map_set(users, &w, w.value + (uint32_t)change);
        else
            pf_hash_map_add(users, k->reached.at[i], 1);
    }
}

void pf_hunt_corpus_minimise(struct pf_hunt *h, const pf_hunt_open_list *open)
{
    struct pf_hash_map left = {0}; /* inputs of open runs; all values are 0 */
    struct pf_hash_map users = {0}; /* per site or branch: how many inputs reach it */
    size_t n = 0;
    for (size_t i = 0; i < open->len; i++)
        (void)pf_hash_map_put(&left, open->at[i].input, 0);
    for (size_t i = 0; i < h->corpus.len; i++)
        count_users(&users, &h->corpus.at[i], 1);
    for (size_t i = 0; i < h->corpus.len; i++) {
        struct pf_hunt_kept *k = &h->corpus.at[i];
        bool old = !k->explored && pf_hash_map_find(&h->kept_at, k->hash) != PF_HASH_NONE;
        bool needed = k->shows_race || old || pf_hash_map_find(&left, k->hash) != PF_HASH_NONE;
        for (size_t r = 0; r < k->reached.len && !needed; r++)
            needed = pf_hash_map_find(&users, k->reached.at[r]) == 1;
        if (needed) {
            h->corpus.at[n++] = *k;
            continue;
        }
        count_users(&users, k, -1);
        char *folder = folder_of(h, k->hash);
        pf_folder_remove(folder);
        free(folder);
        kept_release(k);
    }
    h->corpus.len = n;
    pf_hash_map_release(&users);
    pf_hash_map_release(&left);
}

pf_status pf_hunt_corpus_export(const struct pf_hunt *h, const char *folder, struct pf_error *e)
{
    pf_status s = pf_folder_make(folder, e);
    for (size_t i = 0; i < h->corpus.len; i++) {
        const struct pf_hunt_kept *c = &h->corpus.at[i];
        for (size_t k = 0; s == PF_OK && k < c->input.sources.len; k++) {
            const struct pf_input_source *in = &c->input.sources.at[k];
            char *sub = pf_mem_format("%s/%s", folder, in->name);
            char *file = pf_mem_format("%s/%016" PRIx64, sub, c->hash);
            s = pf_folder_make(sub, e);
            if (s == PF_OK)
                s = pf_file_write(file, (char *)in->bytes, in->n, e);
            free(sub);
            free(file);
        }
    }
    return s;
}

pf_status pf_hunt_corpus_export_kept(const struct pf_hunt_settings *settings, struct pf_error *e)
{
    struct pf_hunt h = {.settings = *settings};
    pf_hunt_inputs inputs = {0};
    char *folder = pf_mem_format("%s/corpus", settings->state);
    pf_status s = pf_hunt_seed(&h, &h.seed, e);
    if (s == PF_OK)
        s = pf_hunt_read_corpus(folder, &h.seed, &inputs, e);
    for (size_t i = 0; i < inputs.len; i++) {
        struct pf_hunt_kept kept = {.hash = pf_input_bytes_hash(&inputs.at[i]),
                                    .input = inputs.at[i]};
        pf_vec_push(&h.corpus, kept);
    }
    if (s == PF_OK)
        s = pf_hunt_corpus_export(&h, settings->export, e);
    pf_vec_release(&inputs);
    pf_input_bytes_release(&h.seed);
    pf_hunt_state_release(&h);
    free(folder);
    return s;
}

void pf_hunt_state_release(struct pf_hunt *h)
{
    for (size_t i = 0; i < h->corpus.len; i++)
        kept_release(&h->corpus.at[i]);
    pf_vec_release(&h->corpus);
    for (size_t i = 0; i < h->kept.len; i++)
        pf_input_bytes_release(&h->kept.at[i]);
    pf_vec_release(&h->kept);
    pf_hash_map_release(&h->kept_at);
    pf_vec_release(&h->new_sites);
    pf_hash_map_release(&h->known);
    pf_hunt_open_list_release(&h->parked);
    if (h->open)
        fclose(h->open);
    if (h->journal)
        fclose(h->journal);
}
