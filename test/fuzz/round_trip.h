/*
 * round_trip.h - for the text forms of a trace: input that is read and is consistent is written and
 * read again; both traces must have the same number of events.
 */
#ifndef PF_FUZZ_ROUND_TRIP_H
#define PF_FUZZ_ROUND_TRIP_H

#include "selfcheck.h"
#include "trace_text.h"
#include <stdlib.h>
#include <string.h>

typedef pf_status pf_reader(struct pf_trace *, const char *, const char *, size_t,
                            struct pf_error *);

static inline void round_trip(const uint8_t *data, size_t size, pf_reader *read,
                              bool (*write)(const struct pf_trace *, FILE *))
{
    struct pf_trace a, b;
    struct pf_error e;
    char *text = malloc(size + 1), *again = NULL;
    size_t n = 0;
    memcpy(text, data, size);
    text[size] = 0;
    pf_trace_init(&a);
    pf_trace_init(&b);
    if (read(&a, "input", text, size, &e) == PF_OK && pf_trace_check(&a, NULL, &e) == PF_OK) {
        FILE *out = open_memstream(&again, &n);
        bool written = write(&a, out);
        fclose(out);
        if (!written || read(&b, "again", again, n, &e) != PF_OK || b.events.len != a.events.len)
            abort();
    }
    pf_trace_release(&a);
    pf_trace_release(&b);
    free(again);
    free(text);
}

#endif
