/*
 * photofinish.h - annotations for programs, in C and C++: tells photofinish what it cannot see.
 *
 * Model:   order that the program makes by other means (assembly language, a device, code that is
 *          not built with pf cc), its own locks, intended races, and conditions that must hold.
 * Cost:    none unless the compiler is pf cc; a function call if it is. The same calls work with
 *          clang's -fsanitize=thread.
 * Threads: any.
 */
#ifndef PHOTOFINISH_H
#define PHOTOFINISH_H

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)
#define PF_IS_WATCHING 1
#endif
#endif
#ifndef PF_IS_WATCHING
#define PF_IS_WATCHING 0
#endif

#if PF_IS_WATCHING

#include <stddef.h>
#ifdef __cplusplus
extern "C" {
#endif
void __pf_global(void *addr, unsigned long size) __attribute__((weak));
void __pf_atomic_region(unsigned begins) __attribute__((weak));
void __pf_invariant(int (*holds)(void), const char *name) __attribute__((weak));
void __tsan_acquire(void *addr);
void __tsan_release(void *addr);
void AnnotateRWLockCreate(const char *file, int line, const volatile void *lock);
void AnnotateRWLockDestroy(const char *file, int line, const volatile void *lock);
void AnnotateRWLockAcquired(const char *file, int line, const volatile void *lock, long writer);
void AnnotateRWLockReleased(const char *file, int line, const volatile void *lock, long writer);
void AnnotateIgnoreReadsBegin(const char *file, int line);
void AnnotateIgnoreReadsEnd(const char *file, int line);
void AnnotateIgnoreWritesBegin(const char *file, int line);
void AnnotateIgnoreWritesEnd(const char *file, int line);
void AnnotateBenignRaceSized(const char *file, int line, const volatile void *mem, size_t size,
                             const char *why);
#ifdef __cplusplus
}
#endif

#define PF_CALL_(fn, ...) fn(__FILE__, __LINE__, ##__VA_ARGS__)

/* Everything before PF_RELEASE(p), in any thread, happens before what follows a later
 * PF_ACQUIRE(p). `p` is any address; it serves as a name and is not read. */
#define PF_RELEASE(p) __tsan_release((void *)(p))
#define PF_ACQUIRE(p) __tsan_acquire((void *)(p))

/* A lock that the program implements, identified by its address. PF_LOCK_TAKEN is called just after
 * the lock was taken, PF_LOCK_DROPPING just before it is released. Readers are ordered with
 * writers, not among themselves. */
#define PF_LOCK_INIT(p) PF_CALL_(AnnotateRWLockCreate, p)
#define PF_LOCK_DESTROY(p) PF_CALL_(AnnotateRWLockDestroy, p)
#define PF_LOCK_TAKEN(p) PF_CALL_(AnnotateRWLockAcquired, p, 1)
#define PF_LOCK_DROPPING(p) PF_CALL_(AnnotateRWLockReleased, p, 1)
#define PF_LOCK_TAKEN_SHARED(p) PF_CALL_(AnnotateRWLockAcquired, p, 0)
#define PF_LOCK_DROPPING_SHARED(p) PF_CALL_(AnnotateRWLockReleased, p, 0)

/* Code that is not built with pf cc uses this variable of the program, and what it points to: pf
 * predict takes that into account wherever such code is called. */
#define PF_GLOBAL(x) (__pf_global ? __pf_global((void *)&(x), sizeof(x)) : (void)0)

/* An atomic region: what this thread does in between should be as if no other thread ran meanwhile.
 * pf predict and pf hatch search for schedules in which it is not. Regions nest; a thread's regions
 * end when it ends or waits. */
#define PF_ATOMIC_BEGIN() (__pf_atomic_region ? __pf_atomic_region(1) : (void)0)
#define PF_ATOMIC_END() (__pf_atomic_region ? __pf_atomic_region(0) : (void)0)

/* The function `fn`, int fn(void), returns 0 if a condition on the program's data is violated. In
 * directed mode it is called from here on at every synchronisation of any thread, before output,
 * and at the end; a violation ends the program like a failed assertion, and pf judge takes it for a
 * violated specification. It must not synchronise, wait or write output, and it must also hold
 * while other threads are inside critical sections. */
#define PF_INVARIANT(fn) (__pf_invariant ? __pf_invariant(fn, #fn) : (void)0)

/* Accesses of this thread in between are not checked. Regions nest. */
#define PF_IGNORE_BEGIN() (PF_CALL_(AnnotateIgnoreReadsBegin), PF_CALL_(AnnotateIgnoreWritesBegin))
#define PF_IGNORE_END() (PF_CALL_(AnnotateIgnoreWritesEnd), PF_CALL_(AnnotateIgnoreReadsEnd))

/* Races on this variable are intended; `why` is a string. In effect from here to the end of the
 * run. */
#define PF_BENIGN(var, why) PF_CALL_(AnnotateBenignRaceSized, &(var), sizeof(var), why)

#else

#define PF_RELEASE(p) ((void)0)
#define PF_GLOBAL(x) ((void)0)
#define PF_ATOMIC_BEGIN() ((void)0)
#define PF_ATOMIC_END() ((void)0)
#define PF_INVARIANT(fn) ((void)0)
#define PF_ACQUIRE(p) ((void)0)
#define PF_LOCK_INIT(p) ((void)0)
#define PF_LOCK_DESTROY(p) ((void)0)
#define PF_LOCK_TAKEN(p) ((void)0)
#define PF_LOCK_DROPPING(p) ((void)0)
#define PF_LOCK_TAKEN_SHARED(p) ((void)0)
#define PF_LOCK_DROPPING_SHARED(p) ((void)0)
#define PF_IGNORE_BEGIN() ((void)0)
#define PF_IGNORE_END() ((void)0)
#define PF_BENIGN(var, why) ((void)0)

#endif
#endif
