/* expression_import.c - see expression_import.h. */
#include "expression_import.h"
#include <string.h>

static uint32_t find_source(const struct pf_expression_log *log, const char *name)
{
    uint32_t i = 0;
    while (i < log->sources.len && strcmp(log->sources.at[i].name, name))
        i++;
    return i;
}

bool pf_expression_import(struct pf_expression_log *to, const struct pf_expression_log *from,
                          pf_vec_u32 *map)
{
    pf_vec_push(map, 0);
    for (uint32_t i = 1; i < from->nodes.len; i++) {
        struct pf_symbolic_record n = from->nodes.at[i];
        const char *why;
        if (from->leaf_of.at[i] != PF_NO_LEAF) {
            n.a = find_source(to, from->sources.at[n.a].name);
            if (n.a == to->sources.len)
                return false;
        } else {
            n.a = map->at[n.a];
            n.b = pf_op_has_second(n.op) ? map->at[n.b] : n.b;
            n.c = n.op == PF_EXPR_SELECT ? map->at[n.c] : n.c;
        }
        uint32_t label = pf_expression_log_add(to, &n, &why);
        if (!label)
            return false;
        pf_vec_push(map, label);
    }
    return true;
}
