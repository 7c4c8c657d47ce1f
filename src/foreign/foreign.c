/* foreign.c - see foreign.h: which tool it is, and what the readers share. */
#include "foreign.h"
#include "file.h"
#include "fingerprint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *pf_foreign_get(struct pf_findings *f, size_t size)
{
    void *p = pf_pool_get(&f->pool, size ? size : 1);
    if (!p) {
        fputs("pf: out of memory\n", stderr);
        exit(2);
    }
    return p;
}

char *pf_foreign_text(struct pf_findings *f, const char *s, size_t n)
{
    char *copy = pf_foreign_get(f, n + 1);
    memcpy(copy, s, n);
    return copy;
}

void pf_foreign_place(struct pf_findings *f, struct pf_trail *t, const struct pf_place *p)
{
    struct pf_place *at = (struct pf_place *)t->at;
    if ((t->n & (t->n + 1)) == 0) { /* 0, 1, 3, 7, ...: full */
        at = pf_foreign_get(f, 2 * (t->n + 1) * sizeof *at);
        if (t->n)
            memcpy(at, t->at, t->n * sizeof *at);
        t->at = at;
    }
    at[t->n++] = *p;
}

static bool same_place(const struct pf_access *a, const struct pf_access *b)
{
    const struct pf_place *p = pf_trail_source(&a->trail), *q = pf_trail_source(&b->trail);
    return p && q && p->file && q->file && p->line == q->line &&
           !strcmp(pf_str_base(p->file), pf_str_base(q->file));
}

bool pf_foreign_same(const struct pf_finding *a, const struct pf_finding *b)
{
    if (a->nsteps || b->nsteps)
        return false;
    return (same_place(&a->access[0], &b->access[0]) && same_place(&a->access[1], &b->access[1])) ||
           (same_place(&a->access[0], &b->access[1]) && same_place(&a->access[1], &b->access[0]));
}

void pf_foreign_add(struct pf_findings *f, struct pf_finding *it, struct pf_foreign_sum *sum)
{
    if (!it->access[0].trail.n || !it->access[1].trail.n) {
        sum->skipped++;
        return;
    }
    it->kind = PF_KIND_RACE;
    it->status = PF_STATUS_PREDICTED;
    it->analysis = sum->tool;
    it->count = 1;
    it->id = pf_fingerprint(it);
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->id == it->id || pf_foreign_same(f->at[i], it)) {
            pf_findings_seen(f, f->at[i], sum->tool, sum->tool, PF_STATUS_PREDICTED, 1);
            sum->known++;
            return;
        }
    struct pf_finding *kept = pf_foreign_get(f, sizeof *kept);
    *kept = *it;
    pf_findings_seen(f, kept, sum->tool, sum->tool, PF_STATUS_PREDICTED, 1);
    pf_findings_push(f, kept);
    sum->candidates++;
}

pf_status pf_foreign_read(struct pf_findings *f, const char *path, struct pf_foreign_sum *sum,
                          struct pf_error *e)
{
    char *text;
    size_t n;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    *sum = (struct pf_foreign_sum){0};
    if (strstr(text, "<valgrindoutput>")) {
        sum->tool = "helgrind";
        pf_foreign_helgrind(f, text, sum);
    } else if (strstr(text, "WARNING: ThreadSanitizer:") || strstr(text, "WARNING: photofinish:")) {
        sum->tool = strstr(text, "WARNING: ThreadSanitizer:") ? "tsan" : "fasttrack";
        pf_foreign_tsan(f, text, sum);
    } else {
        s = pf_fail(e, PF_BAD, "%s: has no report of ThreadSanitizer and is no XML of Helgrind",
                    path);
    }
    free(text);
    return s;
}
