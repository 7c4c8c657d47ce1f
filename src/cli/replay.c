/*
 * replay.c - `pf replay`: runs a recording again. Standard output and the exit status are the
 * program's own; ours goes to standard error.
 */
#define _GNU_SOURCE
#include "cli.h"
#include "directed.h"
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#define VERB "replay"

static int complain(const struct pf_error *e) { return pf_complain(VERB, "%s", e->text); }

/* Says what became of it; the exit status. */
static int tell(const struct pf_clip *clip, const struct pf_child_end *child,
                const struct pf_clip_end *end)
{
    if (end->outcome == PF_OUTCOME_DIVERGED)
        return pf_complain(VERB, "%s: the run does not follow the recording: %s", clip->path,
                           end->text);
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG) {
        fprintf(stderr, "pf replay: %s\n%s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock",
                end->text);
        return PF_EXIT_FOUND;
    }
    if (end->outcome == PF_OUTCOME_STOPPED)
        fprintf(stderr, "pf replay: %s\n", end->text);
    if (clip->ended && end->outcome == PF_OUTCOME_NONE && child->wait != clip->end.wait)
        return pf_complain(VERB, "%s: ended with status %#x, the recording with %#x", clip->path,
                           child->wait, clip->end.wait);
    return WIFSIGNALED(child->wait) ? 128 + WTERMSIG(child->wait) : WEXITSTATUS(child->wait);
}

int pf_replay(int argc, char **argv)
{
    struct pf_directed d = {0};
    const char *trace = NULL;
    bool gdb = false;
    const struct pf_cli_option options[] = {
        {"until", "POINT", "stop before this event: THREAD:EVENT, such as T2:137", &d.until, NULL},
        {"gdb", NULL, "stop in gdb (not available in this build)", NULL, &gdb},
        {"quiet", NULL, "do not show the output, only compare it", NULL, &d.quiet},
        {"trace", "FILE", "write every event with its value to FILE, a clip", &trace, NULL},
    };
    const struct pf_cli_verb verb = {
        VERB, "[OPTION...] CLIP",
        "Runs the program of a recording again, with the same schedule and the same inputs. Output "
        "and exit\n"
        "status are the program's own; 2 when it does not follow the recording, 66 on a deadlock.",
        options, sizeof options / sizeof options[0]};
    struct pf_error e;
    int status = PF_EXIT_USAGE;
    int first = pf_cli_parse(&verb, argc, argv, &status);
    if (first < 0)
        return status;
    if (first >= argc)
        return pf_complain(VERB, "which clip? usage: pf replay %s", verb.usage);
    if (first + 1 < argc)
        return pf_complain(VERB, "one clip at a time; options stand before it");
    if (gdb)
        return pf_complain(VERB, "--gdb: not available in this build");
    struct pf_clip clip;
    struct pf_child_end child;
    struct pf_clip_end end;
    if (pf_clip_open(&clip, argv[first], &e) != PF_OK)
        return complain(&e);
    if (!clip.ended)
        fprintf(stderr, "pf replay: %s: is cut short (%s); it is followed as far as it goes\n",
                clip.path, clip.cut);
    d.tracing = trace != NULL;
    pf_status s = pf_directed_replay(&clip, trace, &d, &child, &end, &e);
    status = s == PF_OK ? tell(&clip, &child, &end) : complain(&e);
    pf_clip_release(&clip);
    return status;
}
