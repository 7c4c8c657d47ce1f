/*
 * wrap_new.c - operator new and delete of C++, all forms, for C and C++ programs alike.
 *
 * A program may replace some forms, and the ones it leaves alone must then behave as the
 * library's, which go through the replaced ones. So a form whose basic operator is replaced is
 * left to the library. The library is also the one to run the new-handler and to throw: when there
 * is no memory the call is simply passed on.
 */
#include "wrap_malloc.h"
#include <stdlib.h>

#define CALLER __builtin_return_address(0)

/* A basic operator has a hidden name too: where the two differ, the program brings its own. */
#define BASIC(result, symbol, parameters, text)                                                    \
    result symbol parameters;                                                                      \
    static result own_##symbol parameters;                                                         \
    PF_NATIVE_AS(symbol, text);                                                                    \
    PF_REAL_DEFINE(symbol, NULL);                                                                  \
    PF_EXPORT result symbol parameters __attribute__((weak, alias("own_" #symbol)));               \
    static result own_##symbol parameters
#define FORM(result, symbol, parameters, text)                                                     \
    result symbol parameters;                                                                      \
    PF_NATIVE_AS(symbol, text);                                                                    \
    PF_REAL_DEFINE(symbol, NULL);                                                                  \
    PF_EXPORT __attribute__((weak)) result symbol parameters

/* The library's operator, or the end: C++ code from a library loaded later, out of memory. */
#define PASS_ON(symbol, ...)                                                                       \
    __extension__({                                                                                \
        __typeof__(real_##symbol) pf_next_ = PF_REAL(symbol);                                      \
        if (!pf_next_)                                                                             \
            abort();                                                                               \
        pf_next_(__VA_ARGS__);                                                                     \
    })
#define MAKE(symbol, size, align, ...)                                                             \
    do {                                                                                           \
        void *pf_p_ = pf_heap_raw(size, align);                                                    \
        if (!pf_p_)                                                                                \
            return PASS_ON(symbol, __VA_ARGS__);                                                   \
        return pf_heap_made(&pf_native_##symbol, pf_p_, size, CALLER);                             \
    } while (0)
#define MAKE_UNLESS_REPLACED(basic, symbol, size, align, ...)                                      \
    do {                                                                                           \
        if (basic != own_##basic)                                                                  \
            return PASS_ON(symbol, __VA_ARGS__);                                                   \
        MAKE(symbol, size, align, __VA_ARGS__);                                                    \
    } while (0)

BASIC(void *, _Znwm, (size_t n), "operator new(unsigned long)") { MAKE(_Znwm, n, 0, n); }
BASIC(void *, _ZnwmSt11align_val_t, (size_t n, size_t a),
      "operator new(unsigned long, std::align_val_t)")
{
    MAKE(_ZnwmSt11align_val_t, n, a, n, a);
}
FORM(void *, _Znam, (size_t n), "operator new[](unsigned long)")
{
    MAKE_UNLESS_REPLACED(_Znwm, _Znam, n, 0, n);
}
FORM(void *, _ZnwmRKSt9nothrow_t, (size_t n, const void *x),
     "operator new(unsigned long, std::nothrow_t const&)")
{
    MAKE_UNLESS_REPLACED(_Znwm, _ZnwmRKSt9nothrow_t, n, 0, n, x);
}
FORM(void *, _ZnamRKSt9nothrow_t, (size_t n, const void *x),
     "operator new[](unsigned long, std::nothrow_t const&)")
{
    MAKE_UNLESS_REPLACED(_Znwm, _ZnamRKSt9nothrow_t, n, 0, n, x);
}
FORM(void *, _ZnamSt11align_val_t, (size_t n, size_t a),
     "operator new[](unsigned long, std::align_val_t)")
{
    MAKE_UNLESS_REPLACED(_ZnwmSt11align_val_t, _ZnamSt11align_val_t, n, a, n, a);
}
FORM(void *, _ZnwmSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, const void *x),
     "operator new(unsigned long, std::align_val_t, std::nothrow_t const&)")
{
    MAKE_UNLESS_REPLACED(_ZnwmSt11align_val_t, _ZnwmSt11align_val_tRKSt9nothrow_t, n, a, n, a, x);
}
FORM(void *, _ZnamSt11align_val_tRKSt9nothrow_t, (size_t n, size_t a, const void *x),
     "operator new[](unsigned long, std::align_val_t, std::nothrow_t const&)")
{
    MAKE_UNLESS_REPLACED(_ZnwmSt11align_val_t, _ZnamSt11align_val_tRKSt9nothrow_t, n, a, n, a, x);
}

#define END(symbol, p)                                                                             \
    do {                                                                                           \
        pf_heap_ending(&pf_native_##symbol, p, CALLER);                                            \
        pf_heap_raw_free(p);                                                                       \
    } while (0)
#define END_UNLESS_REPLACED(basic, symbol, p, ...)                                                 \
    do {                                                                                           \
        if (basic != own_##basic)                                                                  \
            PASS_ON(symbol, p, ##__VA_ARGS__);                                                     \
        else                                                                                       \
            END(symbol, p);                                                                        \
    } while (0)

BASIC(void, _ZdlPv, (void *p), "operator delete(void*)") { END(_ZdlPv, p); }
BASIC(void, _ZdlPvSt11align_val_t, (void *p, size_t a), "operator delete(void*, std::align_val_t)")
{
    END(_ZdlPvSt11align_val_t, p);
}
FORM(void, _ZdaPv, (void *p), "operator delete[](void*)")
{
    END_UNLESS_REPLACED(_ZdlPv, _ZdaPv, p);
}
FORM(void, _ZdlPvm, (void *p, size_t n), "operator delete(void*, unsigned long)")
{
    END_UNLESS_REPLACED(_ZdlPv, _ZdlPvm, p, n);
}
FORM(void, _ZdaPvm, (void *p, size_t n), "operator delete[](void*, unsigned long)")
{
    END_UNLESS_REPLACED(_ZdlPv, _ZdaPvm, p, n);
}
FORM(void, _ZdlPvRKSt9nothrow_t, (void *p, const void *n),
     "operator delete(void*, std::nothrow_t const&)")
{
    END_UNLESS_REPLACED(_ZdlPv, _ZdlPvRKSt9nothrow_t, p, n);
}
FORM(void, _ZdaPvRKSt9nothrow_t, (void *p, const void *n),
     "operator delete[](void*, std::nothrow_t const&)")
{
    END_UNLESS_REPLACED(_ZdlPv, _ZdaPvRKSt9nothrow_t, p, n);
}
FORM(void, _ZdaPvSt11align_val_t, (void *p, size_t n), "operator delete[](void*, std::align_val_t)")
{
    END_UNLESS_REPLACED(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_t, p, n);
}
FORM(void, _ZdlPvmSt11align_val_t, (void *p, size_t n, size_t a),
     "operator delete(void*, unsigned long, std::align_val_t)")
{
    END_UNLESS_REPLACED(_ZdlPvSt11align_val_t, _ZdlPvmSt11align_val_t, p, n, a);
}
FORM(void, _ZdaPvmSt11align_val_t, (void *p, size_t n, size_t a),
     "operator delete[](void*, unsigned long, std::align_val_t)")
{
    END_UNLESS_REPLACED(_ZdlPvSt11align_val_t, _ZdaPvmSt11align_val_t, p, n, a);
}
FORM(void, _ZdlPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t n, const void *a),
     "operator delete(void*, std::align_val_t, std::nothrow_t const&)")
{
    END_UNLESS_REPLACED(_ZdlPvSt11align_val_t, _ZdlPvSt11align_val_tRKSt9nothrow_t, p, n, a);
}
FORM(void, _ZdaPvSt11align_val_tRKSt9nothrow_t, (void *p, size_t n, const void *a),
     "operator delete[](void*, std::align_val_t, std::nothrow_t const&)")
{
    END_UNLESS_REPLACED(_ZdlPvSt11align_val_t, _ZdaPvSt11align_val_tRKSt9nothrow_t, p, n, a);
}
