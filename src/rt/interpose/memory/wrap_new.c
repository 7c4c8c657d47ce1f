/*
 * wrap_new.c - operator new and delete of C++, all forms, for C and C++ programs alike.
 *
 * A program may replace some forms; the others must then behave like the library's, which call the
 * replaced ones. A nothrow form must catch what those throw, which is not possible in C: it is left
 * to the library. If memory runs out, the call is passed on to the library, which runs the
 * new-handler and throws. If the C++ library is linked statically, our forms replace its own, and
 * there is no library operator to call: no_memory() calls std::__throw_bad_alloc, if that is
 * linked.
 */
#include "wrap_malloc.h"
#include <stdlib.h>

#define CALLER __builtin_return_address(0)

/* In plain mode these jump to the library's operator at once, if there is one. */
#define BASIC(result, symbol, parameters, text)                                                    \
    result symbol parameters;                                                                      \
    result PF_HIDDEN pf_entry_##symbol parameters;                                                 \
    result PF_HIDDEN pf_impl_##symbol parameters;                                                  \
    PF_NATIVE_AS(symbol, text);                                                                    \
    PF_REAL_DEFINE(symbol, NULL);                                                                  \
    PF_FORWARD_TO(symbol, "mov real_" #symbol "(%rip), %rax\ntest %rax, %rax\n"                    \
                          "je pf_impl_" #symbol "\njmp *%rax\n");                                  \
    result pf_impl_##symbol parameters
#define FORM(result, symbol, parameters, text)                                                     \
    result symbol parameters;                                                                      \
    PF_NATIVE_AS(symbol, text);                                                                    \
    PF_REAL_DEFINE(symbol, NULL);                                                                  \
    PF_INTERCEPTOR_NAME(symbol);                                                                   \
    PF_EXPORT __attribute__((weak)) result symbol parameters

extern void _ZSt17__throw_bad_allocv(void) __attribute__((weak)); /* std::__throw_bad_alloc */

static void *no_memory(void)
{
    if (_ZSt17__throw_bad_allocv)
        _ZSt17__throw_bad_allocv();
    abort();
}

/* The library's operator if there is one, else `otherwise`. */
#define LIBRARY(symbol, otherwise, ...)                                                            \
    __extension__({                                                                                \
        __typeof__(real_##symbol) pf_next_ = PF_REAL(symbol);                                      \
        pf_next_ ? pf_next_(__VA_ARGS__) : otherwise;                                              \
    })
#define MAKE(symbol, size, align, otherwise, ...)                                                  \
    do {                                                                                           \
        void *pf_p_ = pf_heap_raw(size, align);                                                    \
        if (!pf_p_)                                                                                \
            return LIBRARY(symbol, otherwise, __VA_ARGS__);                                        \
        return pf_heap_allocated(&pf_native_##symbol, pf_p_, size, CALLER);                        \
    } while (0)

/* The basic forms, for one object. */
BASIC(void *, _Znwm, (size_t n), "operator new(unsigned long)")
{
    MAKE(_Znwm, n, 0, no_memory(), n);
}
BASIC(void *, _ZnwmSt11align_val_t, (size_t n, size_t a),
      "operator new(unsigned long, std::align_val_t)")
{
    MAKE(_ZnwmSt11align_val_t, n, a, no_memory(), n, a);
}

BASIC(void *, _Znam, (size_t n), "operator new[](unsigned long)")
{
    if (!PF_IS_INTERPOSED(_Znwm))
        return _Znwm(n);
    MAKE(_Znam, n, 0, no_memory(), n);
}
BASIC(void *, _ZnamSt11align_val_t, (size_t n, size_t a),
      "operator new[](unsigned long, std::align_val_t)")
{
    if (!PF_IS_INTERPOSED(_ZnwmSt11align_val_t))
        return _ZnwmSt11align_val_t(n, a);
    MAKE(_ZnamSt11align_val_t, n, a, no_memory(), n, a);
}

/* The other forms. `calls`: the form that the library's calls; one for arrays in turn calls the
 * `basic` form, for one object. */
#define ARE_INTERPOSED(calls, basic) (PF_IS_INTERPOSED(calls) && PF_IS_INTERPOSED(basic))
#define NOTHROW(symbol, calls, text)                                                               \
    FORM(void *, symbol, (size_t n, const void *x), text)                                          \
    {                                                                                              \
        if (!ARE_INTERPOSED(calls, _Znwm))                                                         \
            return LIBRARY(symbol, calls(n), n, x);                                                \
        MAKE(symbol, n, 0, NULL, n, x);                                                            \
    }
NOTHROW(_ZnwmRKSt9nothrow_t, _Znwm, "operator new(unsigned long, std::nothrow_t const&)")
NOTHROW(_ZnamRKSt9nothrow_t, _Znam, "operator new[](unsigned long, std::nothrow_t const&)")
#define NOTHROW_ALIGNED(symbol, calls, text)                                                       \
    FORM(void *, symbol, (size_t n, size_t a, const void *x), text)                                \
    {                                                                                              \
        if (!ARE_INTERPOSED(calls, _ZnwmSt11align_val_t))                                          \
            return LIBRARY(symbol, calls(n, a), n, a, x);                                          \
        MAKE(symbol, n, a, NULL, n, a, x);                                                         \
    }
NOTHROW_ALIGNED(_ZnwmSt11align_val_tRKSt9nothrow_t, _ZnwmSt11align_val_t,
                "operator new(unsigned long, std::align_val_t, std::nothrow_t const&)")
NOTHROW_ALIGNED(_ZnamSt11align_val_tRKSt9nothrow_t, _ZnamSt11align_val_t,
                "operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)")

#define END(symbol, p)                                                                             \
    do {                                                                                           \
        pf_heap_raw_free(&pf_native_##symbol, p, CALLER);                                          \
    } while (0)
BASIC(void, _ZdlPv, (void *p), "operator delete(void*)") { END(_ZdlPv, p); }
BASIC(void, _ZdlPvSt11align_val_t, (void *p, size_t a), "operator delete(void*, std::align_val_t)")
{
    END(_ZdlPvSt11align_val_t, p);
}
#define DELETES(symbol, calls, parameters, text)                                                   \
    BASIC(void, symbol, parameters, text)                                                          \
    {                                                                                              \
        if (ARE_INTERPOSED(calls, _ZdlPv))                                                         \
            END(symbol, p);                                                                        \
        else                                                                                       \
            calls(p);                                                                              \
    }
DELETES(_ZdaPv, _ZdlPv, (void *p), "operator delete[](void*)")
DELETES(_ZdlPvm, _ZdlPv, (void *p, size_t n), "operator delete(void*, unsigned long)")
DELETES(_ZdaPvm, _ZdaPv, (void *p, size_t n), "operator delete[](void*, unsigned long)")
DELETES(_ZdlPvRKSt9nothrow_t, _ZdlPv, (void *p, const void *x),
        "operator delete(void*, std::nothrow_t const&)")
DELETES(_ZdaPvRKSt9nothrow_t, _ZdaPv, (void *p, const void *x),
        "operator delete[](void*, std::nothrow_t const&)")
#define DELETES_ALIGNED(define, symbol, calls, parameters, text)                                   \
    define(void, symbol, parameters, text)                                                         \
    {                                                                                              \
        if (ARE_INTERPOSED(calls, _ZdlPvSt11align_val_t))                                          \
            END(symbol, p);                                                                        \
        else                                                                                       \
            calls(p, a);                                                                           \
    }
DELETES_ALIGNED(BASIC, _ZdaPvSt11align_val_t, _ZdlPvSt11align_val_t, (void *p, size_t a),
                "operator delete[](void*, std::align_val_t)")
DELETES_ALIGNED(FORM, _ZdlPvmSt11align_val_t, _ZdlPvSt11align_val_t, (void *p, size_t n, size_t a),
                "operator delete(void*, unsigned long, std::align_val_t)")
DELETES_ALIGNED(FORM, _ZdaPvmSt11align_val_t, _ZdaPvSt11align_val_t, (void *p, size_t n, size_t a),
                "operator delete[](void*, unsigned long, std::align_val_t)")
DELETES_ALIGNED(FORM, _ZdlPvSt11align_val_tRKSt9nothrow_t, _ZdlPvSt11align_val_t,
                (void *p, size_t a, const void *x),
                "operator delete(void*, std::align_val_t, std::nothrow_t const&)")
DELETES_ALIGNED(FORM, _ZdaPvSt11align_val_tRKSt9nothrow_t, _ZdaPvSt11align_val_t,
                (void *p, size_t a, const void *x),
                "operator delete[](void*, std::align_val_t, std::nothrow_t const&)")
