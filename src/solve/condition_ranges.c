/* condition_ranges.c - see condition_ranges.h. */
#include "condition_ranges.h"
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum range_op { RANGE_EQ, RANGE_NE, RANGE_LT, RANGE_LE, RANGE_GT, RANGE_GE, RANGE_OPS };
static const char *const words[RANGE_OPS] = {"==", "!=", "<", "<=", ">", ">="};

static bool is_number(const char *s, int64_t *out)
{
    char *end;
    errno = 0;
    *out = strtoll(s, &end, 10);
    return end != s && !*end && !errno;
}

/* Splits "NAME OP NUMBER"; a condition with the number first is turned round. */
static bool parse(const char *text, char name[80], enum range_op *op, int64_t *number)
{
    static const enum range_op turned[RANGE_OPS] = {RANGE_EQ, RANGE_NE, RANGE_GT,
                                                    RANGE_GE, RANGE_LT, RANGE_LE};
    char left[80], middle[4], right[80], rest;
    if (sscanf(text, "%79s %3s %79s %c", left, middle, right, &rest) != 3)
        return false;
    for (*op = RANGE_EQ; *op < RANGE_OPS && strcmp(words[*op], middle); (*op)++)
        ;
    bool first = is_number(left, number), turn = first;
    if (*op == RANGE_OPS || strchr("('", *left) || (!first && !is_number(right, number)))
        return false;
    *op = turn ? turned[*op] : *op;
    snprintf(name, 80, "%s", first ? right : left);
    return !strchr("('", *name);
}

static bool has_gap(const struct pf_condition_range *x, int64_t value)
{
    size_t i = 0;
    while (i < x->ngaps && x->gap[i] != value)
        i++;
    return i < x->ngaps;
}

/* Values that are excluded at an end of the range move the end. */
static void shrink(struct pf_condition_range *x)
{
    while (x->least < x->most && has_gap(x, x->least))
        x->least++;
    while (x->least < x->most && has_gap(x, x->most))
        x->most--;
}

static bool narrow(struct pf_condition_range *x, enum range_op op, int64_t v)
{
    bool below = op == RANGE_LT || op == RANGE_LE, above = op == RANGE_GT || op == RANGE_GE;
    if ((op == RANGE_LT && v == INT64_MIN) || (op == RANGE_GT && v == INT64_MAX))
        return false;
    int64_t bound = op == RANGE_LT ? v - 1 : op == RANGE_GT ? v + 1 : v;
    if (op == RANGE_NE && !has_gap(x, v)) {
        if (x->ngaps == PF_RANGE_GAPS)
            return false;
        x->gap[x->ngaps++] = v;
    }
    if ((above || op == RANGE_EQ) && bound > x->least)
        x->least = bound;
    if ((below || op == RANGE_EQ) && bound < x->most)
        x->most = bound;
    shrink(x);
    return x->least <= x->most && !(x->least == x->most && has_gap(x, x->least));
}

bool pf_condition_ranges_add(struct pf_condition_ranges *r, const char *text)
{
    char name[80];
    enum range_op op;
    int64_t number;
    size_t i = 0;
    if (!parse(text, name, &op, &number))
        return false;
    while (i < r->n && strcmp(r->at[i].name, name))
        i++;
    if (i == PF_RANGES)
        return false;
    struct pf_condition_range next = {.least = INT64_MIN, .most = INT64_MAX};
    if (i < r->n)
        next = r->at[i];
    snprintf(next.name, sizeof next.name, "%s", name);
    if (!narrow(&next, op, number))
        return false;
    r->at[i] = next;
    r->n += i == r->n;
    return true;
}

size_t pf_condition_range_text(const struct pf_condition_range *x, char *to, size_t room)
{
    size_t n = 0;
    const char *and = "";
    if (x->least == x->most)
        n = (size_t)snprintf(to, room, "%s == %" PRId64, x->name, x->least);
    if (x->least != x->most && x->least != INT64_MIN) {
        n = (size_t)snprintf(to, room, "%s >= %" PRId64, x->name, x->least);
        and = " and ";
    }
    if (n < room && x->least != x->most && x->most != INT64_MAX) {
        n += (size_t)snprintf(to + n, room - n, "%s%s <= %" PRId64, and, x->name, x->most);
        and = " and ";
    }
    for (size_t i = 0; n < room && i < x->ngaps; i++)
        if (x->gap[i] > x->least && x->gap[i] < x->most) {
            n += (size_t)snprintf(to + n, room - n, "%s%s != %" PRId64, and, x->name, x->gap[i]);
            and = " and ";
        }
    return n < room ? n : 0;
}
