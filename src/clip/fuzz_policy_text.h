/*
 * fuzz_policy_text.h - the text form of the two fuzzing policies, which try to make a suspected
 * anomaly happen. pf validates the text; the target executes it.
 *
 * Model:   racefuzzer:LOC,LOC[,SEED]            two accesses that may race
 *          assetfuzzer:STEP,STEP,...[,SEED]     2 to 12 accesses in this order
 *          LOC is FILE:LINE[:COLUMN]; STEP is UNIT VARIABLE [r|w] @ LOC, such as 1x@a.c:10 or
 *          1xw@a.c:10. Steps with the same digit are performed by one thread, steps with different
 *          digits by different threads. Steps with the same letter access the same memory, steps
 *          with different letters different memory.
 * Memory:  the result points into the text.
 * Errors:  pf_fuzz_parse returns what was expected; NULL: the text is valid.
 *
 * The runtime includes this header, so nothing here may need a library.
 */
#ifndef PF_CLIP_FUZZ_POLICY_TEXT_H
#define PF_CLIP_FUZZ_POLICY_TEXT_H

#include "channel.h"
#include <stdbool.h>
#include <stddef.h>

struct pf_fuzz_step {
    uint8_t unit, variable; /* numbered from 0 in the order of their first use */
    char type; /* 'r', 'w'; 0: either */
    const char *file;
    uint32_t nfile; /* length of `file` */
    uint32_t line, column; /* column 0: any */
};
struct pf_fuzz_text {
    bool asset;
    uint32_t n, units, variables;
    uint64_t seed;
    struct pf_fuzz_step step[PF_REACHED_MAX];
};

static inline const char *pf_fuzz_word(const char *s, const char *word)
{
    while (*word && *s == *word)
        s++, word++;
    return *word ? NULL : s;
}

/* If the text names a fuzzing policy, returns what follows the name and sets *asset; else NULL. */
static inline const char *pf_fuzz_named(const char *text, bool *asset)
{
    const char *s = text ? pf_fuzz_word(text, "racefuzzer:") : NULL;
    *asset = text && !s;
    return s ? s : text ? pf_fuzz_word(text, "assetfuzzer:") : NULL;
}

static inline const char *pf_fuzz_number(const char *s, const char *end, uint64_t *v)
{
    if (s >= end || *s < '0' || *s > '9')
        return NULL;
    for (*v = 0; s < end && *s >= '0' && *s <= '9'; s++)
        *v = *v * 10 + (uint64_t)(*s - '0');
    return s;
}

/* Parses FILE:LINE[:COLUMN] in [s, end), from the end, because a file name may contain colons. */
static inline bool pf_fuzz_location(const char *s, const char *end, struct pf_fuzz_step *out)
{
    uint64_t v[2] = {0, 0};
    uint32_t n = 0;
    const char *p = end;
    while (n < 2) {
        const char *q = p;
        while (q > s && q[-1] >= '0' && q[-1] <= '9')
            q--;
        if (q == p || q == s || q[-1] != ':')
            break;
        pf_fuzz_number(q, p, &v[n++]);
        p = q - 1;
    }
    out->file = s;
    out->nfile = (uint32_t)(p - s);
    out->line = (uint32_t)(n == 2 ? v[1] : v[0]);
    out->column = (uint32_t)(n == 2 ? v[0] : 0);
    return n && p > s && out->line;
}

/* The number of `label`; labels are numbered in the order of their first use. */
static inline uint8_t pf_fuzz_label(char *known, uint32_t *n, char label)
{
    uint32_t i = 0;
    while (i < *n && known[i] != label)
        i++;
    if (i == *n)
        known[(*n)++] = label;
    return (uint8_t)i;
}

static inline const char *pf_fuzz_parse(const char *text, struct pf_fuzz_text *out)
{
    char units[PF_REACHED_MAX], variables[PF_REACHED_MAX];
    const char *s = pf_fuzz_named(text, &out->asset);
    out->n = out->units = out->variables = 0;
    out->seed = 0;
    if (!s)
        return "expected racefuzzer: or assetfuzzer:";
    for (const char *end; *s; s = *end ? end + 1 : end) {
        for (end = s; *end && *end != ',';)
            end++;
        if (!*end && end > s && pf_fuzz_number(s, end, &out->seed) == end)
            break;
        if (out->n == (out->asset ? PF_REACHED_MAX : 2))
            return out->asset ? "expected at most 12 steps, then a seed"
                              : "expected two locations, then a seed";
        struct pf_fuzz_step *k = &out->step[out->n++];
        const char *at = s;
        k->unit = (uint8_t)(out->n - 1);
        k->variable = 0;
        k->type = 0;
        if (out->asset) {
            k->type = end - s > 4 && (s[2] == 'r' || s[2] == 'w') ? s[2] : 0;
            at += k->type ? 4 : 3;
            if (end - s < 5 || s[0] < '0' || s[0] > '9' || s[1] < 'a' || s[1] > 'z' ||
                at[-1] != '@')
                return "expected a step such as 1x@file.c:10: digit, letter, @, location";
            k->unit = pf_fuzz_label(units, &out->units, s[0]);
            k->variable = pf_fuzz_label(variables, &out->variables, s[1]);
        }
        if (!pf_fuzz_location(at, end, k))
            return "expected a location such as file.c:10 or file.c:10:5";
    }
    if (out->n < 2)
        return "expected at least two locations";
    if (!out->asset)
        out->units = 2, out->variables = 1;
    return out->units < 2 ? "expected at least two units" : NULL;
}

#endif
