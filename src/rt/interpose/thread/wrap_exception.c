/*
 * wrap_exception.c - C++ exceptions that pass between threads.
 *
 * An exception object has a reference count that only libstdc++.so accesses, and so has the message
 * inside std::runtime_error and std::logic_error. The thread that drops the last reference destroys
 * and frees what other threads used: every drop happens before that.
 *
 * This order must be made between the last decrement and the destructor. libstdc++ calls nothing of
 * ours between the two, so an extra reference is taken around the real function, and dropped here.
 * So the last drop is always one of ours, or one of libstdc++'s in a call that is not interposed.
 *
 * Layouts (Itanium C++ ABI as implemented by libstdc++, fixed by its binary interface):
 *
 *      exception object - 0x80   reference count, int, 1: one owner
 *                       - 0x70   primary: type; dependent: the primary exception object
 *                       - 0x68   destructor
 *                       - 0x20   unwind header: class, cleanup, 2 private words
 *      runtime_error, logic_error + 8   the message's characters
 *      characters - 8            reference count, int, 0: one owner
 *      characters - 24           the block
 */
#include "wrap_libc.h"
#include <unwind.h>

#define CLASS_PRIMARY 0x474e5543432b2b00u /* "GNUCC++", 0 */
#define CLASS_DEPENDENT 0x474e5543432b2b01u

void __cxa_free_exception(void *object);
PF_REAL_DEFINE(__cxa_free_exception, NULL);

/* Interposes a C++ function: its symbol, and its name for reports. */
#define CXX_INTERPOSE(symbol, text, parameters)                                                    \
    void symbol parameters;                                                                        \
    PF_NATIVE_AS(symbol, text);                                                                    \
    PF_REAL_DEFINE(symbol, NULL);                                                                  \
    PF_INTERCEPTOR_NAME(symbol);                                                                   \
    PF_EXPORT __attribute__((weak)) void symbol parameters

static int *object_count(void *object) { return (int *)((char *)object - 0x80); }

static void object_drop(struct pf_call *c, void *object)
{
    if (!pf_count_drop(c, object_count(object), 1))
        return;
    void (*destroy)(void *) = *(void (**)(void *))((char *)object - 0x68);
    if (destroy)
        PF_CALLBACK_VOID(*c, destroy(object));
    PF_CALLBACK_VOID(*c, PF_REAL(__cxa_free_exception)(object));
}

CXX_INTERPOSE(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv,
              "std::exception_ptr::~exception_ptr()", (void **self))
{
    PF_CALL(c, _ZNSt15__exception_ptr13exception_ptr10_M_releaseEv);
    if (!c.t) {
        PF_REAL(_ZNSt15__exception_ptr13exception_ptr10_M_releaseEv)(self);
        return;
    }
    if (*self)
        object_drop(&c, *self);
}

/* The end of a catch clause: drops the reference to the exception that was thrown. */
PF_INTERPOSE(void, _Unwind_DeleteException, (struct _Unwind_Exception * header))
{
    PF_CALL(c, _Unwind_DeleteException);
    char *own = (char *)(header + 1);
    void *object = header->exception_class == CLASS_PRIMARY     ? own
                   : header->exception_class == CLASS_DEPENDENT ? *(void **)(own - 0x70)
                                                                : NULL;
    if (!c.t || !object) {
        PF_REAL(_Unwind_DeleteException)(header);
        return;
    }
    __atomic_fetch_add(object_count(object), 1, __ATOMIC_RELAXED);
    PF_CALLBACK_VOID(c, PF_REAL(_Unwind_DeleteException)(header));
    object_drop(&c, object);
}

/* The complete and the base destructors of std::runtime_error and std::logic_error, which are the
 * same code. The deleting destructors call the complete ones. */
void _ZdlPv(void *block); /* operator delete */

static void message_drop(struct pf_call *c, void *self, void (*destroy)(void *))
{
    char *chars = *(char **)((char *)self + 8);
    int *count = (int *)(chars - 8);
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
    PF_CALLBACK_VOID(*c, destroy(self));
    if (pf_count_drop(c, count, 0))
        PF_CALLBACK_VOID(*c, _ZdlPv(chars - 24));
}

#define MESSAGE(symbol, text)                                                                      \
    CXX_INTERPOSE(symbol, text, (void *self))                                                      \
    {                                                                                              \
        PF_CALL(c, symbol);                                                                        \
        if (c.t)                                                                                   \
            message_drop(&c, self, PF_REAL(symbol));                                               \
        else                                                                                       \
            PF_REAL(symbol)(self);                                                                 \
    }
MESSAGE(_ZNSt13runtime_errorD1Ev, "std::runtime_error::~runtime_error()")
MESSAGE(_ZNSt13runtime_errorD2Ev, "std::runtime_error::~runtime_error()")
MESSAGE(_ZNSt11logic_errorD1Ev, "std::logic_error::~logic_error()")
MESSAGE(_ZNSt11logic_errorD2Ev, "std::logic_error::~logic_error()")
