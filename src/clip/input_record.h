/*
 * input_record.h - the records of the stream `input` of a clip (docs/format/input.md).
 *
 * Included by the runtime: no library.
 */
#ifndef PF_CLIP_INPUT_RECORD_H
#define PF_CLIP_INPUT_RECORD_H

#include <assert.h>
#include <stdint.h>

enum pf_input_kind {
    PF_INPUT_CALL = 1, /* a system call came back; the payload is its outputs */
    PF_INPUT_BLOCKED,  /* a try of one that would have waited */
    PF_INPUT_WOKEN,    /* how the wait ended: result is an enum pf_woken */
    PF_INPUT_SIGNAL,   /* one came from outside: number, siginfo */
    PF_INPUT_MAP,      /* after the CALL of a mapping: the bytes found there */
    PF_INPUT_DOUBT,    /* text: why the recording may not replay */
    PF_INPUT_EXEC,     /* the target is about to become another program: its path */
    PF_INPUT_START     /* the first: what is known of the machine */
};
/* Where what a call read came from, as far as that is of interest. */
enum pf_input_from { PF_INPUT_ANYWHERE, PF_INPUT_STANDARD /* descriptor 0 */ };
struct pf_input {
    uint8_t kind;
    uint8_t from; /* of a call: enum pf_input_from */
    uint16_t number;  /* of the system call, of the signal */
    uint32_t context; /* who */
    int64_t result;
    uint32_t bytes; /* of payload, which follows */
    uint32_t event; /* low bits of its event index */
} __attribute__((packed)); /* lies anywhere */
static_assert(sizeof(struct pf_input) == 24, "docs/format/input.md");

#endif
