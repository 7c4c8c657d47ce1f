/* external.h - a library that announces accesses to its objects. */
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

void *__tsan_external_register_tag(const char *type);
void __tsan_external_read(void *addr, void *pc, void *tag);
void __tsan_external_write(void *addr, void *pc, void *tag);

static void *tag;
static char object[16];

static inline __attribute__((noinline)) void put(void)
{
    __tsan_external_write(object, __builtin_return_address(0), tag);
}
static inline __attribute__((noinline)) void get(void)
{
    __tsan_external_read(object, __builtin_return_address(0), tag);
}
