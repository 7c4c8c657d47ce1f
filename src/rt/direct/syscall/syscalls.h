/*
 * syscalls.h - system calls of the target in directed mode: what the files behind pf_syscall_run
 * share.
 *
 * Model:   a system call is a function (number, arguments) -> (result, bytes written to the
 *          target's memory). While recording it is performed, and result and bytes are logged. In a
 *          replay both come from the log, and the bytes are written to the same addresses.
 *          syscalls.def says which bytes a call writes. docs/format/input.md is the layout of the
 *          log, docs/decision/inputs.md explains the design.
 * Memory:  from the runtime's store. Calls with lists of buffers use little stack space, because
 *          the target's threads may have small stacks.
 * Threads: only the runner. A function may switch to another context only if it says "may switch".
 * Errors:  a log that does not match ends in pf_diverged. An effect that cannot be recorded is
 *          reported by pf_input_doubt.
 */
#ifndef PF_RT_SYSCALLS_H
#define PF_RT_SYSCALLS_H

#include "context.h"
#include "direct.h"
#include "environment.h"
#include "file_overlay.h"
#include "input_record.h"
#include "outside_calls.h"
#include "pinned_answers.h"
#include "served_input.h"
#include "sys.h"
#include <assert.h>
#include <errno.h>
#include <poll.h>

/* --- the table (syscall_table.c) --- */

/* What kind of call it is; syscalls.def explains the kinds. */
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
    uint8_t kind, at, by; /* enum write_kind of syscall_writes.h; argument numbers */
    uint16_t size;
};
struct pf_syscall {
    const char *name;
    uint8_t effect, wait;
    struct pf_syscall_write writes[4];
    long (*handler)(long number, const long argument[6]);
};
#define PF_SYSCALL_MAX 512
/* The entry of a call. Calls that are not in the table have effect UNKNOWN and no name. */
const struct pf_syscall *pf_syscall_at(long number);

#define PF_SYSCALL(name, effect, wait, ...)
#define PF_SYSCALL_SCHED(name)
#define PF_SYSCALL_CUSTOM(name, function, ...) long function(long number, const long argument[6]);
#include "syscalls.def"
#undef PF_SYSCALL
#undef PF_SYSCALL_SCHED
#undef PF_SYSCALL_CUSTOM

/* --- the records of the input stream (input_log.c) --- */

/* Recording: appends a record with these bytes as payload. */
void pf_input_put(enum pf_input_kind kind, long number, int64_t result, const void *bytes,
                  size_t n);
/* Recording: appends only the header of a record. The caller must append its `n` bytes of payload
 * next. `from` is an enum pf_input_from. */
void pf_input_put_header(enum pf_input_kind kind, long number, int64_t result, size_t n,
                         uint8_t from);
/* Replay: takes the next record, which must belong to the current context and have this kind and
 * number (-1: any). Its payload follows it in memory. */
const struct pf_input *pf_input_get(enum pf_input_kind kind, long number);
/* Replay: the next record without taking it; NULL: no more. */
const struct pf_input *pf_input_peek(void);
/* The record that was put last, for use before the next one. NULL: it is too long. */
const struct pf_input *pf_input_newest(void);
void pf_input_skip(void); /* takes the record that peek returned */
static inline const void *pf_input_payload(const struct pf_input *in) { return in + 1; }
/* Replay: copies the first n bytes of a payload. A shorter payload is a divergence. */
void pf_input_copy(const struct pf_input *in, void *to, size_t n);

/* Reports that the recording may not replay, because the target did `what`. Printed and logged once
 * for each `what`, a string that must stay valid. */
void pf_input_doubt(const char *what);
/* Call when the process ends: passes the first reported reason to pf. */
void pf_input_end(void);

/* --- memory that a call writes (syscall_writes.c) --- */

/* Lengths that the kernel both reads and overwrites, with their values before the call. */
struct pf_lengths_before {
    uint32_t length, control;
};
void pf_syscall_writes_prepare(long number, const long argument[6],
                               struct pf_lengths_before *before);
/* log: records the call, its result and the memory that it wrote. replay: restores that memory from
 * record `in`, which the caller has taken, and returns the result. */
void pf_syscall_writes_log(long number, const long argument[6],
                           const struct pf_lengths_before *before, long result);
long pf_syscall_writes_replay(long number, const long argument[6], const struct pf_input *in);

/* --- output of the target (target_output.c) --- */

struct iovec;
/* Call after a system call that wrote `result` bytes of these vectors to fd. Recording: logs them.
 * Replay: compares them with the log and shows output to standard output and error. */
void pf_output_bytes(long number, const long argument[6], const struct iovec *vectors, size_t count,
                     long result);
/* Call after a system call that may have opened, copied or closed descriptors: keeps track of which
 * descriptors are standard output and error. */
void pf_output_track(long number, const long argument[6], long result);
/* 1 if fd is standard output, 2 if it is standard error, else 0. */
int pf_output_standard(int fd);
/* The number of bytes written to the descriptor so far; 0 if it is not 0, 1 or 2. */
uint64_t pf_output_written(int fd);
/* From now on, output to standard output and error is logged but not written. */
void pf_output_hide(void);
bool pf_output_hidden(int fd);
/* The buffers of an output call; returns their number. *one is used for calls that have no list. */
size_t pf_output_vectors(long number, const long argument[6], struct iovec *one,
                         const struct iovec **list);

