/* judge_on_fleet.c - see judge_on_fleet.h. */
#define _GNU_SOURCE
#include "judge_on_fleet.h"
#include "allocation.h"
#include "finding_read.h"
#include "fleet_judge.h"
#include "fleet_options.h"
#include <stdlib.h>
#include <string.h>

#define VERB "judge"

/* A hash of the set of races, so that a fleet for other races is not continued. */
static uint64_t hash_of(const struct pf_judge_fleet *j)
{
    uint64_t h = 0;
    for (size_t i = 0; i < j->items->len; i++)
        h += j->items->at[i].f->id * 0x9e3779b97f4a7c15ull;
    return h;
}

static void add_met(struct pf_judge_fleet *j, const struct pf_findings *judged)
{
    size_t n = j->items->len;
    for (size_t i = 0; i < judged->n; i++) {
        bool met = judged->at[i]->judged != NULL;
        for (size_t k = 0; k < n && met; k++)
            met = j->items->at[k].f->id != judged->at[i]->id;
        if (!met)
            continue;
        pf_vec_push(j->items, (struct pf_judge_item){.f = judged->at[i], .judged = true});
        j->met++;
    }
}

/* The command of the program in a document of findings; NULL: it has none. */
static char **document_command(const char *path, struct pf_pool *pool)
{
    struct pf_error ignored;
    json_t *o;
    char **words = NULL;
    if (pf_json_file_read(path, &o, &ignored) != PF_OK)
        return NULL;
    const json_t *list = json_object_get(o, "command");
    size_t n = json_array_size(list);
    const char *first = n ? json_string_value(json_array_get(list, 0)) : NULL;
    if (first && strcmp(first, "pf")) { /* otherwise it is the command that wrote the document */
        words = pf_mem_checked(pf_pool_get(pool, (n + 1) * sizeof *words));
        for (size_t i = 0; i < n; i++) {
            const char *word = json_string_value(json_array_get(list, i));
            words[i] = pf_pool_text(pool, word ? word : "", word ? strlen(word) : 0);
        }
        words[n] = NULL;
    }
    json_decref(o);
    return words;
}

char **pf_judge_program(const struct pf_findings *all, const char *document, struct pf_pool *pool)
{
    const struct pf_process *p = all->processes;
    if (document)
        return document_command(document, pool);
    while (p && !p->ncommand)
        p = p->next;
    if (!p)
        return NULL;
    char **words = pf_mem_checked(pf_pool_get(pool, (p->ncommand + 1) * sizeof *words));
    for (size_t i = 0; i < p->ncommand; i++)
        words[i] = (char *)p->command[i];
    words[p->ncommand] = NULL;
    return words;
}

int pf_judge_on_fleet(struct pf_judge_fleet *j, struct pf_findings *judged)
{
    static const char *const own[] = {"state", "json", "o", "findings", "fail-on", "time", NULL};
    struct pf_error e;
    int noptions;
    char **options = pf_fleet_strip(j->first, j->argv, own, &noptions);
    size_t n = j->items->len;
    struct pf_finding **races = pf_mem_zero(n + 1, sizeof *races);
    for (size_t i = 0; i < n; i++)
        races[i] = j->items->at[i].f;
    const struct pf_fleet_races r = {.at = races,
                                     .n = n,
                                     .command = n ? j->items->at[0].command : NULL,
                                     .options = (const char *const *)options + 1,
                                     .noptions = (size_t)noptions - 1,
                                     .folder = j->folder,
                                     .until_ms = j->until_ms};
    pf_status s =
        pf_fleet_open(&j->fleet, VERB, j->state, j->options, j->argc, j->argv, hash_of(j), &e);
    if (s == PF_OK)
        s = pf_fleet_judge_run(&j->fleet, &r, judged, j->options->collect, &e);
    bool all = true;
    for (size_t i = 0; s == PF_OK && i < n; i++) {
        struct pf_judge_item *it = &j->items->at[i];
        const struct pf_finding *v = pf_findings_find(judged, it->f->id);
        it->judged = v && v->judged;
        all &= it->judged;
        if (!it->judged)
            continue;
        it->f->verdict = v->verdict;
        it->f->judged = v->judged;
    }
    j->finished = s == PF_OK && (all || !j->options->collect);
    if (s == PF_OK)
        add_met(j, judged);
    free(options);
    free(races);
    return s == PF_OK ? PF_EXIT_OK : pf_complain(VERB, "%s", e.text);
}
