/*
 * pf_abi.h - what compiled code and the runtime agree on: tables in the object file, the per-thread
 * words that compiled code reads and writes, the shadow call stack.
 *
 * Model:   every instrumented function has a record (section pf_func) with its sites (section
 *          .pf_sites); every global variable has one in pf_var. All references inside the tables
 *          are relative to the field that holds them, so the tables need no relocation at load
 *          time.
 * Memory:  the tables live in the object file, the sites in a section that is not loaded. When an
 *          object is unloaded, the runtime copies the records that it still refers to.
 * Threads: tables are constant, except pf_func.number; struct pf_tls belongs to its thread.
 */
#ifndef PF_ABI_H
#define PF_ABI_H

#include <stdint.h>

#define PF_ABI_VERSION 6

/* An object built by pf cc carries an ELF note: owner "photofinish", type 1, one word: the version
 * of this ABI. */
#define PF_NOTE_SECTION ".note.photofinish"
/* Distances to functions that pf cc has compiled and that have no struct pf_func, each a pf_rel. */
#define PF_NO_RECORD_SECTION "pf_no_record"
/* Sites. The section is not loaded: the linker gives it the address 0, and the runtime maps it from
 * the file. */
#define PF_SITES_SECTION ".pf_sites"
#define PF_NOTE_OWNER "photofinish"
#define PF_NOTE_ABI 1
/* An object with symbolic bodies has a second note, of this type; its word is 1. */
#define PF_NOTE_SYMBOLIC 2
/* An object whose event bodies are compiled on demand has a note of this type; its word is 1. */
#define PF_NOTE_ON_DEMAND 3
/* Where such an object keeps its IR (plugin/tables/kept_ir.c). Linkers treat it as debug
 * information because of its name. */
#define PF_KEPT_SECTION ".debug_pf_bodies"
#define PF_KEPT_MAGIC "PFKEPTIR"
/* A shared object with event bodies or with symbolic bodies (plugin/event_module.h): names of
 * symbols that the runtime resolves, the section of struct pf_body_entry, and a void *[4] with the
 * bounds of that section and of pf_func. */
#define PF_AT "__pf_at_"
#define PF_AT_NAMED ".name." /* after the address: the name, if another object may replace it */
#define PF_BODIES_FILE "libpf_bodies." /* its name; the build id, ".COPY" and ".so" follow */
#define PF_SYMBOLIC_FILE "libpf_labels." /* with symbolic bodies; a name of the same length */
#define PF_BODIES_SECTION "pf_bodies"
#define PF_BODIES_BOUNDS "__pf_bodies"
struct pf_body_entry {
    /* addresses relative to the object that the body belongs to. record: the struct pf_func whose
     * field `event` gets the address of the body. If it is 0, `entry` is the function whose first
     * instructions are replaced by a jump to the body. */
    uint64_t record, entry;
    uint64_t body;
};
#define PF_JUMP_BYTES 14 /* the size of that jump */

enum pf_site_kind {
#define PF_SITE(name, text) PF_SITE_##name,
#include "pf_site.def"
#undef PF_SITE
    PF_SITE_KINDS
};

/* A reference to a string or table: the distance in bytes from the field itself; 0 means none. */
typedef int32_t pf_rel;

/* Facts common to all sites of one function that came from the same source function through the
 * same inlining. */
struct pf_scope {
    pf_rel file;
    pf_rel func; /* the source function; for inlined code, the inlined function */
    uint32_t begins; /* first line of func; 0: unknown */
    /* further lines in `file`, such as "41, 45", if the compiler merged accesses of several lines;
     * 0: none */
    pf_rel merged_lines;
    uint32_t inlined; /* 1 + index of the call site that func was inlined at; 0: not inlined */
};

struct pf_site {
    pf_rel scope;
    pf_rel var; /* the accessed variable, or the called function; 0: unknown */
    uint32_t line;
    uint16_t column;
    uint8_t size; /* bytes accessed; 0: not constant, or above 255 */
    uint8_t kind : 4; /* enum pf_site_kind */
    uint8_t flags : 4; /* enum pf_site_flags */
};
_Static_assert(PF_SITE_KINDS <= 16, "four bits for the kind of a site");

/* The variable name of sites that read or write the vtable pointer of an object. */
#define PF_VTABLE_POINTER "vtable pointer"

