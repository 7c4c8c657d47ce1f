/* verify_clip.c - see verify_clip.h. */
#define _GNU_SOURCE
#include "verify_clip.h"
#include "self_run.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

pf_status pf_verify_clip_init(struct pf_verify_clip *v, const char *clip, struct pf_error *e)
{
    *v = (struct pf_verify_clip){.clip = clip};
    pf_status s = pf_temporary_file(&v->report, e);
    if (s != PF_OK)
        return s;
    char *words[] = {"pf", "--report-to", v->report, "replay", "--quiet", (char *)clip, NULL};
    memcpy(v->argv, words, sizeof words);
    v->command = (struct pf_command){.path = "/proc/self/exe",
                                     .argv = v->argv,
                                     .output = PF_OUTPUT_NULL,
                                     .forwards = true,
                                     .limit_ms = PF_VERIFY_LIMIT_MS,
                                     .grace_ms = PF_GRACE_DIRECTED_MS};
    return PF_OK;
}

void pf_verify_clip_release(struct pf_verify_clip *v)
{
    if (v->report)
        unlink(v->report);
    free(v->report);
    v->report = NULL;
}

/* The outcome, except that "lost" counts as none: it means that a replay may diverge, and says
 * nothing about how the program ended. */
static enum pf_outcome visible(enum pf_outcome o)
{
    return o == PF_OUTCOME_LOST ? PF_OUTCOME_NONE : o;
}

static bool same_end(const struct pf_clip_end *end, const struct pf_run_report *r, char *why,
                     size_t room)
{
    const char *differs = NULL, *prefix = "";
    if (!r->ran)
        differs = *r->error ? r->error : "its replay could not be run";
    else if (r->outcome == PF_OUTCOME_DIVERGED)
        differs = r->text, prefix = "its replay diverged: ";
    else if (visible(r->outcome) != visible(end->outcome))
        differs = "its replay ended in another way";
    else if (r->outcome == PF_OUTCOME_NONE && r->wait != end->wait)
        differs = "its replay ended with another status";
    else if (end->errors && !r->memory_errors)
        differs = "its replay did not show the memory error";
    else if (*end->failure && strcmp(end->failure, r->failure) != 0)
        differs = *r->failure ? r->failure : "its replay did not show where it failed";
    if (differs == r->failure)
        prefix = "its replay failed elsewhere: ";
    if (differs)
        snprintf(why, room, "%s%.*s", prefix, (int)strcspn(differs, "\n"), differs);
    return !differs;
}

bool pf_verify_clip_shown(const struct pf_verify_clip *v, const struct pf_supervisor_result *result,
                          char *why, size_t room)
{
    struct pf_clip clip;
    struct pf_run_report report;
    struct pf_error e;
    if (result->how == PF_SUPERVISED_LIMIT)
        snprintf(why, room, "its replay did not end within %d s", PF_VERIFY_LIMIT_MS / 1000);
    else if (result->how == PF_SUPERVISED_STOPPED)
        snprintf(why, room, "the time was up before its replay ended");
    else if (result->how == PF_SUPERVISED_UNSTARTED)
        snprintf(why, room, "%s", result->why);
    if (result->how != PF_SUPERVISED_ENDED)
        return false;
    if (pf_run_report_read(&report, v->report, &e) != PF_OK ||
        pf_clip_open(&clip, v->clip, &e) != PF_OK) {
        snprintf(why, room, "%s", e.text);
        return false;
    }
    bool shown = same_end(&clip.end, &report, why, room);
    pf_clip_release(&clip);
    return shown;
}

bool pf_verify_clip(const char *clip, bool (*should_stop)(void *), void *arg, char *why,
                    size_t room)
{
    struct pf_verify_clip v;
    struct pf_supervisor_result result;
    struct pf_error e;
    bool shown = false;
    pf_status s = pf_verify_clip_init(&v, clip, &e);
    if (s == PF_OK)
        s = pf_supervisor_run(&v.command, should_stop, arg, &result, &e);
    if (s == PF_OK)
        shown = pf_verify_clip_shown(&v, &result, why, room);
    else
        snprintf(why, room, "%s", e.text);
    pf_verify_clip_release(&v);
    return shown;
}
