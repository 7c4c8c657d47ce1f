/* fuzz_std.c - RAPID's STD form: whatever is read is written, and read back. */
// sources: src/trace/*.c
#define _GNU_SOURCE
#include "selfcheck.h"
#include "text.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pf_trace a, b;
    struct pf_trace_error e;
    char *text = malloc(size + 1), *again = NULL;
    size_t n = 0;
    memcpy(text, data, size);
    text[size] = 0;
    pf_trace_init(&a);
    pf_trace_init(&b);
    if (pf_trace_read_std(&a, "input", text, size, &e) && pf_trace_check(&a, &e)) {
        FILE *out = open_memstream(&again, &n);
        bool written = pf_trace_write_std(&a, out, &e);
        fclose(out);
        if (!written || !pf_trace_read_std(&b, "again", again, n, &e) ||
            b.events.len != a.events.len)
            abort();
    }
    pf_trace_release(&a);
    pf_trace_release(&b);
    free(again);
    free(text);
    return 0;
}