/* How the event at this site may depend on earlier reads of its thread
 * (plugin/plan/read_dependence.c). */
enum pf_site_flags {
    PF_SITEF_BRANCH = 1, /* there is a branch between the thread's previous event and this one */
    PF_SITEF_ADDRESS = 2, /* its address, or an argument of the call, may come from a read */
    /* the value read decides whether a later write of the same memory happens, or what it writes
     * (plugin/plan/check_then_act.c) */
    PF_SITEF_CHECK = 4,
    PF_SITEF_ACT = 8, /* a write that such a read decides about */
};

struct pf_func {
    pf_rel name;
    pf_rel file;
    pf_rel sites; /* reference to the first struct pf_site; use pf_func_site */
    uint32_t nsites;
    uint32_t line;
    uint32_t number; /* assigned by the runtime when it first sees the function; 0 before */
    uint64_t hash; /* of the function's code (plugin/tables/body_hash.c) */
    pf_rel entry; /* reference to the function; 0: a function of the runtime */
    uint32_t flags; /* enum pf_func_flags */
    /* PF_FUNCF_ON_DEMAND: the address of the event body, or of the symbolic body in a symbolic run;
     * 0: not loaded */
    uint64_t event;
};
enum pf_func_flags {
    PF_FUNCF_LOOPS = 1, /* one call may take long: the function has loops that may be long */
    PF_FUNCF_SYMBOLIC = 2, /* the function has a symbolic body */
    /* the event body is not in this object: the runtime loads it (docs/decision/size.md) */
    PF_FUNCF_ON_DEMAND = 4,
    /* the record is in a shared object of bodies; `event` is the address of the function */
    PF_FUNCF_DETACHED = 8,
    /* the sites are in PF_SITES_SECTION; otherwise they are loaded */
    PF_FUNCF_SITES_IN_FILE = 16,
};

struct pf_var {
    int64_t address; /* distance from this field to the variable */
    uint64_t size;
    pf_rel name;
    pf_rel file;
    uint32_t line;
    uint32_t has_red_zone; /* 1: a red zone of PF_RED_ZONE(size) bytes follows it */
};

/* The shadow call stack. The plain and the watch body both push a frame at entry and store in
 * `call` the site of the call that they are about to make. On every exit, in every landing pad and
 * after every call that returns twice, they restore the stack pointer of their own frame. A
 * function that calls nothing pushes no frame in its plain body: it only writes its record into the
 * free frame above the top. */
struct pf_frame {
    struct pf_func *func;
    uint32_t call; /* site index + 1 of the call in progress; 0: none yet; | PF_CALL_UNWATCHED */
    uint32_t node; /* set by the runtime: the calling context; 0: not resolved yet */
};
#define PF_CALL_UNWATCHED 0x40000000u /* a plain body's frame: its accesses are not checked */
static inline uint32_t pf_frame_site(const struct pf_frame *f)
{
    return f->call & ~PF_CALL_UNWATCHED;
}

/*
 * `__pf_bare` is a variable of the process. When it is not 0, functions run as they were written,
 * without any of these bodies.
 *
 * plain: maintains frames and synchronisation only; watch: also checks every access; event: for
 * directed mode; excluded: the plain body, entered after __pf_event_excluded; symbolic: the event
 * body with labels (pf_symbolic.h), only in functions compiled with --symbolic.
 */
enum pf_body { PF_BODY_PLAIN, PF_BODY_WATCH, PF_BODY_EVENT, PF_BODY_EXCLUDED, PF_BODY_SYMBOLIC };
enum pf_dispatch {
    PF_DISPATCH_NEW, /* the runtime has not seen the thread yet: call __pf_ask */
    PF_DISPATCH_ASK,
    /* if --counts[function number] >= 0 run the plain body, else call __pf_ask */
    PF_DISPATCH_COUNT,
    PF_DISPATCH_PLAIN,
    PF_DISPATCH_WATCH,
    PF_DISPATCH_EVENT,
    PF_DISPATCH_SYMBOLIC /* functions without a symbolic body call __pf_ask */
};

struct pf_thread;

#define PF_SYMBOLIC_ARGUMENTS 16 /* arguments whose labels are passed */
#define PF_SYMBOLIC_BY_VALUE 4 /* arguments passed by value in memory, whose labels are passed */
#define PF_SYMBOLIC_FIELDS 16 /* labels of one value: the lanes of a vector, fields of a struct */

