/*
 * wrap_assert.c - failed assertions: notes the expression, so that the abort that follows is
 * reported as a failed assertion and not as a crash.
 */
#include "mode_ops.h"
#include "reporter.h"
#include "wrap.h"

_Noreturn void __assert_fail(const char *expression, const char *file, unsigned line,
                             const char *function);
PF_INTERPOSE(void, __assert_fail,
             (const char *expression, const char *file, unsigned line, const char *function))
{
    pf_mode->assertion_failed(&pf_native___assert_fail);
    pf_failed_assertion = expression;
    if (pf_self())
        pf_stack_push(&pf_native___assert_fail);
    PF_REAL(__assert_fail)(expression, file, line, function);
    __builtin_unreachable();
}
