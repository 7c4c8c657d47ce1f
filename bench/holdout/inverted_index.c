/*
 * inverted_index.c - all threads extract links from pages, and collect them in a hash table with a
 * lock for each bucket.
 *
 * bench: size=20000 quick=1000 contention=6000
 *
 * Shows:   a scan of bytes with strstr and strchr, copies of short strings, lists under locks.
 *          Size is the number of pages of 2,000 bytes.
 * Hides:   long loops. There are no races. The checksum does not depend on the order of the
 *          lists.
 */
#define _GNU_SOURCE
#include "bench.h"

enum { PAGE = 2000, BUCKETS = 1024, NAMES = 5000, LONGEST = 32 };

struct source {
    struct source *next;
    size_t page;
};

struct link_entry {
    struct link_entry *next;
    struct source *sources;
    char *name;
};

struct bucket {
    pthread_mutex_t lock;
    struct link_entry *first;
};

struct web {
    char *text;
    struct bucket bucket[BUCKETS];
};

static uint64_t hash_of(const char *name)
{
    uint64_t h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static void add_link(struct web *web, const char *name, size_t page)
{
    struct bucket *b = &web->bucket[hash_of(name) % BUCKETS];
    struct source *s = bench_alloc(sizeof *s);
    s->page = page;
    pthread_mutex_lock(&b->lock);
    struct link_entry *e = b->first;
    while (e && strcmp(e->name, name))
        e = e->next;
    if (!e) {
        e = bench_alloc(sizeof *e);
        *e = (struct link_entry){b->first, NULL, strdup(name)};
        b->first = e;
    }
    s->next = e->sources;
    e->sources = s;
    pthread_mutex_unlock(&b->lock);
}

static void *work(struct bench_worker *w)
{
    struct web *web = w->arg;
    for (size_t page = w->index; page < w->bench->size; page += w->bench->threads) {
        const char *at = web->text + page * PAGE;
        while ((at = strstr(at, "<a href=\""))) {
            char name[LONGEST];
            at += 9;
            const char *end = strchr(at, '"');
            if (!end || end - at >= LONGEST)
                break;
            memcpy(name, at, (size_t)(end - at));
            name[end - at] = 0;
            add_link(web, name, page);
            at = end;
        }
    }
    return NULL;
}

static void make_page(char *text, size_t page)
{
    size_t at = 0;
    for (uint64_t i = page * 100; at + 128 < PAGE; i++) {
        uint64_t h = bench_hash(i);
        at += (size_t)sprintf(text + at, "text%llu <a href=\"site%llu/page.html\">",
                              (unsigned long long)(h >> 40), (unsigned long long)(h % NAMES));
        for (size_t n = h >> 58; n > 0; n--)
            text[at++] = (char)('a' + n % 26);
    }
    memset(text + at, 0, PAGE - at);
}

static uint64_t drain(struct web *web)
{
    uint64_t sum = 0;
    for (size_t b = 0; b < BUCKETS; b++) {
        pthread_mutex_destroy(&web->bucket[b].lock);
        for (struct link_entry *e = web->bucket[b].first, *next; e; e = next) {
            for (struct source *s = e->sources, *after; s; s = after) {
                after = s->next;
                sum += hash_of(e->name) * (s->page + 1);
                free(s);
            }
            next = e->next;
            free(e->name);
            free(e);
        }
    }
    return sum;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 20000);
    struct web *web = calloc(1, sizeof *web);
    if (!web)
        bench_fail("out of memory");
    web->text = bench_alloc(b.size * PAGE);
    for (size_t page = 0; page < b.size; page++)
        make_page(web->text + page * PAGE, page);
    for (size_t i = 0; i < BUCKETS; i++)
        pthread_mutex_init(&web->bucket[i].lock, NULL);
    bench_run(&b, work, web);
    uint64_t sum = drain(web);
    free(web->text);
    free(web);
    return bench_end("inverted_index", sum);
}
