/*
 * schedule_stream.h - the schedule as bytes: stream PF_STREAM_SCHEDULE of a clip.
 *
 * Model:   a record is  varint(n << 3 | end)  varint(thread)  and, for segments, the highest byte
 *          of the rolling hash at its end. Varints are little endian, 7 bits a byte. PF_END_TIME
 *          and PF_END_STUCK have no thread. docs/format/schedule.md is normative.
 * Errors:  get returns false at the end of the stream, also if the last record is cut.
 */
#ifndef PF_RT_SCHEDULE_STREAM_H
#define PF_RT_SCHEDULE_STREAM_H

#include "scheduler.h"

struct pf_segment {
    uint32_t thread;
    uint8_t end; /* enum pf_segment_end */
    uint8_t hash;
    uint64_t n;
};
/* PF_END_STUCK with this n is not the end: the next segment ends by a yield in a spin loop. */
#define PF_STUCK_SPIN 2

/* put: appends a record. get: reads the next one; false at the end of the stream. */
void pf_schedule_put(const struct pf_segment *s);
bool pf_schedule_get(struct pf_segment *s);
struct pf_spin_record;
void pf_schedule_put_spin(const struct pf_spin_record *s);
bool pf_schedule_get_spin(struct pf_spin_record *s);

#endif
