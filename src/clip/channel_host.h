/*
 * channel_host.h - pf's side of the channel: makes it, fills in the streams to be read, takes what the target
 * writes into a clip.
 *
 * Model:   a recorder thread takes whole chunks as they come, and whatever there is when a fifth of a
 *          second has passed, so that the death of pf loses little. When the target has ended,
 *          pf_channel_host_close takes the rest: all that the target put.
 * Memory:  the memfd and its mappings, until pf_channel_host_free. Streams to be read are unpacked into it.
 * Threads: start and close from one thread; between them the writer is the recorder's alone.
 * Errors:  when the file cannot be written (disk full) the target goes on unrecorded, what was
 *          written stays, and close tells.
 */
#ifndef PF_CLIP_CHANNEL_HOST_H
#define PF_CLIP_CHANNEL_HOST_H

#include "clip.h"

struct pf_channel_host;

/* `use[s]`: enum pf_ring_use of each stream; those to be read come from `clip`. */
PF_MUST_USE pf_status pf_channel_host_new(struct pf_channel_host **h, const uint8_t use[PF_STREAMS],
                                          const struct pf_clip *clip, struct pf_error *e);
/* The settings, to be filled in before the target starts; the outcome, after it ended. */
struct pf_channel *pf_channel_host_channel(struct pf_channel_host *h);
/* Puts the descriptor where the target looks for it, open over exec, and starts the recorder (w may
 * be NULL when nothing is written). */
PF_MUST_USE pf_status pf_channel_host_start(struct pf_channel_host *h, struct pf_clip_writer *w,
                                            struct pf_error *e);
/* The target is gone: takes the rest and ends the thread. */
PF_MUST_USE pf_status pf_channel_host_close(struct pf_channel_host *h, struct pf_error *e);
void pf_channel_host_free(struct pf_channel_host *h);

#endif
