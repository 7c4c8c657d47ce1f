/*
 * input_log.c - the records of stream `input`; docs/format/input.md describes them.
 *
 * A replay that follows its schedule needs the records in the order of the file. If the next record
 * belongs to another thread, kind or system call than expected, the run has diverged.
 */
#define _GNU_SOURCE
#include "stream_ring.h"
#include "syscalls.h"
#include "textbuf.h"

static uint64_t newest; /* position of the last record */

void pf_input_put_header(enum pf_input_kind kind, long number, int64_t result, size_t n,
                         uint8_t from)
{
    const struct pf_context *c = pf_context_self();
    struct pf_input in = {
        .kind = (uint8_t)kind,
        .from = from,
        .number = (uint16_t)number,
        .context = pf_context_number(c),
        .result = result,
        .bytes = (uint32_t)n,
        .event = (uint32_t)pf_context_events(c),
    };
    newest = pf_ring_position(PF_STREAM_INPUT);
    pf_ring_copy_begin();
    pf_ring_put(PF_STREAM_INPUT, &in, sizeof in);
}

const struct pf_input *pf_input_newest(void)
{
    unsigned char *base;
    if (pf_continuation_self()) /* its records do not stay in the ring */
        return pf_ring_copy();
    const struct pf_ring *r = pf_ring_of(PF_STREAM_INPUT, &base);
    return (const struct pf_input *)(base + newest % r->size); /* mapped twice in a row */
}

void pf_input_put(enum pf_input_kind kind, long number, int64_t result, const void *bytes, size_t n)
{
    pf_input_put_header(kind, number, result, n, PF_INPUT_ANYWHERE);
    if (n)
        pf_ring_put(PF_STREAM_INPUT, bytes, n);
}

static const struct pf_input *next; /* read from the stream, but not taken yet */

const struct pf_input *pf_input_peek(void)
{
    while (!next) {
        next = pf_ring_get(PF_STREAM_INPUT, sizeof *next);
        if (!next)
            return NULL;
        if (next->bytes && !pf_ring_get(PF_STREAM_INPUT, next->bytes))
            return next = NULL; /* the stream is cut within a record */
        if (next->kind == PF_INPUT_DOUBT)
            next = NULL; /* was printed while recording */
    }
    return next;
}

void pf_input_skip(void) { next = NULL; }

static const char *call_name(long number)
{
    const char *name = pf_syscall_at(number)->name;
    return name ? name : "unknown";
}

const struct pf_input *pf_input_get(enum pf_input_kind kind, long number)
{
    const struct pf_input *in = pf_input_peek();
    if (!in)
        pf_diverged("the recording ends, but the run makes another system call", 0,
                    (uint64_t)number);
    if (in->context != pf_context_number(pf_context_self()))
        pf_diverged("the next input belongs to another thread", in->context,
                    pf_context_number(pf_context_self()));
    if (in->kind != kind)
        pf_diverged("different kind of input", in->kind, kind);
    if (number >= 0 && in->number != number)
        pf_diverged_words("different system call", call_name(in->number), call_name(number));
    next = NULL;
    return in;
}

void pf_input_copy(const struct pf_input *in, void *to, size_t n)
{
    if (in->bytes < n)
        pf_diverged("input record too short", n, in->bytes);
    pf_copy(to, pf_input_payload(in), n);
}

/* --- reasons why the recording may not replay --- */

#define DOUBTS_MAX 32 /* further reasons are not reported */
static const char *doubts[DOUBTS_MAX]; /* string literals and names from the system call table */
static size_t doubt_count;

void pf_input_doubt(const char *what)
{
    if (!pf_recording())
        return;
    for (size_t i = 0; i < doubt_count; i++)
        if (doubts[i] == what)
            return;
    if (doubt_count == DOUBTS_MAX)
        return;
    doubts[doubt_count++] = what;
    pf_input_put(PF_INPUT_DOUBT, 0, 0, what, pf_str_len(what));
    static const char say[] = "this recording may not replay: ";
    char line[200];
    size_t n = pf_str_len(what), room = sizeof line - sizeof say;
    pf_copy(line, say, sizeof say - 1);
    n = n < room ? n : room;
    pf_copy(line + sizeof say - 1, what, n);
    line[sizeof say - 1 + n] = 0;
    pf_direct_say(line);
}

void pf_input_end(void)
{
    if (doubt_count)
        pf_channel_set_outcome(PF_OUTCOME_LOST, doubts[0]);
}
