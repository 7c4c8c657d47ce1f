/*
 * tokens.c - word count that converts letters to upper case and terminates words in place, and
 * compares words with strcmp.
 *
 * bench: size=8000000 quick=600000 contention=3000000
 *
 * Shows:   each byte read and then written in place; short strings through strcmp and strlen; a
 *          sorted array that grows by memmove. Size is the number of bytes of the text.
 * Hides:   locks: each thread has a part of the text and a table. There are no races.
 */
#include "bench.h"
#include <ctype.h>

enum { WORDS = 512, MOST = 2048 };

struct count {
    char *word;
    size_t n;
};

struct table {
    struct count entry[MOST];
    size_t used;
};

struct text {
    char *byte;
    struct table *table; /* one for each thread */
};

static void add_word(struct table *t, char *word, size_t n)
{
    size_t from = 0, to = t->used;
    while (from < to) {
        size_t mid = (from + to) / 2;
        int c = strcmp(word, t->entry[mid].word);
        if (c == 0) {
            t->entry[mid].n += n;
            return;
        }
        if (c < 0)
            to = mid;
        else
            from = mid + 1;
    }
    if (t->used == MOST)
        bench_fail("tokens: too many words");
    memmove(&t->entry[from + 1], &t->entry[from], (t->used - from) * sizeof t->entry[0]);
    t->entry[from] = (struct count){word, n};
    t->used++;
}

static int is_letter(int c) { return (c >= 'A' && c <= 'Z') || c == '\''; }

static void *work(struct bench_worker *w)
{
    struct text *t = w->arg;
    size_t at = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t end = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    char *start = NULL;
    for (; at < end; at++) {
        t->byte[at] = (char)toupper((unsigned char)t->byte[at]);
        if (is_letter(t->byte[at])) {
            if (!start)
                start = &t->byte[at];
        } else if (start) {
            t->byte[at] = 0;
            add_word(&t->table[w->index], start, 1);
            start = NULL;
        }
    }
    return NULL;
}

/* A text of words of 2 to 9 letters; the last byte of every part is a blank. */
static void make_text(char *text, const struct bench *b)
{
    static const char blanks[4] = {' ', '\n', '.', ','};
    size_t at = 0;
    for (uint64_t i = 0; at < b->size; i++) {
        uint64_t h = bench_hash(bench_hash(i) % WORDS);
        for (size_t n = 2 + h % 8; n > 0 && at < b->size; n--, h /= 26)
            text[at++] = (char)('a' + h % 26);
        if (at < b->size)
            text[at++] = blanks[i % 4];
    }
    for (unsigned t = 0; t < b->threads; t++)
        if (bench_cut(b->size, t + 1, b->threads))
            text[bench_cut(b->size, t + 1, b->threads) - 1] = ' ';
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 8000000);
    struct text t = {bench_alloc(b.size), calloc(b.threads, sizeof *t.table)};
    if (!t.table)
        bench_fail("out of memory");
    make_text(t.byte, &b);
    bench_run(&b, work, &t);
    uint64_t sum = 0;
    for (unsigned i = 1; i < b.threads; i++)
        for (size_t n = 0; n < t.table[i].used; n++)
            add_word(&t.table[0], t.table[i].entry[n].word, t.table[i].entry[n].n);
    for (size_t n = 0; n < t.table[0].used; n++)
        sum = sum * 31 + t.table[0].entry[n].n + strlen(t.table[0].entry[n].word);
    free(t.byte);
    free(t.table);
    return bench_end("tokens", sum);
}
