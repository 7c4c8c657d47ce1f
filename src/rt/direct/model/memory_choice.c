/*
 * memory_choice.c - see memory_choice.h.
 */
#include "memory_choice.h"
#include "context.h"
#include "number_text.h"
#include "random.h"
#include "stream_ring.h"

static struct {
    bool random;
    uint64_t seed;
    uint32_t n, next;
    uint8_t at[PF_MEMORY_CHOICES];
} list;

void pf_memory_choice_init(void)
{
    static const char random[] = "random:";
    const char *p = pf_channel_get()->choices;
    uint64_t number;
    size_t n = 0;
    while (random[n] && p[n] == random[n])
        n++;
    if (!random[n]) {
        list.random = true;
        pf_number_parse(p + n, &list.seed);
        return;
    }
    for (; list.n < PF_MEMORY_CHOICES && (p = pf_number_parse(p, &number)); p += *p == ',')
        list.at[list.n++] = (uint8_t)number;
}

void pf_memory_choice_begin(const uint8_t *from, uint32_t n)
{
    list.random = false;
    list.next = 0;
    list.n = n < PF_MEMORY_CHOICES ? n : PF_MEMORY_CHOICES;
    for (uint32_t i = 0; i < list.n; i++)
        list.at[i] = from[i];
}

bool pf_memory_choice_wanted(uintptr_t addr, uint64_t size)
{
    const struct pf_memory_settings *m = &pf_channel_get()->memory;
    return !m->size || (addr < m->address + m->size && m->address < addr + size);
}

static uint32_t choose_now(uint32_t options)
{
    uint32_t chosen = list.random          ? (uint32_t)(pf_random_next(&list.seed) % options)
                      : list.next < list.n ? list.at[list.next++]
                                           : 0;
    return chosen < options ? chosen : 0;
}

uint32_t pf_memory_choose(uint32_t options)
{
    struct pf_memory_choice now = {.thread = pf_running->number,
                                   .options = (uint16_t)options,
                                   .event = pf_context_events(pf_running)};
    if (pf_direct.mode == PF_DIRECT_RECORD) {
        now.chosen = (uint16_t)choose_now(options);
        pf_ring_put(PF_STREAM_MEMORY, &now, sizeof now);
        return now.chosen;
    }
    const struct pf_memory_choice *then = pf_ring_get(PF_STREAM_MEMORY, sizeof *then);
    if (!then) /* a recording that is cut, or made without choices */
        return 0;
    if (then->thread != now.thread)
        pf_diverged("the thread of a choice of memory contents", then->thread, now.thread);
    if (then->event != now.event)
        pf_diverged("the event of a choice of memory contents", then->event, now.event);
    if (then->options != now.options)
        pf_diverged("the options of a choice of memory contents", then->options, now.options);
    return then->chosen;
}

uint32_t *pf_memory_repeat(struct pf_memory_repeats *r, uint64_t granule, uint32_t site)
{
    uint64_t key = ((uint64_t)__pf_tls.frame[-1].func + site) * 0x9e3779b97f4a7c15u ^ granule;
    struct pf_memory_repeat *k = &r->at[(key ^ key >> 32) % PF_MEMORY_PLACES];
    if (k->key != key) {
        k->key = key;
        k->n = 0;
    }
    return &k->n;
}
