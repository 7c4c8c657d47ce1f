/*
 * words.c - word count: strings from a shared text are counted in one table per thread, then
 * merged under a lock.
 *
 * bench: size=32 quick=3 contention=12
 *
 * Shows:   bytes of a text that all threads read, libc string calls (memcmp, memcpy, strlen,
 *          strcmp, qsort) on small buffers, many small blocks. Size is megabytes of text.
 * Hides:   contention: each thread takes the lock once.
 */
#include "bench.h"

enum { BUCKETS = 1 << 14, WORDS = 30000, LONGEST = 14 };

struct word {
    struct word *next;
    uint64_t count;
    size_t length;
    char text[];
};

struct counts {
    struct word *bucket[BUCKETS];
    size_t used;
};

struct corpus {
    char *text;
    size_t size;
    pthread_mutex_t lock;
    struct counts all;
};

static unsigned hash_text(const char *s, size_t n)
{
    unsigned h = 2166136261u;
    for (size_t i = 0; i < n; i++)
        h = (h ^ (unsigned char)s[i]) * 16777619u;
    return h % BUCKETS;
}

static void counts_add(struct counts *c, const char *s, size_t n, uint64_t by)
{
    struct word **at = &c->bucket[hash_text(s, n)];
    while (*at && ((*at)->length != n || memcmp((*at)->text, s, n)))
        at = &(*at)->next;
    if (!*at) {
        struct word *w = bench_alloc(sizeof *w + n + 1);
        w->next = NULL;
        w->count = 0;
        w->length = n;
        memcpy(w->text, s, n);
        w->text[n] = 0;
        *at = w;
        c->used++;
    }
    (*at)->count += by;
}

static void counts_join(struct counts *into, struct counts *from)
{
    for (size_t b = 0; b < BUCKETS; b++)
        for (struct word *w = from->bucket[b], *next; w; w = next) {
            next = w->next;
            counts_add(into, w->text, strlen(w->text), w->count);
            free(w);
        }
}

static int is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

static void *work(struct bench_worker *w)
{
    struct corpus *c = w->arg;
    size_t from = bench_cut(c->size, w->index, w->bench->threads);
    size_t to = bench_cut(c->size, w->index + 1, w->bench->threads);
    struct counts *mine = calloc(1, sizeof *mine);
    if (!mine)
        bench_fail("out of memory");
    /* a word belongs to the part in which it starts */
    while (from > 0 && from < to && is_letter(c->text[from - 1]))
        from++;
    while (from < to) {
        if (!is_letter(c->text[from])) {
            from++;
            continue;
        }
        char lower[LONGEST + 1];
        size_t n = 0;
        for (; from < c->size && is_letter(c->text[from]); from++)
            if (n < LONGEST)
                lower[n++] = (char)(c->text[from] | 32);
        counts_add(mine, lower, n, 1);
    }
    pthread_mutex_lock(&c->lock);
    counts_join(&c->all, mine);
    pthread_mutex_unlock(&c->lock);
    free(mine);
    return NULL;
}

static void *make_text(struct bench_worker *w)
{
    struct corpus *c = w->arg;
    size_t pages = c->size >> 12;
    for (size_t page = bench_cut(pages, w->index, w->bench->threads);
         page < bench_cut(pages, w->index + 1, w->bench->threads); page++) {
        uint64_t random = bench_hash(page) | 1;
        char *at = c->text + (page << 12), *end = at + 4096;
        while (at < end) {
            uint64_t r = bench_next(&random);
            uint64_t word = bench_hash(r % 8 ? r % 900 : r % WORDS);
            for (size_t n = 1 + word % LONGEST; n && at < end; n--, word = word >> 5 | word << 59)
                *at++ = (char)((r >> 40) % 16 ? 'a' + word % 26 : 'A' + word % 26);
            if (at < end)
                *at++ = ' ';
        }
        end[-1] = '\n';
    }
    return NULL;
}

static int by_text(const void *a, const void *b)
{
    return strcmp((*(struct word *const *)a)->text, (*(struct word *const *)b)->text);
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 80);
    struct corpus *c = calloc(1, sizeof *c);
    if (!c)
        bench_fail("out of memory");
    c->size = b.size << 20;
    c->text = bench_alloc(c->size);
    pthread_mutex_init(&c->lock, NULL);
    bench_run(&b, make_text, c);
    bench_run(&b, work, c);
    struct word **sorted = bench_alloc(c->all.used * sizeof *sorted);
    size_t n = 0;
    for (size_t i = 0; i < BUCKETS; i++)
        for (struct word *w = c->all.bucket[i]; w; w = w->next)
            sorted[n++] = w;
    qsort(sorted, n, sizeof *sorted, by_text);
    uint64_t sum = n;
    for (size_t i = 0; i < n; i++) {
        sum = sum * 31 + sorted[i]->count * hash_text(sorted[i]->text, sorted[i]->length);
        free(sorted[i]);
    }
    free(sorted);
    pthread_mutex_destroy(&c->lock);
    free(c->text);
    free(c);
    return bench_end("words", sum);
}
