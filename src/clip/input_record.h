/*
 * input_record.h - the records of stream `input` of a clip; docs/format/input.md is normative.
 *
 * The runtime includes this header, so nothing here may need a library.
 */
#ifndef PF_CLIP_INPUT_RECORD_H
#define PF_CLIP_INPUT_RECORD_H

#include <assert.h>
#include <stdint.h>

enum pf_input_kind {
    PF_INPUT_CALL = 1, /* a system call returned; the payload is what it wrote */
    PF_INPUT_BLOCKED,  /* an attempt at a call that would have waited */
    PF_INPUT_WOKEN,    /* how that wait ended: result is an enum pf_woken */
    PF_INPUT_SIGNAL,   /* a signal arrived from outside: number, siginfo */
    PF_INPUT_MAP,      /* follows the CALL of a mapping: the bytes of the file */
    PF_INPUT_DOUBT,    /* text: why the recording may not replay */
    PF_INPUT_EXEC,     /* the target is about to execute this program: its path */
    PF_INPUT_START,    /* the first record: facts about the process at its start */
    PF_INPUT_FAULT     /* a pointer given to this call is bad: it returned -EFAULT */
};
/* Where the bytes that a call read came from. */
enum pf_input_from { PF_INPUT_ANYWHERE, PF_INPUT_STANDARD /* descriptor 0 */ };
struct pf_input {
    uint8_t kind;
    uint8_t from; /* of a CALL: enum pf_input_from */
    uint16_t number;  /* of the system call or of the signal */
    uint32_t context; /* number of the thread */
    int64_t result;
    uint32_t bytes; /* length of the payload that follows */
    uint32_t event; /* low 32 bits of the thread's event count */
} __attribute__((packed)); /* may be unaligned in the stream */
static_assert(sizeof(struct pf_input) == 24, "docs/format/input.md");

#endif
