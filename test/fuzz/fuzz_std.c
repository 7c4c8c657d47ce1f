/* fuzz_std.c - reads and writes RAPID's STD form; see round_trip.h. */
// sources: src/trace/*.c
// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c src/base/status.c
#include "round_trip.h"

static bool write_std(const struct pf_trace *t, FILE *out)
{
    struct pf_error e;
    return pf_trace_write_std(t, out, &e) == PF_OK;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    round_trip(data, size, pf_trace_read_std, write_std);
    return 0;
}
