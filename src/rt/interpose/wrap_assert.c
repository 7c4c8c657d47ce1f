/*
 * wrap_assert.c - failed assertions: notes the expression, so that the abort that follows is
 * reported as a failed assertion and not as a crash.
 */
#include "race.h"
#include "wrap.h"

_Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                             const char *function);
PF_INTERPOSE(void, __assert_fail,
             (const char *expression, const char *file, unsigned line, const char *function))
{
    if (pf_directed() && pf_self()) { /* other threads may run before the process ends */
        pf_sched_hash((uint64_t)&pf_native___assert_fail - (uint64_t)&pf_direct);
        pf_sched_preemption_point();
    }
    pf_failed_assertion = expression;
    if (pf_self())
        pf_stack_push(&pf_native___assert_fail);
    PF_REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
}
