/* explored_call.c - see explored_call.h. A hash table, which is filled once, finds the names. */
#include "explored_call.h"
#include "fnv.h"
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static const struct {
    const char *name;
    enum pf_explored_call kind;
} list[] = {
#define PF_EXPLORED(name, kind) {name, PF_EXPLORED_CALL_##kind},
#include "pf_explored.def"
#undef PF_EXPLORED
};

#define NAMES (sizeof list / sizeof *list)
#define SLOTS 2048u
static uint16_t by_name[SLOTS]; /* 1 + index into `list`; 0: free */
_Static_assert(NAMES < SLOTS / 2, "a hash table with room");

/* The slot of a name, which may be free. */
static uint16_t *slot_of(const char *name)
{
    uint64_t i = pf_fnv_text(PF_FNV_START, name);
    while (by_name[i % SLOTS] && strcmp(list[by_name[i % SLOTS] - 1].name, name) != 0)
        i++;
    return &by_name[i % SLOTS];
}

__attribute__((constructor)) static void fill_slots(void)
{
    for (uint16_t i = 0; i < NAMES; i++)
        *slot_of(list[i].name) = i + 1;
}

enum pf_explored_call pf_explored_call_find(const char *name)
{
    uint16_t found = *slot_of(name);
    return found ? list[found - 1].kind : PF_EXPLORED_CALL_NOT;
}
