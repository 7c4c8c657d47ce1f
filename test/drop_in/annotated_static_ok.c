// want: none
// Locks in static memory may be used after their destructor: their destruction has no effect.
#include "annotated.h"
#include <sanitizer/tsan_interface.h>

void AnnotateRWLockCreateStatic(const char *file, int line, void *lock);

static long by_linker, by_flag, not_static;

static void lock_and_unlock(void *lock, void (*between)(void *))
{
    __tsan_mutex_pre_lock(lock, 0);
    __tsan_mutex_post_lock(lock, 0, 0);
    between(lock);
    __tsan_mutex_pre_unlock(lock, 0);
    __tsan_mutex_post_unlock(lock, 0);
}

static void destroy(void *lock) { __tsan_mutex_destroy(lock, 0); }
static void destroy_static(void *lock) { __tsan_mutex_destroy(lock, __tsan_mutex_not_static); }

int main(void)
{
    AnnotateRWLockCreateStatic(__FILE__, __LINE__, &by_linker);
    ACQUIRED(&by_linker, 1);
    AnnotateRWLockDestroy(__FILE__, __LINE__, &by_linker);
    RELEASED(&by_linker, 1);
    __tsan_mutex_create(&by_flag, __tsan_mutex_linker_init);
    lock_and_unlock(&by_flag, destroy);
    __tsan_mutex_create(&not_static, 0);
    lock_and_unlock(&not_static, destroy_static);
    return 0;
}
