/*
 * none.c - what stands in for parts of the log that are not there.
 */
#include "log.h"

#define WEAK __attribute__((weak))

WEAK void pf_log_split(const char *path, uint32_t number)
{
    (void)path;
    (void)number;
    pf_log_detach();
}
