/*
 * wrap_tsan_atomic.c - atomic operations of code compiled with -fsanitize=thread, which calls a
 * function for each; see wrap_tsan_calls.c for the programs that do so.
 *
 * The operation itself is sequentially consistent; the order that the program asks for decides
 * which accesses it orders (rt/shadow/atomic.c).
 */
#include "entry.h"
#include "wrap.h"

typedef unsigned __int128 a128;
typedef uint64_t a64;
typedef uint32_t a32;
typedef uint16_t a16;
typedef uint8_t a8;

/* One operation: its frame and the handle of __pf_atomic_begin. */
struct atomic_call {
    struct pf_frame *top;
    void *handle;
};

static inline uint32_t packed(size_t size, enum pf_atomic_op op, int order, int failure)
{
    return (uint32_t)size | (uint32_t)op << 8 | (uint32_t)(order & 0xff) << 16 |
           (uint32_t)(failure & 0xff) << 24;
}

static struct atomic_call begin(struct pf_func *native, const void *pc, volatile void *addr,
                                uint32_t what)
{
    struct atomic_call a = {__pf_tls.frame, NULL};
    bool reads = (what >> 8 & 0xff) == PF_ATOMIC_LOAD;
    if (!__pf_tls.thread || __pf_tls.nested)
        return a;
    pf_stack_push(pf_rt.pc_frames ? pf_pc_record(pc) : native);
    a.handle = __pf_atomic_begin((void *)(uintptr_t)addr, what,
                                 reads ? PF_NATIVE_ATOMIC_READ : PF_NATIVE_ATOMIC_WRITE);
    return a;
}

static void end(const struct atomic_call *a, bool stored)
{
    if (a->handle)
        __pf_atomic_end(a->handle, stored);
    __pf_tls.frame = a->top;
}

#define PROVIDE(result, fn, parameters)                                                            \
    result fn parameters;                                                                          \
    PF_NATIVE(fn);                                                                                 \
    PF_EXPORT __attribute__((weak)) result fn parameters

#define BEGIN(fn, type, op, failure)                                                               \
    struct atomic_call a = begin(&pf_native_##fn, __builtin_return_address(0), p,                  \
                                 packed(sizeof(type), op, order, failure))
#define UPDATE(bits, name, operation)                                                              \
    PROVIDE(a##bits, __tsan_atomic##bits##_##name, (volatile a##bits * p, a##bits v, int order))   \
    {                                                                                              \
        BEGIN(__tsan_atomic##bits##_##name, a##bits, PF_ATOMIC_RMW, order);                        \
        a##bits was = operation(p, v, __ATOMIC_SEQ_CST);                                           \
        end(&a, true);                                                                             \
        return was;                                                                                \
    }
#define COMPARE(bits, name)                                                                        \
    PROVIDE(int, __tsan_atomic##bits##_##name,                                                     \
            (volatile a##bits * p, a##bits * expected, a##bits v, int order, int failure))         \
    {                                                                                              \
        BEGIN(__tsan_atomic##bits##_##name, a##bits, PF_ATOMIC_CAS, failure);                      \
        int done = __atomic_compare_exchange_n(p, expected, v, false, __ATOMIC_SEQ_CST,            \
                                               __ATOMIC_SEQ_CST);                                  \
        end(&a, done);                                                                             \
        return done;                                                                               \
    }
#define ATOMICS(bits)                                                                              \
    PROVIDE(a##bits, __tsan_atomic##bits##_load, (const volatile a##bits *p, int order))           \
    {                                                                                              \
        struct atomic_call a = begin(&pf_native___tsan_atomic##bits##_load,                        \
                                     __builtin_return_address(0), (volatile void *)(uintptr_t)p,   \
                                     packed(sizeof(a##bits), PF_ATOMIC_LOAD, order, order));       \
        a##bits v = __atomic_load_n(p, __ATOMIC_SEQ_CST);                                          \
        end(&a, false);                                                                            \
        return v;                                                                                  \
    }                                                                                              \
    PROVIDE(void, __tsan_atomic##bits##_store, (volatile a##bits * p, a##bits v, int order))       \
    {                                                                                              \
        BEGIN(__tsan_atomic##bits##_store, a##bits, PF_ATOMIC_STORE, order);                       \
        __atomic_store_n(p, v, __ATOMIC_SEQ_CST);                                                  \
        end(&a, true);                                                                             \
    }                                                                                              \
    UPDATE(bits, exchange, __atomic_exchange_n)                                                    \
    UPDATE(bits, fetch_add, __atomic_fetch_add)                                                    \
    UPDATE(bits, fetch_sub, __atomic_fetch_sub)                                                    \
    UPDATE(bits, fetch_and, __atomic_fetch_and)                                                    \
    UPDATE(bits, fetch_or, __atomic_fetch_or)                                                      \
    UPDATE(bits, fetch_xor, __atomic_fetch_xor)                                                    \
    UPDATE(bits, fetch_nand, __atomic_fetch_nand)                                                  \
    COMPARE(bits, compare_exchange_strong)                                                         \
    COMPARE(bits, compare_exchange_weak)                                                           \
    PROVIDE(a##bits, __tsan_atomic##bits##_compare_exchange_val,                                   \
            (volatile a##bits * p, a##bits expected, a##bits v, int order, int failure))           \
    {                                                                                              \
        BEGIN(__tsan_atomic##bits##_compare_exchange_val, a##bits, PF_ATOMIC_CAS, failure);        \
        int done = __atomic_compare_exchange_n(p, &expected, v, false, __ATOMIC_SEQ_CST,           \
                                               __ATOMIC_SEQ_CST);                                  \
        end(&a, done);                                                                             \
        return expected;                                                                           \
    }
ATOMICS(8)
ATOMICS(16)
ATOMICS(32)
ATOMICS(64)
ATOMICS(128)

PROVIDE(void, __tsan_atomic_thread_fence, (int order))
{
    if (__pf_tls.thread && !__pf_tls.nested) {
        struct pf_frame *top = __pf_tls.frame;
        pf_stack_push(pf_rt.pc_frames ? pf_pc_record(__builtin_return_address(0))
                                      : &pf_native___tsan_atomic_thread_fence);
        __pf_fence((uint32_t)order, PF_NATIVE_CALL);
        __pf_tls.frame = top;
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
PROVIDE(void, __tsan_atomic_signal_fence, (int order)) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
