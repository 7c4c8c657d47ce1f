/* output_event.c - see output_event.h. */
#include "output_event.h"
#include <string.h>

bool pf_output_event(const struct pf_trace *t, uint32_t i)
{
    static const char *const writers[] = {"write",    "writev",  "pwrite",   "pwrite64", "send",
                                          "sendto",   "sendmsg", "printf",   "vprintf",  "fprintf",
                                          "vfprintf", "dprintf", "vdprintf", "puts",     "fputs",
                                          "fwrite",   "putchar", "putc",     "fputc",    "fflush"};
    const struct pf_recorded *r = &t->recorded;
    if (!r->present || i >= r->event_stack.len || !pf_event_is_access(&t->events.at[i]))
        return false;
    const struct pf_recorded_stack *s = &r->stacks.at[r->event_stack.at[i]];
    const struct pf_site_info *inner = s->n ? &t->sites.at[r->stack_sites.at[s->first]] : NULL;
    if (!inner || inner->func == PF_NONE || *pf_trace_text(t, inner->file))
        return false; /* a function with a source is not libc's */
    for (size_t k = 0; k < sizeof writers / sizeof *writers; k++)
        if (!strcmp(pf_trace_text(t, inner->func), writers[k]))
            return true;
    return false;
}
