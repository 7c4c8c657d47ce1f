/*
 * memory_model.h - which value a read returns, if not always the newest: the models of
 * `--memory=tso` and `--memory=weak` (docs/analysis/memory-models.md).
 *
 * Model:   every event of the target is passed on to the model of the run: store_buffer.h or
 *          stale_read.h. Operations are called in the order of the run, right before they happen.
 * Threads: the runner only. Called while vector registers are live.
 * Errors:  without memory the run is refused.
 */
#ifndef PF_RT_MEMORY_MODEL_H
#define PF_RT_MEMORY_MODEL_H

#include "direct.h"

struct pf_context;

/* True unless memory is sequentially consistent; the functions below may be called only then. */
static inline bool pf_memory_model_active(void)
{
    return __builtin_expect(pf_direct.memory != PF_MEMORY_SC, 0);
}

void pf_memory_model_init(void);
/* Notifications of synchronisation (listener.h) pass through the model from now on. */
void pf_memory_model_listen(void);

/* An access of 1, 2, 4 or 8 bytes; of a write, with its value. */
void pf_memory_model_access(uintptr_t addr, unsigned size, bool write, uint64_t value,
                            uint32_t site);
/* An access of a range; `how` and `content` as in pf_event_range. */
void pf_memory_model_range(uintptr_t addr, uint64_t size, uint32_t how, const void *content,
                           uint32_t site);
/* An interposed function accesses memory. */
void pf_memory_model_interposed(uintptr_t addr, uint64_t size, bool write);
/* An atomic operation, packed as for __pf_atomic_begin. */
void pf_memory_model_atomic_begin(uintptr_t addr, uint32_t packed, uint32_t site);
void pf_memory_model_atomic_end(uintptr_t addr, uint32_t packed, bool stored);
/* A fence; PF_RELAXED: inline assembly, which may access everything. */
void pf_memory_model_fence(unsigned order);
/* The thread calls an interposed function. */
void pf_memory_model_call(void);
/* The thread calls code without events, which may access everything, and may call back. call: 1 +
 * the site of the call; 0: unknown. */
void pf_memory_model_leave(uint32_t call);
void pf_memory_model_thread_created(uint32_t number);
/* The thread `to` runs next. */
void pf_memory_model_switch(const struct pf_context *to);
/* The runtime is entered. */
void pf_memory_model_enter(void);

#endif
