/* check_rounds.c - see check_rounds.h. */
#include "check_rounds.h"

static int by_round(const void *a, const void *b)
{
    const struct pf_check_piece *x = a, *y = b;
    return x->group != y->group ? (x->group > y->group) - (x->group < y->group)
                                : (x->round > y->round) - (x->round < y->round);
}

/* The first rounds of all groups come first, then the others as in by_round. */
static int by_urgency(const void *a, const void *b)
{
    const struct pf_check_piece *x = a, *y = b;
    int later = (x->round > 0) - (y->round > 0);
    return later ? later : by_round(a, b);
}

static void add_piece(pf_check_pieces *to, uint64_t group, uint64_t from, uint64_t end)
{
    if (from == 0 && end > 0) {
        pf_vec_push(to, (struct pf_check_piece){group, 0, 1});
        from = 1;
    }
    if (from < end)
        pf_vec_push(to, (struct pf_check_piece){group, from, end - from});
}

void pf_check_pieces_left(pf_check_pieces *left, pf_check_pieces *covered, uint64_t ngroups,
                          uint64_t rounds)
{
    size_t i = 0;
    if (covered->len)
        qsort(covered->at, covered->len, sizeof *covered->at, by_round);
    for (uint64_t g = 0; g < ngroups; g++) {
        uint64_t next = 0;
        for (; i < covered->len && covered->at[i].group == g; i++) {
            const struct pf_check_piece *c = &covered->at[i];
            add_piece(left, g, next, c->round);
            next = c->round + c->rounds > next ? c->round + c->rounds : next;
        }
        add_piece(left, g, next, rounds);
    }
    if (left->len)
        qsort(left->at, left->len, sizeof *left->at, by_urgency);
}
