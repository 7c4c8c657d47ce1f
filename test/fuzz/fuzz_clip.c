/*
 * fuzz_clip.c - reads a recording: the file, its names and events, and the trace built from them.
 * The checksums are corrected first, because nearly every mutation would otherwise be rejected
 * there.
 */
// sources: src/clip/clip_*.c src/clip/events.c src/clip/names.c src/base/*.c src/report/pool.c
// sources: src/report/textbuf.c src/trace/*.c src/confirm/recording_trace.c
#define _GNU_SOURCE
#include "recording_trace.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <stdlib.h>
#include <string.h>

static void set_checks(unsigned char *bytes, size_t size)
{
    for (size_t at = sizeof(struct pf_clip_header); size - at >= sizeof(struct pf_chunk);) {
        struct pf_chunk k;
        memcpy(&k, bytes + at, sizeof k);
        if (k.stored > size - at - sizeof k)
            return;
        k.check = pf_chunk_check(&k, bytes + at + sizeof k);
        memcpy(bytes + at, &k, sizeof k);
        at += sizeof k + k.stored;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct pf_clip clip;
    struct pf_error e;
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    if (size >= sizeof(struct pf_clip_header))
        set_checks(bytes, size);
    if (pf_clip_open_bytes(&clip, "input", bytes, size, &e) == PF_OK) {
        struct pf_trace t;
        pf_trace_init(&t);
        if (pf_trace_read_clip(&t, &clip, "input", &e) == PF_OK &&
            pf_trace_check(&t, NULL, &e) == PF_OK) {
            FILE *out = fopen("/dev/null", "w");
            pf_trace_write_text(&t, out);
            fclose(out);
        }
        pf_trace_release(&t);
        pf_clip_release(&clip);
    }
    free(bytes);
    return 0;
}
