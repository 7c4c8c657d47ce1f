/*
 * syscalls.h - the outside world of directed mode: what the parts behind pf_syscall_run share.
 *
 * Model:   a system call is (number, arguments) -> (result, bytes written to the target's memory).
 *          While recording it is performed and that pair is logged; in replay the pair comes from the
 *          log and the bytes go to the same places. syscalls.def says which bytes; docs/format/input.md
 *          is the layout of the log, docs/decision/inputs.md why it is so.
 * Memory:  the runtime's store; the calls with lists of buffers use little stack, for the target's
 *          threads may have little.
 * Threads: the one runner. Functions that say "may switch" may switch.
 * Errors:  a log that does not match is pf_diverged. What cannot be recorded is pf_input_doubt.
 */
#ifndef PF_RT_SYSCALLS_H
#define PF_RT_SYSCALLS_H

#include "context.h"
#include "direct.h"
#include "input_record.h"
#include "sys.h"
#include <assert.h>
#include <poll.h>

/* --- the table (syscall_table.c) --- */

enum pf_effect {
    PF_EFFECT_UNKNOWN,
    PF_EFFECT_INPUT,
    PF_EFFECT_OUTPUT,
    PF_EFFECT_BOTH,
    PF_EFFECT_REFUSED,
    PF_EFFECT_DOUBT,
    PF_EFFECT_CUSTOM,
    PF_EFFECT_SCHED
};
enum pf_call_wait { PF_CALL_WAIT_NO, PF_CALL_WAIT_IN, PF_CALL_WAIT_OUT };
struct pf_syscall_write {
    uint8_t kind, at, by; /* enum write_kind of syscall_writes.c; numbers of arguments */
    uint16_t size;
};
struct pf_syscall {
    const char *name;
    uint8_t effect, wait;
    struct pf_syscall_write writes[4];
    long (*handler)(long number, const long argument[6]);
};
#define PF_SYSCALL_MAX 512
/* A call outside of the table has effect UNKNOWN and no name. */
const struct pf_syscall *pf_syscall_at(long number);

#define PF_SYSCALL(name, effect, wait, ...)
#define PF_SYSCALL_SCHED(name)
#define PF_SYSCALL_CUSTOM(name, function, ...) long function(long number, const long argument[6]);
#include "syscalls.def"
#undef PF_SYSCALL
#undef PF_SYSCALL_SCHED
#undef PF_SYSCALL_CUSTOM

/* --- the records of the input stream (input_log.c) --- */

/* Recording: a record whose payload is these bytes. */
void pf_input_put(enum pf_input_kind kind, long number, int64_t result, const void *bytes,
                  size_t n);
/* Recording: only the header; the caller puts `n` bytes of payload at once. `from`: enum pf_input_from. */
void pf_input_put_header(enum pf_input_kind kind, long number, int64_t result, size_t n,
                         uint8_t from);
/* Replay: the next record of the current context, which must be of this kind and number (-1: any).
 * Its payload follows it in memory. */
const struct pf_input *pf_input_get(enum pf_input_kind kind, long number);
/* Replay: the same without taking it; NULL: there is none. */
const struct pf_input *pf_input_peek(void);
void pf_input_skip(void); /* takes it */
static inline const void *pf_input_payload(const struct pf_input *in) { return in + 1; }
/* Replay: the first n bytes of a payload that must have them. */
void pf_input_copy(const struct pf_input *in, void *to, size_t n);

/* The recording may not replay, since the target did `what`; said and logged once for each `what`. */
void pf_input_doubt(const char *what);
/* The process ends: tells pf of doubts. */
void pf_input_end(void);

/* --- outputs of a call (syscall_writes.c) --- */

/* Lengths that the kernel reads and overwrites, as they were before the call. */
struct pf_lengths_before {
    uint32_t length, control;
};
void pf_syscall_writes_prepare(long number, const long argument[6],
                               struct pf_lengths_before *before);
/* Logs the call, or answers it: the record in `in` has been taken; the result. */
void pf_syscall_writes_log(long number, const long argument[6],
                           const struct pf_lengths_before *before, long result);
long pf_syscall_writes_replay(long number, const long argument[6], const struct pf_input *in);

/* --- what leaves the target (target_output.c) --- */

