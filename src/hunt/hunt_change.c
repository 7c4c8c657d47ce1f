/*
 * hunt_change.c - changes of inputs that need no solver; see hunt.h. A change repeats or removes a
 * line, repeats an element of a list, inserts a line or an element of another input, or replaces a
 * word by itself twice, by a number, or by a word of the program. Such inputs reach code behind
 * library functions without a model, where expressions are lost. They can also have more lines or
 * elements than the input, which solutions of the solver never have. Copies of a part of the input
 * in place of other parts let a second thread do what one thread does.
 */
#include "apply_values.h"
#include "hunt.h"
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WORDS_MAX 64 /* only the first words, lines or elements of a source are changed */

static const char *const numbers[] = {"100", "0", "1", "-1", "65536", "2147483647"};
/* After the lines, changes come in turns of four: the first inserts a line, the third changes an
 * element if the source has a list, and the others change words. */
#define LINE_EVERY 4
#define ELEMENT_AFTER 2
#define NUMBERS (sizeof numbers / sizeof *numbers)

/* A piece of a source. */
struct piece {
    size_t at, n;
};

enum kind { WORDS, LINES, ELEMENTS };

static const char between[] = ",;|&"; /* separates elements of a list */
static const char around[] = ",;|&\n{}[]()"; /* ends an element */

static bool is_in(unsigned char c, const char *set) { return c && strchr(set, c); }

static bool is_word(unsigned char c) { return isalnum(c) || c == '_' || c == '-' || c >= 128; }

