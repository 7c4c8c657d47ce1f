/*
 * show_events.c - prints the event records of a recording, one per line, for tests:
 *      T1 14 rmw a =2 old=0 f:9        thread, index, kind, variable, value, function and line
 * The kind of an attached record has the prefix "+".
 */
#include "events.h"
#include "pf_event.h"
#include <stdio.h>

static const char *const words[] = {
#define PF_EVENT(name, word, operand, class) word,
#include "pf_event.def"
#undef PF_EVENT
};

static void show(const struct pf_record *x, const struct pf_names *n)
{
    struct pf_name_position p = {.function = "?", .variable = "-"};
    if (x->site < n->nsites && n->site[x->site].npositions)
        p = n->position[n->site[x->site].position[0]];
    printf("T%u %lu %s%s %s", x->thread, (unsigned long)x->index, x->attached ? "+" : "",
           words[x->kind], *p.variable ? p.variable : "-");
    if (x->kind == PF_EV_CALL)
        printf(" %lu", (unsigned long)x->more);
    if (x->has_value)
        printf(" =%lx", (unsigned long)x->value);
    if (x->has_old)
        printf(" old=%lx", (unsigned long)x->old);
    printf(" %s:%u\n", p.function, p.line);
}

int main(int argc, char **argv)
{
    struct pf_clip clip;
    struct pf_error e = {0};
    struct pf_events *events;
    struct pf_record x;
    pf_status s = PF_OK;
    if (argc < 2 || pf_clip_open(&clip, argv[1], &e) || pf_events_open(&events, &clip, &e)) {
        fprintf(stderr, "show_events: %s\n", e.text);
        return 1;
    }
    while (pf_events_next(events, &x, &s, &e))
        show(&x, pf_events_names(events));
    if (s)
        fprintf(stderr, "show_events: %s\n", e.text);
    return s != PF_OK;
}
