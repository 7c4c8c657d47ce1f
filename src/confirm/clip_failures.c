/* clip_failures.c - see clip_failures.h. */
#include "clip_failures.h"
#include "allocation.h"
#include "finding_json.h"
#include "load_trace.h"
#include <stdlib.h>
#include <string.h>

#define VERB "hatch"

void pf_clip_failures_release(struct pf_clip_failures *c)
{
    for (size_t i = 0; i < c->known.len; i++)
        free(c->known.at[i]);
    pf_vec_release(&c->known);
}

bool pf_clip_failures_note(struct pf_clip_failures *c, const char *path)
{
    struct pf_clip clip;
    struct pf_error e;
    if (pf_clip_open(&clip, path, &e) != PF_OK)
        return false;
    char *text = pf_mem_format("%d %d %u %s", clip.end.wait, (int)clip.end.outcome, clip.end.errors,
                               clip.end.failure);
    pf_clip_release(&clip);
    for (size_t i = 0; i < c->known.len; i++)
        if (!strcmp(c->known.at[i], text)) {
            free(text);
            return false;
        }
    pf_vec_push(&c->known, text);
    return true;
}

bool pf_clip_failures_add(struct pf_clip_failures *c, struct pf_findings *into, const char *clip,
                          uint64_t limit_ms)
{
    struct pf_findings shown;
    struct pf_trace now;
    struct pf_error e;
    bool added = false;
    if (!pf_clip_failures_note(c, clip))
        return false;
    pf_findings_init(&shown);
    pf_trace_init(&now);
    now.recorded.replay_limit_ms = limit_ms;
    bool ok = pf_load_trace_shown(VERB, clip, NULL, &now, &shown, &e) == PF_OK;
    for (size_t i = 0; ok && i < shown.n; i++) {
        struct pf_text t;
        struct pf_finding *out;
        size_t before = into->n;
        pf_text_init(&t, &shown.pool);
        pf_finding_json(&t, shown.at[i]);
        if (!t.failed && pf_findings_add(into, clip, t.at, t.n, 1, &out, &e) == PF_OK)
            added |= into->n > before;
    }
    pf_trace_release(&now);
    pf_findings_release(&shown);
    return added;
}
