// Code that tests for ThreadSanitizer finds it, and its annotations work unchanged.
// want: none
#include "turns.h"
#if !__has_feature(thread_sanitizer)
#error "no thread_sanitizer"
#endif
#ifdef __cplusplus
extern "C" {
#endif
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
#ifdef __cplusplus
}
#endif

int data, seen, tag;

void first(void)
{
    data = 42;
    __tsan_release(&tag);
}

void second(void)
{
    __tsan_acquire(&tag);
    seen = data;
}

int after(void) { return seen != 42; }
