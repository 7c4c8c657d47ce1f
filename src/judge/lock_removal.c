/* lock_removal.c - see lock_removal.h. The run happens in a process of its own, because directed
 * runs change the process that starts them. */
#define _GNU_SOURCE
#include "lock_removal.h"
#include "allocation.h"
#include "directed.h"
#include "recorded_stdin.h"
#include "supervisor.h"
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define GRACE_MS 1000 /* between SIGTERM and SIGKILL */

/* Shared with the process of the run. */
struct removal {
    const struct pf_clip *clip;
    const char *lock, *file;
    bool done;
    uint32_t removed;
    char why[400];
};

static int record(const void *arg)
{
    struct removal *r = *(struct removal *const *)arg;
    struct pf_clip_meta m = r->clip->meta;
    struct pf_directed d = {.schedule = m.schedule, .exclude = m.exclude, .watch = true};
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_error e;
    m.without_lock = (char *)r->lock;
    m.race = NULL;
    m.traced = 0;
    m.watched = 1;
    if (pf_directed_record(&m, r->file, &d, &child, &end, &e) == PF_OK) {
        r->removed = end.removed_locks;
        r->done = true;
    } else {
        snprintf(r->why, sizeof r->why, "%.*s", (int)strcspn(e.text, "\n"), e.text);
    }
    return 0;
}

pf_status pf_lock_removal_record(const struct pf_clip *clip, const char *lock, const char *file,
                                 uint64_t limit_ms, struct pf_error *e)
{
    struct removal *r =
        mmap(NULL, sizeof *r, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pf_supervisor_result result;
    char input_path[40] = "/dev/null";
    if (r == MAP_FAILED)
        pf_out_of_memory(sizeof *r);
    *r = (struct removal){.clip = clip, .lock = lock, .file = file};
    int input = pf_recorded_stdin_open(clip);
    if (input >= 0)
        snprintf(input_path, sizeof input_path, "/proc/self/fd/%d", input);
    struct pf_command command = {.path = "recording",
                                 .function = record,
                                 .arg = &r,
                                 .dir = access(clip->meta.cwd, X_OK) == 0 ? clip->meta.cwd : NULL,
                                 .input = input_path,
                                 .keep = input > 0 ? input : 0,
                                 .output = PF_OUTPUT_NULL,
                                 .limit_ms = limit_ms,
                                 .grace_ms = GRACE_MS,
                                 .forwards = true};
    pf_status s = pf_supervisor_run(&command, NULL, NULL, &result, e);
    if (input > 0)
        close(input);
    if (s == PF_OK && result.how == PF_SUPERVISED_LIMIT)
        s = pf_fail(e, PF_IO, "the program did not end within its time limit without the lock");
    else if (s == PF_OK && !r->done)
        s = pf_fail(e, PF_IO, "%s", *r->why ? r->why : "the program could not be recorded");
    else if (s == PF_OK && !r->removed)
        s = pf_fail(e, PF_BAD, "no lock operation was performed there");
    munmap(r, sizeof *r);
    return s;
}
