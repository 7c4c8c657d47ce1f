/*
 * hunt_change.c - changes of inputs that need no solver: lines twice or left out, other numbers,
 * words of the program in place of words of the input. They reach code behind library functions
 * without a model, where expressions are lost. See hunt.h.
 */
#include "apply_values.h"
#include "hunt.h"
#include <ctype.h>
#include <string.h>

#define WORDS_MAX 64 /* of a source; the first ones */

static const char *const numbers[] = {"100", "0", "1", "-1", "65536", "2147483647"};
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* A piece of a source. */
struct piece {
    size_t at, n;
};

static bool is_word(unsigned char c) { return isalnum(c) || c == '_' || c == '-' || c >= 128; }

/* The words, or the lines with their ends, of a source. Returns their number. */
static size_t pieces(const struct pf_input_source *s, bool lines, struct piece *out)
{
    size_t count = 0, i = 0;
    while (i < s->n && count < WORDS_MAX) {
        size_t from = i;
        if (lines) {
            while (i < s->n && s->bytes[i] != '\n')
                i++;
            i += i < s->n;
        } else {
            while (from < s->n && !is_word(s->bytes[from]))
                from++;
            for (i = from; i < s->n && is_word(s->bytes[i]);)
                i++;
        }
        if (i > from)
            out[count++] = (struct piece){from, i - from};
    }
    return count;
}

/* Change number k of a source: in this order, each line twice and left out, each word as each of
 * the numbers and each of the words of the program, in turn. False: k is too large. */
static bool change(const struct pf_hunt *h, struct pf_input_bytes *in, size_t source, size_t k)
{
    struct piece all[WORDS_MAX];
    const struct pf_input_source *s = &in->sources.at[source];
    size_t n = pieces(s, true, all);
    if (k < 2 * n) {
        const struct piece *line = &all[k / 2];
        pf_input_bytes_replace(in, s->name, line->at, k % 2 ? line->n : 0, s->bytes + line->at,
                               k % 2 ? 0 : line->n);
        return true;
    }
    k -= 2 * n;
    n = pieces(s, false, all);
    if (!n)
        return false;
    const struct piece *word = &all[k % n];
    k /= n;
    const char *other =
        k % 4 || k / 4 >= NUMBERS
            ? pf_hunt_paths_word(h->paths, k / 4 < NUMBERS ? k - k / 4 - 1 : k - NUMBERS)
            : numbers[k / 4];
    if (other)
        pf_input_bytes_replace(in, s->name, word->at, word->n, other, strlen(other));
    return other;
}

bool pf_hunt_change(const struct pf_hunt *h, const struct pf_input_bytes *from, uint32_t k,
                    struct pf_input_bytes *out)
{
    size_t n = from->sources.len, source = n ? k % n : 0; /* the sources in turn */
    if (!n || !pf_hunt_may_change(h, from->sources.at[source].name))
        return false;
    pf_input_bytes_copy(out, from);
    if (change(h, out, source, k / n))
        return true;
    pf_input_bytes_release(out);
    return false;
}