/* The words, the lines with their ends, or the elements of a source. Returns their number. */
static size_t pieces(const struct pf_input_source *s, enum kind kind, struct piece *out)
{
    size_t count = 0, i = 0;
    while (i < s->n && count < WORDS_MAX) {
        size_t from = i;
        if (kind == LINES) {
            while (i < s->n && s->bytes[i] != '\n')
                i++;
            i += i < s->n;
        } else if (kind == ELEMENTS) {
            while (from < s->n && is_in(s->bytes[from], around))
                from++;
            for (i = from; i < s->n && !is_in(s->bytes[i], around);)
                i++;
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

/* The piece between two separators that has the byte at `at`. */
static struct piece piece_around(const struct pf_input_source *s, size_t at, const char *separators)
{
    size_t from = at, to = at;
    while (from && !is_in(s->bytes[from - 1], separators))
        from--;
    while (to < s->n && !is_in(s->bytes[to], separators))
        to++;
    return (struct piece){from, to - from};
}

/* The first separator of a list in the source; 0: it has none. */
static unsigned char list_separator(const struct pf_input_source *s)
{
    size_t i = 0;
    while (i < s->n && !is_in(s->bytes[i], between))
        i++;
    return i < s->n ? s->bytes[i] : 0;
}

/* The line or element of this source with the change that led the k-th run to something new. False:
 * there is no such run, or the line has no end: some sources, such as arguments, have no lines. */
static bool new_piece(const struct pf_hunt *h, const char *source, size_t k, const char *separators,
                      const unsigned char **at, size_t *n)
{
    for (size_t i = 0; i < h->runs.len; i++) {
        const struct pf_hunt_run *r = &h->runs.at[i];
        const struct pf_input_source *s =
            r->part.source < r->input.sources.len ? &r->input.sources.at[r->part.source] : NULL;
        if (!(r->reached_new || r->took_new) || !s || strcmp(s->name, source) || k--)
            continue;
        struct piece p = piece_around(s, r->part.at, separators);
        *at = s->bytes + p.at;
        *n = p.n;
        return p.n && (strcmp(separators, "\n") || p.at + p.n < s->n);
    }
    return false;
}

/* Inserts a piece and a separator. */
static void insert(struct pf_input_bytes *in, const char *source, size_t at,
                   const unsigned char *piece, size_t n, unsigned char separator)
{
    unsigned char *copy = pf_mem_resize(NULL, n + 1, 1);
    memcpy(copy, piece, n);
    copy[n] = separator;
    pf_input_bytes_replace(in, source, at, 0, copy, n + 1);
    free(copy);
}

/* Inserts the k-th line that led to something new (new_piece) in front of the line at `at`. */
static bool insert_line(const struct pf_hunt *h, struct pf_input_bytes *in, const char *name,
                        size_t at, size_t k)
{
    const unsigned char *line;
    size_t n;
    if (!new_piece(h, name, k, "\n", &line, &n))
        return false;
    insert(in, name, at, line, n, '\n');
    return true;
}

/* Change number k of the elements of a list: each twice, then an element of another input in front
 * of each. */
static bool change_element(const struct pf_hunt *h, struct pf_input_bytes *in,
                           const struct pf_input_source *s, unsigned char separator, size_t k)
{
    struct piece all[WORDS_MAX];
    size_t count = pieces(s, ELEMENTS, all), n = 0;
    const unsigned char *element = NULL;
    if (!count)
        return false;
    size_t at = all[k % count].at;
    if (k < count) {
        element = s->bytes + at;
        n = all[k].n;
    } else if (!new_piece(h, s->name, k / count - 1, around, &element, &n)) {
        return false;
    }
    insert(in, s->name, at, element, n, separator);
    return true;
}

/* Change number k of a word: 0 repeats it. The others replace it: by one of `numbers` and then by
 * three words of the program, in turn, and by words only after the last number. */
static bool change_word(const struct pf_hunt *h, struct pf_input_bytes *in,
                        const struct pf_input_source *s, const struct piece *word, size_t k)
{
    if (!k--) {
        pf_input_bytes_replace(in, s->name, word->at, 0, s->bytes + word->at, word->n);
        return true;
    }
    const char *other =
        k % 4 || k / 4 >= NUMBERS
            ? pf_hunt_paths_word(h->paths, k / 4 < NUMBERS ? k - k / 4 - 1 : k - NUMBERS)
            : numbers[k / 4];
    if (other)
        pf_input_bytes_replace(in, s->name, word->at, word->n, other, strlen(other));
    return other;
}

/* Change number k of a source. The first ones repeat and remove each line; then they insert lines,
 * and change elements and words, in turns (LINE_EVERY). False: there is no such change. */
static bool change(const struct pf_hunt *h, struct pf_input_bytes *in, size_t source, size_t k)
{
    struct piece all[WORDS_MAX];
    const struct pf_input_source *s = &in->sources.at[source];
    size_t n = pieces(s, LINES, all);
    unsigned char separator = list_separator(s);
    if (k < 2 * n) {
        const struct piece *line = &all[k / 2];
        pf_input_bytes_replace(in, s->name, line->at, k % 2 ? line->n : 0, s->bytes + line->at,
                               k % 2 ? 0 : line->n);
        return true;
    }
    k -= 2 * n;
    size_t turn = k / LINE_EVERY;
    if (n && k % LINE_EVERY == 0)
        return insert_line(h, in, s->name, all[turn % n].at, turn / n);
    if (separator && k % LINE_EVERY == ELEMENT_AFTER)
        return change_element(h, in, s, separator, turn);
    size_t others = separator ? 2 : 1; /* changes of each turn that are not of words */
    k = turn * (LINE_EVERY - others) + k % LINE_EVERY -
        (k % LINE_EVERY > ELEMENT_AFTER ? others : 1);
    n = pieces(s, WORDS, all);
    /* a source with a single word becomes longer as a whole (run_longer) */
    return n && change_word(h, in, s, &all[k % n], k / n + (n == 1));
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

/* --- copies of a part --- */

#define SIBLINGS_MAX 4 /* sources, or pieces of a source, that a part is copied to */

bool pf_hunt_difference(const struct pf_input_bytes *old, const struct pf_input_bytes *new,
                        struct pf_hunt_part *out)
{
    for (size_t i = 0; i < new->sources.len; i++) {
        const struct pf_input_source *b = &new->sources.at[i],
                                     *a = pf_input_bytes_find(old, b->name);
        size_t at = 0;
        while (a && at < a->n && at < b->n && a->bytes[at] == b->bytes[at])
            at++;
        if (!a || at < a->n || at < b->n) {
            *out = (struct pf_hunt_part){.source = (uint32_t)i, .at = at < b->n ? at : b->n};
            return true;
        }
    }
    return false;
}

/* Repeats the line with the part. False: the source has no lines. */
static bool repeat_line(struct pf_input_bytes *in, const struct pf_hunt_part *part)
{
    const struct pf_input_source *s = &in->sources.at[part->source];
    struct piece line = piece_around(s, part->at, "\n");
    if (!s->n || !memchr(s->bytes, '\n', s->n) || !line.n)
        return false;
    insert(in, s->name, line.at, s->bytes + line.at, line.n, '\n');
    return true;
}

/* The part may have replaced a line or an element of the seed, and the program may need both:
 * inserts the old one before the new one. False: there is none, or it did not change. */
static bool keep_both(const struct pf_hunt *h, struct pf_input_bytes *in,
                      const struct pf_hunt_part *part, enum kind kind)
{
    struct piece all[WORDS_MAX];
    const struct pf_input_source *s = &in->sources.at[part->source],
                                 *old = pf_input_bytes_find(&h->seed, s->name);
    unsigned char separator = kind == LINES ? '\n' : list_separator(s);
    size_t n = pieces(s, kind, all), which = 0;
    while (which < n && all[which].at + all[which].n <= part->at)
        which++;
    if (!old || !separator || which == n || !memchr(s->bytes, separator, s->n))
        return false;
    struct piece new = all[which];
    if (which >= pieces(old, kind, all))
        return false;
    size_t m = all[which].n;
    const unsigned char *at = old->bytes + all[which].at;
    m -= kind == LINES && at[m - 1] == '\n';
    if (m <= new.n && !memcmp(at, s->bytes + new.at, m))
        return false;
    insert(in, s->name, new.at, at, m, separator);
    return true;
}

/* Copies the source with the part over the k-th other source that is neither an argument nor a
 * variable: of standard input, files and sockets, each may be read by a thread of its own. */
static bool copy_source(const struct pf_hunt *h, struct pf_input_bytes *in, uint32_t from, size_t k)
{
    const struct pf_input_source *s = &in->sources.at[from];
    for (size_t i = 0; i < in->sources.len && !pf_input_is_word(s->name); i++) {
        const struct pf_input_source *to = &in->sources.at[i];
        if (i == from || pf_input_is_word(to->name) || !pf_hunt_may_change(h, to->name) || k--)
            continue;
        pf_input_bytes_set(in, to->name, s->bytes, s->n);
        return true;
    }
    return false;
}

/* Copies the piece with the part over the k-th other piece of its source. */
static bool copy_piece(struct pf_input_bytes *in, const struct pf_hunt_part *part,
                       const char *separator, size_t k)
{
    const struct pf_input_source *s = &in->sources.at[part->source];
    struct piece from = piece_around(s, part->at, separator);
    for (size_t at = 0; from.n && at < s->n;) {
        struct piece to = piece_around(s, at, separator);
        at = to.at + to.n + 1;
        if (to.at == from.at || !to.n || k--)
            continue;
        unsigned char *copy = pf_mem_resize(NULL, from.n, 1);
        memcpy(copy, s->bytes + from.at, from.n);
        pf_input_bytes_replace(in, s->name, to.at, to.n, copy, from.n);
        free(copy);
        return true;
    }
    return false;
}

bool pf_hunt_spread(const struct pf_hunt *h, const struct pf_input_bytes *from,
                    const struct pf_hunt_part *part, uint32_t k, struct pf_input_bytes *out)
{
    static const char separators[] = "\n,;|& ";
    uint32_t way = k / SIBLINGS_MAX, which = k % SIBLINGS_MAX;
    if (way > 1 + strlen(separators) || part->source >= from->sources.len)
        return false;
    pf_input_bytes_copy(out, from);
    (void)(way == 0   ? which == 0   ? repeat_line(out, part)
                        : which == 1 ? keep_both(h, out, part, LINES)
                                     : which == 2 && keep_both(h, out, part, ELEMENTS)
             : way == 1 ? copy_source(h, out, part->source, which)
                      : copy_piece(out, part, (char[]){separators[way - 2], 0}, which));
    return true;
}
