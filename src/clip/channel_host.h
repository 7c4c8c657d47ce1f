/*
 * channel_host.h - pf's side of the channel: creates it, loads the streams that the target reads,
 * and writes the streams that the target produces into a clip.
 *
 * Model:   a recorder thread writes a chunk as soon as a ring holds enough bytes for one, and
 *          whatever is there after a fifth of a second, so that little is lost if pf is killed.
 *          When the target has ended, pf_channel_host_close writes the rest, so that every byte is
 *          in the clip.
 * Memory:  owns the memfd and its mappings until pf_channel_host_free. Streams that the target
 *          reads are decompressed into the memfd.
 * Threads: call start and close from the same thread; in between only the recorder thread may use
 *          the clip writer.
 * Errors:  if the file cannot be written (disk full), the target continues without being recorded,
 *          the part that was written stays valid, and close returns the error.
 */
#ifndef PF_CLIP_CHANNEL_HOST_H
#define PF_CLIP_CHANNEL_HOST_H

#include "clip.h"

struct pf_channel_host;

/* `use[s]` is the enum pf_ring_use of stream s; streams that the target reads are taken from
 * `clip`. */
PF_MUST_USE pf_status pf_channel_host_new(struct pf_channel_host **h, const uint8_t use[PF_STREAMS],
                                          const struct pf_clip *clip, struct pf_error *e);
/* The shared header. Set the options before the target starts; read the outcome after it has
 * ended. */
struct pf_channel *pf_channel_host_channel(struct pf_channel_host *h);
/* Use, offset and size of a ring. Those in the shared header may have been overwritten by the
 * target. */
const struct pf_ring *pf_channel_host_layout(const struct pf_channel_host *h, unsigned stream);
/* Moves the descriptor to PF_CHANNEL_FD, inherited across exec, and starts the recorder thread. w
 * may be NULL if no stream is written. */
PF_MUST_USE pf_status pf_channel_host_start(struct pf_channel_host *h, struct pf_clip_writer *w,
                                            struct pf_error *e);
/* Call when the target has ended: writes the remaining bytes and joins the recorder thread. */
PF_MUST_USE pf_status pf_channel_host_close(struct pf_channel_host *h, struct pf_error *e);
void pf_channel_host_free(struct pf_channel_host *h);

#endif