/* The counter of a block in a loop that some iterations skip (__pf_rare_block). Shared by all
 * threads, which access it without locks. */
#define PF_RARE_BLOCK_ENTRIES 64
struct pf_rare_block {
    uint32_t left; /* entries that may still switch to the watch body; 0: do not ask again */
    uint32_t last; /* when it was entered last, in a unit of the runtime */
};

/* thread_local(initialexec) `__pf_tls`. All zero until the runtime registers the thread, at the
 * latest when the thread's first compiled function calls __pf_ask. A thread that the runtime does
 * not register uses one frame for all its functions. */
struct pf_tls {
    uint64_t key; /* see pf_shadow.h */
    /* a reference in cell[1] to a read set that holds this thread's read, in its current epoch, of
     * all 8 bytes: a read that finds it is covered */
    uint64_t read_set;
    struct pf_frame *frame; /* the next free frame; frame[-1] belongs to the running function */
    uint32_t dispatch; /* enum pf_dispatch */
    uint32_t nested; /* > 0: the thread is inside the runtime, its events are ignored */
    struct pf_thread *thread;
    /* used by the runtime: the thread's vector clock; NULL while accesses need the slow path (a
     * pending signal, a special mode) */
    const uint32_t *clock;
    /* Event body: the number of events that may still happen before the thread must enter the
     * scheduler. A run of n accesses is counted at once if the budget covers all of it. Otherwise
     * the accesses are counted one by one, and the one that makes the budget negative enters the
     * scheduler. */
    int64_t budget;
    uint64_t step; /* distance between two frames of plain bodies; 0 in an unregistered thread */
    /* by function number: how many calls may run the plain body without __pf_ask */
    int32_t *counts;
    struct pf_frame scratch[2];
    uint32_t woken; /* used by the runtime: another thread wants this one to be watched */
    /* not 0: plain bodies switch to the watch body at the next back edge of an outermost loop */
    uint32_t body_switch;
    /* event body: 1 + the number of tracked stack variables; 0: do not track any */
    uint32_t stack_variables;
    /* Symbolic body: labels of arguments and results. The caller sets `callee` to the function that
     * it calls. A callee that finds its own address there takes the labels of its arguments and
     * sets `callee` to NULL. When it returns, it sets `returned` to its own address. So labels are
     * never taken from a call of another function. */
    struct {
        void *callee, *returned;
        void *by_value[PF_SYMBOLIC_BY_VALUE]; /* what the caller passes by value in memory */
        uint32_t argument[PF_SYMBOLIC_ARGUMENTS], result[PF_SYMBOLIC_FIELDS];
    } symbolic;
    /* the frame of a call that left its watch body in a loop; if its plain body has no frame, the
     * first free frame. The call switches back to the watch body when it leaves the outermost
     * loop. */
    struct pf_frame *left_watch;
};

/* An argument word of __pf_event_call that points into a known stack variable is replaced by the
 * address of the variable, with the variable's size in the bits from this one on. */
#define PF_WORD_SIZE_SHIFT 48

/* Size of the red zone after a variable of `size` bytes: the padding to a multiple of 8, and 16
 * bytes more. */
#define PF_RED_ZONE(size) ((-(uint64_t)(size) & 7) + 16)

/* Operations of __pf_atomic_begin, and memory orders with the values of C11 (0 relaxed to 5
 * seq_cst). */
enum pf_atomic_op { PF_ATOMIC_LOAD, PF_ATOMIC_STORE, PF_ATOMIC_RMW, PF_ATOMIC_CAS };
enum pf_order { PF_RELAXED, PF_CONSUME, PF_ACQUIRE, PF_RELEASE, PF_ACQ_REL, PF_SEQ_CST };

static inline const char *pf_rel_str(const pf_rel *r) { return *r ? (const char *)r + *r : 0; }
static inline const struct pf_scope *pf_site_scope(const struct pf_site *s)
{
    return (const struct pf_scope *)((const char *)&s->scope + s->scope);
}
/* moved: of PF_FUNCF_SITES_IN_FILE, the address of the mapped section - the load address of the
 * object; otherwise 0. */
static inline const struct pf_site *pf_func_site_at(const struct pf_func *f, intptr_t moved,
                                                    uint32_t index)
{
    return (const struct pf_site *)((intptr_t)&f->sites + f->sites + moved) + index;
}

#endif
