/* fuzz_text.c - the text form: whatever is read and agrees with itself is written, and read back. */
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
    if (pf_trace_read_text(&a, "input", text, size, &e) && pf_trace_check(&a, &e)) {
        FILE *out = open_memstream(&again, &n);
        pf_trace_write_text(&a, out);
        fclose(out);
        if (!pf_trace_read_text(&b, "again", again, n, &e) || b.events.len != a.events.len)
            abort();
    }
    pf_trace_release(&a);
    pf_trace_release(&b);
    free(again);
    free(text);
    return 0;
}
