/*
 * resident.h - a target that stays at a checkpoint and runs copies of itself on request.
 *
 * Model:   pf asks for a copy (struct pf_resident in channel.h). The copy gets the channel and the
 *          plan that pf has prepared for it, follows the plan, and then its policy to the end of
 *          the run. It traces its events. The resident process collects its status and waits for
 *          the next request.
 * Memory:  a copy shares its pages with the resident process until it writes them.
 * Errors:  the resident process ends when pf has died. pf kills a copy that takes too long.
 */
#ifndef PF_RT_RESIDENT_H
#define PF_RT_RESIDENT_H

/* Serves requests. Returns in each copy; the resident process itself ends here. */
void pf_resident_serve(void);

#endif
