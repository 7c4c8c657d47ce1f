/*
 * pf_abi.h - what compiled code and the runtime agree on: tables in the object file, the
 * per-thread words that compiled code reads and writes, the shadow call stack.
 *
 * Model:   every instrumented function has a record (section pf_func) with its sites (section
 *          pf_site); every global variable has one in pf_var. All references inside the tables are
 *          relative to the field that holds them, so the tables need no relocation at load time.
 * Memory:  the tables live in the object; the runtime copies what it still needs when an object
 *          is unloaded.
 */
#ifndef PF_ABI_H
#define PF_ABI_H

#include <stdint.h>

#define PF_ABI_VERSION 3

/* An object built by pf cc carries an ELF note: owner "photofinish", type 1, one word: the
 * version of this ABI. */
#define PF_NOTE_SECTION ".note.photofinish"
#define PF_NOTE_OWNER "photofinish"
#define PF_NOTE_ABI 1

enum pf_site_kind {
#define PF_SITE(name, text) PF_SITE_##name,
#include "pf_site.def"
#undef PF_SITE
    PF_SITE_KINDS
};

/* A string or table reference: the distance in bytes from the field itself; 0 is none. */
typedef int32_t pf_rel;

/* What sites of one function have in common that came from the same source function in the same way. */
struct pf_scope {
    pf_rel file;
    pf_rel func; /* the source function: of an inlined body, the inlined one */
    uint32_t begins; /* first line of func; 0: not known */
    uint32_t inlined; /* 1 + index of the call site that it was inlined at; 0: none */
};

struct pf_site {
    pf_rel scope;
    pf_rel var; /* the variable accessed, or the function called, where known */
    uint32_t line;
    uint16_t column;
    uint8_t size; /* bytes accessed; 0: not constant, or above 255 */
    uint8_t kind : 4; /* enum pf_site_kind */
    uint8_t flags : 4; /* enum pf_site_flags */
};
_Static_assert(PF_SITE_KINDS <= 16, "four bits for the kind of a site");

/* Where the event at this site may depend on what the thread read before (plugin/plan/read_dependence.c). */
enum pf_site_flags {
    PF_SITEF_BRANCH = 1, /* a decision was taken since the thread's event before it */
    PF_SITEF_ADDRESS = 2, /* its address, or an argument of the call, may come from a read */
    PF_SITEF_CHECK =
        4, /* what it reads decides about a later write of it (plugin/plan/check_then_act.c) */
    PF_SITEF_ACT = 8, /* such a write */
};

struct pf_func {
    pf_rel name;
    pf_rel file;
    pf_rel sites; /* to the first struct pf_site */
    uint32_t nsites;
    uint32_t line;
    uint32_t number; /* given by the runtime when first seen; 0 before */
    uint64_t hash; /* of the body: changes when the code of the function changes */
    pf_rel entry; /* to the function; 0: of the runtime */
    uint32_t flags; /* enum pf_func_flags */
};
enum pf_func_flags {
    PF_FUNCF_LOOPS = 1, /* a call of it may take long: it has loops that may be long */
};

struct pf_var {
    int64_t address; /* distance from this field to the variable */
    uint64_t size;
    pf_rel name;
    pf_rel file;
    uint32_t line;
    uint32_t zoned; /* 1: PF_ZONE(size) bytes behind it are nobody's */
};

/* The shadow call stack. Both bodies of a function push a frame at the entry, keep `call` at the
 * site of the call that is about to be made, and on every way out, or on arrival in a landing pad or
 * after a call that returns twice, put the stack pointer back to where it belongs. A function that
 * calls nothing pushes none in its plain body: it only writes its name above the top. */
struct pf_frame {
    struct pf_func *func;
    uint32_t call; /* site index + 1 of the call in progress; 0: none yet; | PF_CALL_UNWATCHED */
    uint32_t node; /* the runtime's: calling context, 0 while unknown */
};
#define PF_CALL_UNWATCHED 0x40000000u /* the frame of a plain body: its accesses do not count */
static inline uint32_t pf_frame_site(const struct pf_frame *f)
{
    return f->call & ~PF_CALL_UNWATCHED;
}

/* `__pf_bare`, a variable of the process: not 0, and functions run as they were written, without any of these bodies.
 * plain: frames and synchronisation only; watch: every access too; event: for directed
 * mode; excluded: as plain, after __pf_event_excluded. */
enum pf_body { PF_BODY_PLAIN, PF_BODY_WATCH, PF_BODY_EVENT, PF_BODY_EXCLUDED };
enum pf_dispatch {
    PF_DISPATCH_NEW, /* the runtime has not met the thread: ask */
    PF_DISPATCH_ASK,
    PF_DISPATCH_COUNT, /* --counts[number of the function] >= 0: plain; else ask */
    PF_DISPATCH_PLAIN,
    PF_DISPATCH_WATCH,
    PF_DISPATCH_EVENT
};

struct pf_thread;

/* thread_local(initialexec) `__pf_tls`. All zero until the runtime meets the thread, which is at the
 * latest when its first compiled function asks. A thread it will not know has one frame for all. */
struct pf_tls {
    uint64_t key; /* see pf_shadow.h */
    uint64_t shared; /* a cell[1] word under which this thread may read any byte */
    struct pf_frame *frame; /* the next free frame; frame[-1] is the running function's */
    uint32_t dispatch; /* enum pf_dispatch */
    uint32_t nested; /* > 0: inside the runtime, events are ignored */
    struct pf_thread *thread;
    const uint32_t *clock; /* the runtime's: the thread's clock while nothing special is going on */
    /* Event body: events that may still happen before the runtime is asked. A run of n accesses is
     * counted at once where the budget covers it; else access by access: one that takes the budget
     * below 0 asks. */
    int64_t budget;
    uint64_t step; /* from one frame of a plain body to the next: 0 in a thread that is not known */
    int32_t *counts; /* of each function, by number: calls that need not ask */
    struct pf_frame scratch[2];
    uint32_t woken; /* the runtime's: another thread wants this one to be watched */
    uint32_t
        cross; /* not 0: plain bodies cross to the watch body at the next back edge of a loop */
    uint32_t
        objects; /* event body: variables on the stack that are told of, and 1; 0: none is to be */
};

/* A word handed to __pf_event_call: where the variable on the stack is known that it points into, the variable's address, and from this
 * bit on its size. */
#define PF_WORD_SIZE 48

/* Bytes behind a variable of `size` bytes that are nobody's: to the next 8, and 16 more. */
#define PF_ZONE(size) ((-(uint64_t)(size) & 7) + 16)

/* Operations of __pf_atomic_begin and memory orders (as in C11: 0 relaxed .. 5 seq_cst). */
enum pf_atomic_op { PF_ATOMIC_LOAD, PF_ATOMIC_STORE, PF_ATOMIC_RMW, PF_ATOMIC_CAS };
enum pf_order { PF_RELAXED, PF_CONSUME, PF_ACQUIRE, PF_RELEASE, PF_ACQ_REL, PF_SEQ_CST };

static inline const char *pf_rel_str(const pf_rel *r) { return *r ? (const char *)r + *r : 0; }
static inline const struct pf_scope *pf_site_scope(const struct pf_site *s)
{
    return (const struct pf_scope *)((const char *)&s->scope + s->scope);
}
static inline const struct pf_site *pf_func_site(const struct pf_func *f, uint32_t index)
{
    return (const struct pf_site *)((const char *)&f->sites + f->sites) + index;
}

#endif
