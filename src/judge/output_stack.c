/* output_stack.c - see output_stack.h. */
#define _GNU_SOURCE
#include "output_stack.h"
#include "directed.h"
#include "supervisor.h"
#include <string.h>
#include <sys/mman.h>

/* Shared with the process of the replay. */
struct stack_query {
    const char *clip;
    int fd;
    uint64_t at;
    struct pf_output_stack found;
};

static int replay(const void *arg)
{
    struct stack_query *q = *(struct stack_query *const *)arg;
    struct pf_directed d = {.quiet = true,
                            .output_stack = q->found.stack,
                            .output_room = sizeof q->found.stack,
                            .output_bytes = q->found.bytes,
                            .output_fd = q->fd,
                            .output_at = q->at};
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_clip clip;
    struct pf_error e;
    if (pf_clip_open(&clip, q->clip, &e) == PF_OK)
        (void)!pf_directed_replay(&clip, NULL, &d, &child, &end, &e);
    q->found.length = d.output_length;
    return 0;
}

bool pf_output_stack_find(const char *clip, int fd, uint64_t at, const struct pf_judge_left *left,
                          struct pf_output_stack *out)
{
    struct stack_query *q =
        mmap(NULL, sizeof *q, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct pf_supervisor_result result;
    struct pf_error e;
    if (q == MAP_FAILED)
        return false;
    q->clip = clip;
    q->fd = fd;
    q->at = at;
    struct pf_command command = {.path = "stack",
                                 .function = replay,
                                 .arg = &q,
                                 .output = PF_OUTPUT_NULL,
                                 .limit_ms = left->limit_ms,
                                 .fair_ms = left->fair_ms,
                                 .grace_ms = PF_GRACE_DIRECTED_MS,
                                 .forwards = true};
    bool found = pf_supervisor_run(&command, NULL, NULL, &result, &e) == PF_OK &&
                 (*q->found.stack || q->found.length);
    *out = q->found;
    munmap(q, sizeof *q);
    return found;
}
