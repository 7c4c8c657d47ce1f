/*
 * Which body a call runs, when the thread's dispatch word says "ask". Without a sampling policy
 * every call is watched.
 */
#include "entry.h"
#include "pf_abi.h"

uint32_t __pf_ask(void *func)
{
    (void)func;
    return PF_BODY_WATCH;
}
