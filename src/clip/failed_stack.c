/* failed_stack.c - see failed_stack.h. */
#include "failed_stack.h"

static const char between[] = " < ";

const char *pf_clip_failed_stack(const struct pf_clip_end *e)
{
    const char *stack = strstr(e->failure, ": ");
    return stack ? stack + 2 : e->failure;
}

bool pf_failed_stack_is_in(const char *stack, const char *function)
{
    size_t n = strlen(function);
    return !strncmp(stack, function, n) && (!stack[n] || stack[n] == ' ');
}

bool pf_failed_stack_has(const char *stack, const char *function)
{
    while (!pf_failed_stack_is_in(stack, function)) {
        const char *end = strstr(stack, between);
        if (!end)
            return false;
        stack = end + strlen(between);
    }
    return true;
}
