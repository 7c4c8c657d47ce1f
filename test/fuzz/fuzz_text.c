/* fuzz_text.c - reads and writes the text form of traces; see round_trip.h. */
// sources: src/trace/*.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
#include "round_trip.h"

static bool write_text(const struct pf_trace *t, FILE *out)
{
    pf_trace_write_text(t, out);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    round_trip(data, size, pf_trace_read_text, write_text);
    return 0;
}
