/* explored_call.c - see explored_call.h. A hash map, which is filled once, finds the names. */
#include "explored_call.h"
#include "fnv.h"
#include "hash_map.h"
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
static struct pf_hash_map by_name; /* hash of a name -> index into `list` */

__attribute__((constructor)) static void fill(void)
{
    for (uint32_t i = 0; i < NAMES; i++)
        pf_hash_map_add(&by_name, pf_fnv_text(PF_FNV_START, list[i].name), i);
}

static enum pf_explored_call kind_of(const char *name)
{
    struct pf_hash_walk w = pf_hash_map_walk(&by_name, pf_fnv_text(PF_FNV_START, name));
    while (pf_hash_map_next(&by_name, &w))
        if (!strcmp(list[w.value].name, name))
            return list[w.value].kind;
    return PF_EXPLORED_CALL_NOT;
}

/* Where the last component of a qualified name begins, outside of template arguments. */
static char *last_component(char *name)
{
    char *last = name;
    int depth = 0;
    for (char *p = name; *p; p++) {
        depth += (*p == '<') - (*p == '>');
        if (!depth && p[0] == ':' && p[1] == ':')
            last = p + 2;
    }
    return last;
}

/* What is known about a mangled C++ symbol: names that end with * are beginnings of symbols. */
static enum pf_explored_call kind_of_symbol(const char *symbol)
{
    for (size_t i = 0; i < NAMES; i++) {
        size_t n = strlen(list[i].name) - 1;
        if (list[i].name[0] == '_' && list[i].name[n] == '*' && !strncmp(list[i].name, symbol, n))
            return list[i].kind;
    }
    return kind_of(symbol);
}

enum pf_explored_call pf_explored_call_find(const char *name)
{
    if (!strncmp(name, "_Z", 2))
        return kind_of_symbol(name);
    char text[200];
    size_t n = strcspn(name, "(");
    if (!name[n])
        return kind_of(name);
    if (n + 2 > sizeof text)
        return PF_EXPLORED_CALL_NOT;
    memcpy(text, name, n);
    text[n] = 0;
    enum pf_explored_call kind = kind_of(text);
    char *last = last_component(text);
    if (kind != PF_EXPLORED_CALL_NOT || last == text)
        return kind;
    memcpy(last, "*", 2); /* all members of the class */
    return kind_of(text);
}
