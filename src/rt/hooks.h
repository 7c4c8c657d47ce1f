/*
 * hooks.h - what lower layers of the runtime call in higher ones.
 *
 * Model:   includes and calls point downwards only (ARCHITECTURE.md). Where a lower layer needs
 *          something of a higher one, it calls a function of this table, which the higher layer
 *          fills in when it starts. Until then the functions do nothing.
 * Threads: written at start, constant afterwards.
 */
#ifndef PF_RT_HOOKS_H
#define PF_RT_HOOKS_H

#include "thread.h"

struct pf_sample_numbers;
struct pf_lock_cycle;
struct pf_stack_frame;

struct pf_descriptor {
    int number;
    uint32_t where, thread; /* site id and thread number of the call that opened it; 0: unknown */
};

/* The external accesses of ThreadSanitizer's interface: functions with this prefix, whose sites
 * have the type of the object as their variable (interpose/sanitizer/wrap_external.c). */
#define PF_EXTERNAL_ACCESS "__tsan_external_"

struct pf_hooks {
    /* --- shadow, direct --- */
    /* An instrumented object was loaded at [lo, hi); 0 if that is unknown. */
    void (*module_loaded)(uintptr_t lo, uintptr_t hi);

    /* --- finding --- */
    /* pf_race_found (reporter.h) */
    void (*race_found)(struct pf_thread *t, uintptr_t granule, uint64_t now, uint64_t then);

    /* pf_lock_cycle_found (misuse.h) */
    void (*lock_cycle_found)(const struct pf_lock_cycle *cycle);

    /* --- sample, direct --- */
    /* Which body a call of f runs, if the thread's dispatch word does not decide it. */
    uint32_t (*choose_body)(struct pf_func *f);
    /* pf_sample_finish, pf_sample_exec_failed (sample.h) */
    bool (*sampling_finished)(struct pf_sample_numbers *out, bool exec);
    void (*sampling_resumed)(void);

    /* While t covers: a check of compiled code is about to be applied (cover_sites.h) */
    void (*access_covered)(struct pf_thread *t, uintptr_t addr, uint64_t size, bool write,
                           uint32_t site);

    /* --- interpose --- */
    /* Finds the file descriptor that the shadow of addr stands for (wrap_fd.c). */
    bool (*descriptor_at)(uintptr_t addr, struct pf_descriptor *out);
    /* pf_signal_poll, pf_thread_record_adopt (wrap.h) */
    void (*signal_poll)(struct pf_thread *t);
    struct pf_thread *(*thread_adopt)(void);
    /* pf_mode_choose (mode_ops.h): a child process continues undirected */
    void (*mode_changed)(void);

    /* --- direct --- */
    /* The id of the running thread as the target sees it; 0: the kernel's id. */
    int32_t (*thread_id)(void);

    /* The run cannot begin; `text` says why (pf_refuse). */
    void (*run_refused)(const char *text);

    /* --- direct: only in event mode --- */
    /* The calling contexts of frames that have none yet are about to be computed. */
    void (*context_wanted)(void);
    /* A memory error was reported; `text` names it. kind: enum pf_finding_kind; at: the source
     * position, NULL if it is unknown. */
    void (*memory_error_reported)(const char *text, uint32_t kind, const struct pf_stack_frame *at);
    /* The program fails; `text` names the place. Otherwise as above. */
    void (*failure_found)(const char *text, uint32_t kind, const struct pf_stack_frame *at);
    /* The implementation of atomic operations (event_atomic.c). */
    void (*atomic_begin)(void *addr, uint32_t packed, uint32_t site);
    void (*atomic_end)(uint32_t stored);
    /* an atomic operation or a fence inside the runtime, or of an unregistered thread */
    void (*event_in_runtime)(void);
};
extern struct pf_hooks pf_hooks;

#endif
