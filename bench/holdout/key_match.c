/*
 * key_match.c - searches for encrypted keys in a file of short lines. It copies each line, changes
 * the copy byte by byte, and compares it.
 *
 * bench: size=2400000 quick=80000 contention=600000
 *
 * Shows:   loops over short strings that end at a 0, strlen, strcpy and strcmp on strings of 5
 *          to 14 bytes, small buffers on the heap. Size is the number of lines.
 * Hides:   locks. There are no races.
 */
#include "bench.h"

enum { KEYS = 4, LINE = 16 };

struct file {
    char *line; /* LINE bytes each */
    char key[KEYS][LINE];
};

static void encrypt(char *word)
{
    for (char *p = word; *p; p++)
        *p = (char)(*p == 'z' ? 'a' : *p + 1);
}

static void *work(struct bench_worker *w)
{
    struct file *f = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    char *word = bench_alloc(LINE);
    for (size_t i = from; i < to; i++) {
        const char *line = f->line + i * LINE;
        size_t length = strlen(line);
        strcpy(word, line);
        encrypt(word);
        for (int k = 0; k < KEYS; k++)
            if (strlen(f->key[k]) == length && strcmp(word, f->key[k]) == 0)
                w->sum += (i + 1) * (uint64_t)(k + 1);
    }
    free(word);
    return NULL;
}

static void make_line(char *line, uint64_t seed)
{
    uint64_t h = bench_hash(seed % 5000);
    size_t n = 5 + h % 10;
    for (size_t i = 0; i < n; i++, h = bench_hash(h))
        line[i] = (char)('a' + h % 26);
    line[n] = 0;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 2400000);
    struct file f;
    f.line = bench_alloc(b.size * LINE);
    for (size_t i = 0; i < b.size; i++)
        make_line(f.line + i * LINE, i);
    for (uint64_t k = 0; k < KEYS; k++) {
        make_line(f.key[k], 17 * k);
        encrypt(f.key[k]);
    }
    uint64_t sum = bench_run(&b, work, &f);
    free(f.line);
    return bench_end("key_match", sum);
}