/* After a call that wrote `result` bytes of these vectors to fd: logs or compares, and shows. */
struct iovec;
void pf_output_bytes(int fd, const struct iovec *vectors, size_t count, long result);
/* After a call that made, copied or closed descriptors: which of them are standard output and error. */
void pf_output_track(long number, const long argument[6], long result);
/* Is fd standard output (1) or error (2)? 0: neither. */
int pf_output_standard(int fd);
/* From now on what goes there is logged and not written. */
void pf_output_hide(void);
bool pf_output_hidden(int fd);
/* The vectors of an output call: how many; *one is room for calls without a list. */
size_t pf_output_vectors(long number, const long argument[6], struct iovec *one,
                         const struct iovec **list);

/* --- calls that wait (blocking.c) --- */

/* One call that may wait: tried without waiting, then waited for, then tried again; may switch. */
struct pf_blocking {
    long number;
    const long *argument;
    /* Recording: performs the call so that it does not wait; false: it would have. Sets `result`. With
     * `last` set the time is over and it must not say false. */
    bool (*try_now)(struct pf_blocking *b);
    long result;
    bool last;
    bool repeat; /* nobody tells when: tried again every millisecond */
    uint8_t kind; /* enum pf_wait_kind */
    bool never_restart; /* EINTR after every handler, as the kernel does for this call */
    uint64_t deadline; /* virtual, 0: none */
    struct pollfd *set; /* what to wait for */
    uint32_t set_size;
    size_t done; /* try_now's own */
};
long pf_blocking_run(struct pf_blocking *b);
/* The usual case: waits for argument 0 to be ready. */
long pf_blocking_fd(long number, const long argument[6], short events);
bool pf_fd_ready(int fd, short events);
bool pf_fd_nonblocking(int fd);
/* Virtual time of a deadline that far away; a little more than zero at least. */
uint64_t pf_deadline_after(int64_t seconds, int64_t nanoseconds);
bool pf_blocking_socket_timeout(struct pf_blocking *b);

/* --- memory (memory_calls.c) --- */

/* May other processes write there too? Is there such memory at all? */
bool pf_memory_is_shared(uint64_t at);
bool pf_memory_any_shared(void);

/* --- small things --- */

static inline size_t pf_length(const char *s)
{
    size_t n = 0;
    while (s && s[n])
        n++;
    return n;
}
/* The hash of docs/format/input.md, one word on. */
static inline uint64_t pf_input_hash_word(uint64_t h, uint64_t word)
{
    return (__builtin_rotateleft64(h, 29) ^ word) * 0x9e3779b97f4a7c15u;
}
/* "/proc/self/fd/N" */
struct pf_fd_link {
    char path[32];
};
struct pf_fd_link pf_fd_link(int fd);

/* --- per context (syscall.c) --- */

struct pf_queued_signal; /* signals.h */
struct pf_syscall_state {
    struct pollfd *set; /* while it waits for descriptors */
    uint32_t set_size;
    bool repeat; /* for something outside that has no descriptor; its deadline is near */
    uint64_t mask, wanted; /* blocked signals; those a sigtimedwait is for */
    struct pf_queued_signal *queue; /* signals for this thread alone, oldest first */
    stack_t alternate;
    char name[16];
};
struct pf_syscall_state *pf_syscall_state_of(struct pf_context *c);
static inline struct pf_syscall_state *pf_syscall_state_self(void)
{
    return pf_syscall_state_of(pf_context_self());
}
static inline bool pf_recording(void) { return pf_direct.mode == PF_DIRECT_RECORD; }

/* The common path of a call without anything special: perform and log, or answer. */
long pf_syscall_plain(long number, const long argument[6]);
static inline long pf_perform(long number, const long a[6])
{
    return pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

void pf_affinity_init(void);
/* The earliest timer of the target, in virtual time; 0: none. */
uint64_t pf_timer_deadline(void);

/* --- signals (signal_pending.c) --- */

void pf_signal_init(void);
enum pf_handled { PF_HANDLED_NONE, PF_HANDLED_RESTART, PF_HANDLED_INTERRUPT };
/* The handlers of the current context's signals run here, if it is not inside the runtime; may
 * switch. What an interrupted call is to do. */
enum pf_handled pf_signal_run_handlers(void);
/* Is there anything for the current context to run, here? */
bool pf_signal_pending(void);
/* The current context gets this signal from its own system call. */
void pf_signal_raise(int number);
/* In a child, and before exec: the kernel has to do again what was done here for it. */
void pf_signal_child(void);
void pf_signal_mask_to_kernel(bool back);
extern uint32_t pf_signal_uid; /* the user, as the recording had it */
/* Recording: anything that came from outside and waits to be taken over? */
bool pf_signal_arrived(void);

#endif
