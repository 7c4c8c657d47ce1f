/* foreign.c - see foreign.h: detects the tool, and holds what the readers share. */
#include "foreign.h"
#include "file.h"
#include "fingerprint.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *pf_foreign_alloc(struct pf_findings *f, size_t size)
{
    return pf_pool_get(&f->pool, size ? size : 1);
}

char *pf_foreign_text(struct pf_findings *f, const char *s, size_t n)
{
    char *copy = pf_foreign_alloc(f, n + 1);
    memcpy(copy, s, n);
    return copy;
}

void pf_foreign_add_frame(struct pf_findings *f, struct pf_backtrace *t,
                          const struct pf_stack_frame *p)
{
    struct pf_stack_frame *at = (struct pf_stack_frame *)t->at;
    if ((t->n & (t->n + 1)) == 0) { /* n is 0, 1, 3, 7, ...: the array is full */
        at = pf_foreign_alloc(f, 2 * (t->n + 1) * sizeof *at);
        if (t->n)
            memcpy(at, t->at, t->n * sizeof *at);
        t->at = at;
    }
    at[t->n++] = *p;
}

static bool same_position(const struct pf_access *a, const struct pf_access *b)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack),
                                *q = pf_backtrace_source(&b->stack);
    return p && q && p->file && q->file && p->line == q->line &&
           !strcmp(pf_str_base(p->file), pf_str_base(q->file));
}

bool pf_foreign_same(const struct pf_finding *a, const struct pf_finding *b)
{
    if (!pf_finding_is_pair(a) || !pf_finding_is_pair(b))
        return false;
    return (same_position(&a->accesses[0], &b->accesses[0]) &&
            same_position(&a->accesses[1], &b->accesses[1])) ||
           (same_position(&a->accesses[0], &b->accesses[1]) &&
            same_position(&a->accesses[1], &b->accesses[0]));
}

void pf_foreign_add(struct pf_findings *f, struct pf_finding *it, struct pf_foreign_summary *sum)
{
    it->kind = PF_KIND_RACE;
    if (!pf_finding_is_pair(it) || !it->accesses[0].stack.n || !it->accesses[1].stack.n) {
        sum->skipped++;
        return;
    }
    it->status = PF_STATUS_PREDICTED;
    it->analysis = sum->tool;
    it->count = 1;
    it->id = pf_fingerprint(it);
    for (size_t i = 0; i < f->n; i++)
        if (f->at[i]->id == it->id || pf_foreign_same(f->at[i], it)) {
            pf_findings_add_stage(f, f->at[i], sum->tool, sum->tool, PF_STATUS_PREDICTED, 1);
            sum->known++;
            return;
        }
    struct pf_finding *kept = pf_foreign_alloc(f, sizeof *kept);
    *kept = *it;
    kept->accesses = pf_foreign_alloc(f, it->naccesses * sizeof *kept->accesses);
    memcpy(kept->accesses, it->accesses, it->naccesses * sizeof *kept->accesses);
    pf_findings_add_stage(f, kept, sum->tool, sum->tool, PF_STATUS_PREDICTED, 1);
    pf_findings_push(f, kept);
    sum->candidates++;
}

pf_status pf_foreign_read(struct pf_findings *f, const char *path, struct pf_foreign_summary *sum,
                          struct pf_error *e)
{
    char *text;
    size_t n;
    pf_status s = pf_file_read(path, &text, &n, e);
    if (s != PF_OK)
        return s;
    *sum = (struct pf_foreign_summary){0};
    if (strstr(text, "<valgrindoutput>")) {
        sum->tool = "helgrind";
        pf_foreign_helgrind(f, text, sum);
        sum->cut = !strstr(text, "</valgrindoutput>");
    } else if (strstr(text, "WARNING: ThreadSanitizer:") || strstr(text, "WARNING: photofinish:")) {
        sum->tool = strstr(text, "WARNING: ThreadSanitizer:") ? "tsan" : "fasttrack";
        pf_foreign_tsan(f, text, sum);
    } else {
        s = pf_fail(e, PF_BAD, "%s: neither a ThreadSanitizer report nor Helgrind XML", path);
    }
    free(text);
    return s;
}
