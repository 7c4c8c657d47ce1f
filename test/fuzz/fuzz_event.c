/*
 * fuzz_event.c - reads the events of a recording without its file format: the input is split into
 * the four streams of the trace, which are read directly.
 */
// sources: src/clip/clip_*.c src/clip/events.c src/clip/names.c src/base/*.c src/report/pool.c
// sources: src/report/textbuf.c src/trace/*.c src/confirm/recording_trace.c
#define _GNU_SOURCE
#include "event_code.h"
#include "recording_trace.h"
#include "selfcheck.h"
#include "trace_text.h"
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const unsigned streams[] = {PF_STREAM_EVENT, PF_STREAM_ADDRESS, PF_STREAM_VALUE,
                                       PF_STREAM_NAME};
    struct pf_clip_chunk chunk[4];
    struct pf_clip clip = {.path = "input",
                           .bytes = data,
                           .size = size,
                           .borrowed = true,
                           .meta.traced = PF_CODE_VERSION};
    uint16_t length[3];
    if (size < sizeof length + 1)
        return 0;
    clip.ended = data[0] & 1;
    memcpy(length, data + 1, sizeof length);
    for (size_t i = 0, at = sizeof length + 1; i < 4; i++) {
        size_t n = i < 3 && length[i] < size - at ? length[i] : size - at;
        chunk[i] = (struct pf_clip_chunk){at, 0, (uint32_t)n, (uint32_t)n, PF_CODEC_RAW};
        clip.stream[streams[i]].chunks.at = &chunk[i];
        clip.stream[streams[i]].chunks.len = n > 0;
        clip.stream[streams[i]].length = n;
        at += n;
    }
    struct pf_trace t;
    struct pf_error e;
    pf_trace_init(&t);
    if (pf_trace_read_clip(&t, &clip, "input", &e) == PF_OK &&
        pf_trace_check(&t, NULL, &e) == PF_OK) {
        FILE *out = fopen("/dev/null", "w");
        pf_trace_write_text(&t, out);
        fclose(out);
    }
    pf_trace_release(&t);
    return 0;
}
