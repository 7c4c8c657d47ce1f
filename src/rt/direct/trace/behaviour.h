/*
 * behaviour.h - the behaviours of a continuation: which write each read saw, as pairs of sites.
 *
 * Model:   a behaviour is (site of the write, site of the read, whether the threads differ); a lock
 *          acquisition reads the last release. The channel has one bit for each hash of a
 *          behaviour, shared by all continuations. A continuation that sets a bit has shown
 *          something new, and counts it.
 * Memory:  a table of the last writes, by granule. It has a fixed size; a granule that takes the
 *          entry of another one makes that one's last write unknown.
 * Threads: the runner only.
 * Errors:  none. Two behaviours with the same hash count as one.
 *
 * Nothing here uses vector registers.
 */
#ifndef PF_RT_BEHAVIOUR_H
#define PF_RT_BEHAVIOUR_H

#include <stdbool.h>
#include <stdint.h>

/* From now on the behaviours of this process, a continuation, are counted. */
void pf_behaviour_start(void);
/* The current thread is about to access this memory at a site of the running function. An update
 * (read and write) is reported as both, the read first. */
void pf_behaviour_access(uintptr_t addr, uint64_t size, bool write, uint32_t site);
/* At the start of a run that may have continuations: observes locks. */
void pf_behaviour_listen(void);

#endif
