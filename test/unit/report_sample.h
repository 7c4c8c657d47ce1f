/*
 * report_sample.h - a finding to test with: a global, two threads, locks on both sides, one shared.
 */
#ifndef PF_TEST_REPORT_SAMPLE_H
#define PF_TEST_REPORT_SAMPLE_H

#include "finding.h"
#include "textbuf.h"
#include <stdlib.h>

static inline void *sample_map(size_t size) { return malloc(size); }
static inline void sample_unmap(void *at, size_t size)
{
    (void)size;
    free(at);
}

static const struct pf_stack_frame sample_later[] = {
    {.function = "memcpy"},
    {.function = "store",
     .file = "/src/a/store.c",
     .module = "/bin/prog",
     .line = 12,
     .column = 5,
     .first_line = 10},
    {.function = "worker",
     .file = "/src/a/main.c",
     .module = "/bin/prog",
     .line = 40,
     .column = 9,
     .first_line = 30},
};
static const struct pf_stack_frame sample_earlier[] = {
    {.function = "load",
     .file = "load.c",
     .module = "/lib/libx.so",
     .line = 7,
     .column = 3,
     .first_line = 5},
    {.function = "main",
     .file = "/src/a/main.c",
     .module = "/bin/prog",
     .line = 60,
     .column = 2,
     .first_line = 50},
};
static const struct pf_stack_frame sample_create[] = {
    {.function = "pthread_create"},
    {.function = "main",
     .file = "/src/a/main.c",
     .module = "/bin/prog",
     .line = 58,
     .column = 2,
     .first_line = 50},
};
static const struct pf_lock sample_later_locks[] = {
    {.address = 0x1000, .name = "m", .taken = {sample_create, 2}},
};
static const struct pf_lock sample_earlier_locks[] = {
    {.address = 0x2000, .shared = true, .first = true, .taken = {sample_create, 2}},
    {.address = 0x1000, .name = "m", .taken = {sample_create, 2}},
};
static const struct pf_thread_info sample_actors[] = {
    {.number = 1, .name = "pool", .tid = 77, .running = true, .created = {sample_create, 2}},
    {.number = 0, .tid = 76, .running = true},
};

/* The accesses of the sample; sample_finding restores them. */
static struct pf_access sample_accesses[2];

static inline struct pf_finding sample_finding(void)
{
    static const struct pf_access accesses[2] = {{.thread = 1,
                                                  .op = PF_OP_WRITE,
                                                  .size = 4,
                                                  .address = 0x5000,
                                                  .variable = "x",
                                                  .stack = {sample_later, 3},
                                                  .locks = sample_later_locks,
                                                  .nlocks = 1},
                                                 {.thread = 0,
                                                  .op = PF_OP_READ,
                                                  .size = 8,
                                                  .address = 0x5000,
                                                  .variable = "x",
                                                  .stack = {sample_earlier, 2},
                                                  .locks = sample_earlier_locks,
                                                  .nlocks = 2}};
    sample_accesses[0] = accesses[0];
    sample_accesses[1] = accesses[1];
    return (struct pf_finding){
        .id = 0xabc,
        .analysis = "fasttrack",
        .accesses = sample_accesses,
        .naccesses = 2,
        .threads = sample_actors,
        .nthreads = 2,
        .location = {.kind = PF_LOCATION_GLOBAL,
                     .name = "x",
                     .file = "/src/a/main.c",
                     .line = 3,
                     .address = 0x5000,
                     .size = 8},
        .count = 1,
    };
}

#endif
