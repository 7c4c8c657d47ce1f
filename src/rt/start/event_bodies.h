/*
 * event_bodies.h - loads the event bodies of objects that keep IR instead of them
 * (docs/decision/size.md).
 *
 * Model:   pf-bodies compiles the event bodies of an object into a shared object, which is cached
 *          under the object's build id. The runtime loads it before the target is directed, so that
 *          nothing of it is recorded; for a library that the target loads itself, when its
 *          constructor runs. Then it stores the addresses of the target's functions and variables
 *          in the shared object (plugin/event_module.h), and the bodies in the function records.
 * Threads: at the start, or under the dynamic linker's lock.
 * Errors:  without its event bodies an object cannot be directed: prints the reason and ends the
 *          process with status 2.
 */
#ifndef PF_RT_EVENT_BODIES_H
#define PF_RT_EVENT_BODIES_H

#include <stdint.h>

/* Loads the bodies of all objects that are loaded now. */
void pf_event_bodies_load(void);
/* Loads those of the object that contains the address. */
void pf_event_bodies_load_for(uintptr_t address);

#endif
