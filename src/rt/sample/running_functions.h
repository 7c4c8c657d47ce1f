/*
 * running_functions.h - who runs what: the functions that the other threads are in now.
 *
 * Model:   every sampled thread has a seat. What it runs is read from its shadow stack, without its
 *          help: the function on top, the one that stands above the top, which it left last or
 *          which runs there without a frame (pf_abi.h), and the one that it began with, which lasts. As in AtexRace, a function counts until the
 *          thread enters another; that of a thread that ended, until it is joined. Functions have the name under which pairs are counted (function_pairs.h).
 * Threads: pf_seat_look from any seated thread; what a thread shows is freed only when nobody looks.
 */
#ifndef PF_RT_SEAT_H
#define PF_RT_SEAT_H

#include "thread.h"

#define PF_SEATS 1024
#define PF_SEEN_MAX 64 /* functions of others told at once */

#define PF_SEEN_LOOPS 1ull
struct pf_seen {
    uint64_t name;  /* of the function; PF_SEEN_LOOPS: it may run for long */
    uint32_t seat;  /* of the thread, for pf_seat_wake */
    bool first;     /* the thread began with it */
};

/* -> the seat, or UINT32_MAX when all are taken. */
uint32_t pf_seat_take(struct pf_thread *t);
/* A thread was created (1), or has begun or will not (-1): in between it runs nothing yet, which is something that
 * others can run at the same time as. */
void pf_seat_expect(int by);
/* The thread, whose stack was this high, ends. Waits until nobody looks any more. */
void pf_seat_leave(uint32_t seat, struct pf_frame *top);
void pf_seat_joined(const struct pf_thread *t);
/* In the child of fork, whose other threads are gone. */
void pf_seat_alone(uint32_t seat);
/* The function runs; from now on others can tell. Returns its name. */
uint64_t pf_seat_name(struct pf_func *f);
/* What the others run, each function once for each thread. Between _look and _done they stay. Those to come, who run
 * nothing yet, are there when nobody else is (*alone: and nobody is awaited). */
unsigned pf_seat_look(uint32_t self, struct pf_seen *out, bool *alone);
/* The thread is `woken` and asks at its next call; with `cross`, it leaves the plain body that it may be in before. */
void pf_seat_wake(uint32_t seat, bool cross);
void pf_seat_done(uint32_t self);

#endif
