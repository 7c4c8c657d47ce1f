/* record_again.c - see record_again.h. */
#define _GNU_SOURCE
#include "record_again.h"
#include "allocation.h"
#include "directed.h"
#include "event_code.h"
#include "private_files.h"
#include "recorded_stdin.h"
#include "supervisor.h"
#include "symbolic_inputs.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Shared with the process of the run. */
struct shared_record {
    const struct pf_record_again *r;
    bool done;
    struct pf_clip_end end;
    char why[400];
};

static pf_status record(struct shared_record *u, struct pf_error *e)
{
    const struct pf_record_again *r = u->r;
    struct pf_clip_meta m = r->clip->meta;
    m.schedule = r->schedule ? (char *)r->schedule : m.schedule;
    struct pf_directed d = {.schedule = m.schedule,
                            .exclude = m.exclude,
                            .plan = r->plan,
                            .tracing = r->traced,
                            .inside = true,
                            .watch = !r->symbolic};
    struct pf_child_end child;
    char *inputs = NULL, *served = r->folder ? pf_private_files(r->clip, r->folder) : NULL;
    m.argv = r->argv ? r->argv : m.argv;
    m.without_lock = r->without_lock ? (char *)r->without_lock : m.without_lock;
    m.race = NULL;
    m.traced = r->traced ? PF_CODE_VERSION : 0;
    m.watched = d.watch;
    pf_status s = r->symbolic ? pf_symbolic_inputs(NULL, m.argv, &inputs, e) : PF_OK;
    d.symbolic = inputs;
    m.served = served ? served : m.served;
    if (s == PF_OK)
        s = pf_directed_record(&m, r->file, &d, &child, &u->end, e);
    if (s == PF_OK && served && pf_private_files_refused(&u->end)) {
        m.served = r->clip->meta.served;
        s = pf_directed_record(&m, r->file, &d, &child, &u->end, e);
    }
    free(served);
    free(inputs);
    return s;
}

static int run_function(const void *arg)
{
    struct shared_record *u = *(struct shared_record *const *)arg;
    struct pf_error e;
    u->done = record(u, &e) == PF_OK;
    if (!u->done)
        snprintf(u->why, sizeof u->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    return 0;
}

pf_status pf_record_again(struct pf_record_again *r, struct pf_error *e)
{
    struct shared_record *u =
        mmap(NULL, sizeof *u, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pf_supervisor_result result;
    const char *cwd = r->clip->meta.cwd;
    char recorded[40] = "/dev/null";
    if (u == MAP_FAILED)
        pf_out_of_memory(sizeof *u);
    *u = (struct shared_record){.r = r};
    int input = r->input ? -1 : pf_recorded_stdin_open(r->clip);
    if (input >= 0)
        snprintf(recorded, sizeof recorded, "/proc/self/fd/%d", input);
    struct pf_command command = {.path = "recording",
                                 .function = run_function,
                                 .arg = &u,
                                 .dir = access(cwd, X_OK) == 0 ? cwd : NULL,
                                 .input = r->input ? r->input : recorded,
                                 .keep = input > 0 ? input : 0,
                                 .output = PF_OUTPUT_NULL,
                                 .limit_ms = r->limit_ms,
                                 .fair_ms = r->fair_ms,
                                 .grace_ms = PF_GRACE_DIRECTED_MS,
                                 .forwards = true};
    pf_status s = pf_supervisor_run(&command, r->should_stop, r->arg, &result, e);
    if (input > 0)
        close(input);
    if (s == PF_OK && result.how == PF_SUPERVISED_LIMIT)
        s = pf_fail(e, PF_IO, "the program did not end within its time limit");
    else if (s == PF_OK && !u->done)
        s = pf_fail(e, PF_IO, "%s", *u->why ? u->why : "the program could not be recorded");
    r->end = u->end;
    munmap(u, sizeof *u);
    return s;
}
