/*
 * pinned_answers.h - gives several runs the same answers of the outside world: the runs of an
 * exploration, and those that pf judge compares.
 *
 * Model:   a call whose answer depends on more than the program (random numbers, a device, a
 *          connection to another process) gets the answer of the first run that made it: the same
 *          thread, the same number of such calls before, the same arguments (answer_table.h). It is
 *          then not performed. The thread is identified by the way it was created. A call without
 *          such an answer is performed; in all runs but the first, it is also reported to pf.
 *          In an exploration the same holds for reads of clocks (pf_input_clock in direct.h).
 *          Files are not answers: what the program itself writes must be visible, so these calls
 *          are performed. But if another process has changed a file since the first run used it,
 *          that is reported to pf.
 * Memory:  a table in shared memory, which pf owns.
 * Threads: only the runner.
 */
#ifndef PF_RT_PINNED_ANSWERS_H
#define PF_RT_PINNED_ANSWERS_H

#include <stdbool.h>
#include <stdint.h>

/* In a resident target: maps the table in this file. False: it cannot be mapped. */
bool pf_pins_map(const char *path);
/* In runs that are compared: maps the table in this folder, if there is one. Of the calls above,
 * only those that need no other process get the answer of the first run. */
void pf_pins_map_in(const char *folder);

/* The state of one call between its begin and its end. */
struct pf_pin {
    uint64_t key; /* 0: its answer is not kept */
};
/* Before a call of a recorded run. True: *result is the answer, its bytes are written to memory,
 * and it is logged; the call must not be performed. */
bool pf_pin_begin(struct pf_pin *p, long number, const long argument[6], long *result);
/* After the call was performed and logged. */
void pf_pin_end(const struct pf_pin *p, long number, const long argument[6], long result);
/* The call would have waited: tells pf, unless the answer of the call is kept. */
void pf_pin_waits(const struct pf_pin *p, long number);
/* In an explored run: the kernel has looked at the path of this call. */
void pf_pin_note_path(long number, const long argument[6]);

#endif
