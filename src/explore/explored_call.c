/* explored_call.c - see explored_call.h. The list is short, so it is searched from the start. */
#include "explored_call.h"
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name;
    enum pf_explored_call kind;
} list[] = {
#define PF_EXPLORED(name, kind) {name, PF_EXPLORED_CALL_##kind},
#include "pf_explored.def"
#undef PF_EXPLORED
};

enum pf_explored_call pf_explored_call_find(const char *name)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        if (list[i].name[0] == name[0] && !strcmp(list[i].name, name))
            return list[i].kind;
    return PF_EXPLORED_CALL_NOT;
}