/* --- calls that wait (blocking.c) --- */

/* One call that may wait. It is tried without waiting; if it would wait, the thread waits in the
 * scheduler and then tries again. May switch. */
struct pf_blocking {
    long number;
    const long *argument;
    /* Recording: performs the call without waiting and sets `result`. False: the call would have
     * waited. With `last` set the deadline has passed and it must return true. */
    bool (*try_now)(struct pf_blocking *b);
    long result;
    bool last;
    bool repeat; /* no event tells when it is ready: try again every millisecond */
    uint8_t kind; /* enum pf_wait_kind */
    bool never_restart; /* fails with EINTR after every signal handler, as in the kernel */
    uint64_t deadline; /* virtual time; 0: none */
    struct pollfd *set; /* descriptors to wait for */
    uint32_t set_size;
    size_t done; /* for use by try_now */
};
long pf_blocking_run(struct pf_blocking *b);
/* The common case: waits until the descriptor in argument 0 is ready. */
long pf_blocking_fd(long number, const long argument[6], short events);
bool pf_fd_ready(int fd, short events);
bool pf_fd_nonblocking(int fd); /* true also if fd is not open: the call itself reports it */
bool pf_fd_is_stream(int fd); /* a stream socket */
/* The virtual time that is this far in the future, but at least 1 ns; 0 (no deadline) if it is very
 * far away. */
uint64_t pf_deadline_after(int64_t seconds, int64_t nanoseconds);
/* The call would wait on a socket: sets the deadline from SO_RCVTIMEO or SO_SNDTIMEO. Always
 * returns false, so that a try_now function can return its result. */
bool pf_blocking_socket_timeout(struct pf_blocking *b);

/* --- memory (memory_calls.c) --- */

/* True if other processes may also write to the memory at `at`; true if there is any such
 * memory. */
bool pf_memory_is_shared(uint64_t at);
bool pf_memory_any_shared(void);

/* --- helpers --- */

/* Adds one word to the hash of docs/format/input.md. */
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
    bool repeat; /* it waits for an outside event without a descriptor and checks periodically */
    uint64_t mask, wanted; /* blocked signals; the signals that a sigtimedwait waits for */
    struct pf_queued_signal *queue; /* signals sent to this thread only, oldest first */
    stack_t alternate;
    char name[16];
    uint32_t pinned; /* calls with pinned answers so far (pinned_answers.h) */
};
struct pf_syscall_state *pf_syscall_state_of(struct pf_context *c);
static inline struct pf_syscall_state *pf_syscall_state_self(void)
{
    return pf_syscall_state_of(pf_context_self());
}
static inline bool pf_recording(void) { return pf_direct.mode == PF_DIRECT_RECORD; }

/* A call without special handling: performs and logs it, or replays it. */
long pf_syscall_plain(long number, const long argument[6]);
static inline long pf_perform(long number, const long a[6])
{
    long r;
    if (__builtin_expect(pf_direct.isolated, 0)) {
        pf_outside_check(number, a);
        if (pf_overlay_call(number, a, &r))
            return r;
    }
    r = __builtin_expect(pf_rewind_on, 0) ? pf_rewind_perform(number, a)
                                          : pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (__builtin_expect(pf_direct.exploring, 0))
        pf_pin_note_path(number, a);
    if (__builtin_expect(r == -EFAULT, 0) && pf_environment_retry(number))
        r = pf_sys6(number, a[0], a[1], a[2], a[3], a[4], a[5]);
    if (__builtin_expect(pf_direct.isolated, 0))
        r = pf_served_result(number, a, r);
    return r;
}

void pf_affinity_init(void);

/* --- signals (signal_pending.c) --- */

void pf_signal_init(void);
enum pf_handled { PF_HANDLED_NONE, PF_HANDLED_RESTART, PF_HANDLED_INTERRUPT };
/* Runs the handlers of the current context's pending signals, unless it is inside the runtime; may
 * switch. Returns what an interrupted system call must do. */
enum pf_handled pf_signal_run_handlers(void);
/* True if pf_signal_run_handlers would run a handler now. */
bool pf_signal_pending(void);
/* Sends a signal to the current context, caused by its own system call. */
void pf_signal_raise(int number);
/* In a forked child that continues directed: it has no pending signals and no timers. */
void pf_signal_forked(void);
/* In a forked child that runs undirected: gives the signal state that the runtime keeps back to the
 * kernel. */
void pf_signal_child(void);
/* Before fork and exec: gives the current context's signal mask to the kernel and stops trapping
 * machine instructions. With `back`: undoes both. */
void pf_signal_mask_to_kernel(bool back);
extern uint32_t pf_signal_uid; /* user id, as in the recording */
/* Recording: true if signals have arrived from outside and were not taken yet. */
bool pf_signal_arrived(void);

#endif
