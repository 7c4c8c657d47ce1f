/*
 * hooks.c - see hooks.h. Called where vector registers are live: nothing here uses them.
 */
#include "hooks.h"
#include "listener.h"

void (*pf_listener)(struct pf_thread *, enum pf_event_kind, uintptr_t, uintptr_t);

static void ignore_race(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then) {}
static void ignore_cycle(const struct pf_lock_cycle *cycle) {}
static uint32_t choose_watch_body(struct pf_func *f) { return PF_BODY_WATCH; }
static bool no_sampling(struct pf_sample_numbers *out, bool exec) { return false; }
static void ignore_thread(struct pf_thread *t) {}
static struct pf_thread *adopt_none(void) { return NULL; }
static bool no_descriptor(uintptr_t addr, struct pf_descriptor *out) { return false; }
static int32_t kernel_thread_id(void) { return 0; }
static void ignore(void) {}
static void ignore_text(const char *text) {}
static void ignore_failure(const char *text, uint32_t kind, const struct pf_stack_frame *at) {}
static void ignore_atomic(void *addr, uint32_t packed, uint32_t site) {}
static void ignore_number(uint32_t number) {}
static void ignore_range(uintptr_t lo, uintptr_t hi) {}

struct pf_hooks pf_hooks = {
    .race_found = ignore_race,
    .lock_cycle_found = ignore_cycle,
    .choose_body = choose_watch_body,
    .sampling_finished = no_sampling,
    .sampling_resumed = ignore,
    .signal_poll = ignore_thread,
    .thread_adopt = adopt_none,
    .descriptor_at = no_descriptor,
    .mode_changed = ignore,
    .thread_id = kernel_thread_id,
    .run_refused = ignore_text,
    .context_wanted = ignore,
    .module_loaded = ignore_range,
    .memory_error_reported = ignore_failure,
    .failure_found = ignore_failure,
    .atomic_begin = ignore_atomic,
    .atomic_end = ignore_number,
    .event_in_runtime = ignore,
};
