/* state_read.c - see state_read.h. */
#include "state_read.h"
#include "check_load.h"
#include "suite_load.h"
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* True if a run of pf judge has met this race, and can be replayed. */
static bool was_met(const struct pf_finding *f)
{
    return f->count && f->clip && !access(f->clip, F_OK);
}

/* Adds the verdicts. A finding that only the verdicts contain is kept if a run of pf judge met it.
 * Others belong to a program that no longer exists. */
static pf_status read_judged(struct pf_findings *f, const char *folder, struct pf_error *e)
{
    char path[PATH_MAX];
    size_t n = f->n;
    snprintf(path, sizeof path, "%s/" PF_JUDGED_FILE, folder);
    if (access(path, F_OK))
        return PF_OK;
    pf_status s = pf_findings_read_document(f, path, NULL, e);
    size_t all = f->n;
    f->n = n;
    for (size_t i = n; n && i < all; i++) /* without other findings, the state was cleared */
        if (was_met(f->at[i]))
            f->at[f->n++] = f->at[i];
    f->nmet = f->n - n;
    return s;
}

pf_status pf_state_read(struct pf_findings *f, const char *folder, struct pf_error *e)
{
    struct pf_suite_db db;
    bool there;
    pf_status s = pf_findings_read_folder(f, folder, NULL, e);
    if (s == PF_OK)
        s = pf_check_load_all(f, folder, e);
    if (s == PF_OK)
        s = pf_suite_db_open_read(&db, folder, &there, e);
    if (s == PF_OK && there) {
        s = pf_suite_load(&db, 0, f, e);
        pf_suite_db_close(&db);
    }
    pf_findings_examine_objects(f);
    return s == PF_OK ? read_judged(f, folder, e) : s;
}

pf_status pf_state_find(const struct pf_findings *f, const char *word,
                        const struct pf_finding **out, struct pf_error *e)
{
    size_t n = strlen(word), matches = 0;
    for (size_t i = 0; i < f->n; i++) {
        char id[20];
        snprintf(id, sizeof id, "%016" PRIx64, f->at[i]->id);
        if (n <= 16 && !strncmp(id, word, n)) {
            *out = f->at[i];
            matches++;
        }
    }
    if (matches == 1)
        return PF_OK;
    if (matches)
        return pf_fail(e, PF_BAD, "%s: %zu findings start with it; give more digits", word,
                       matches);
    return pf_fail(e, PF_BAD, "%s: no finding has this id; pf report lists them", word);
}
