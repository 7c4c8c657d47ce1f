/*
 * memory_order.h - C11's memory orders, as compiled code passes them.
 */
#ifndef PF_RT_MEMORY_ORDER_H
#define PF_RT_MEMORY_ORDER_H

#include "pf_abi.h"
#include <stdbool.h>

static inline bool pf_order_acquires(unsigned o)
{
    return (1 << PF_CONSUME | 1 << PF_ACQUIRE | 1 << PF_ACQ_REL | 1 << PF_SEQ_CST) >> o & 1;
}
static inline bool pf_order_releases(unsigned o)
{
    return (1 << PF_RELEASE | 1 << PF_ACQ_REL | 1 << PF_SEQ_CST) >> o & 1;
}

#endif
