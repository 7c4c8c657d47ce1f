/*
 * pipeline.c - pictures pass through stages: load, blur, sharpen, count, with a bounded queue
 * between two stages.
 *
 * Shape:  condition variables inside of stage_put and stage_take, much private work, results
 *         passed on.
 * Races:  the progress display, the running extrema, and a palette that is created when first
 *         needed.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef SIDE
#define SIDE 8
#endif
#ifndef PICTURES
#define PICTURES 5
#endif
#define ROOM 3
#define WORKERS 2

struct picture {
    int number;
    unsigned char pixel[SIDE][SIDE];
    unsigned sum;
    struct picture *next;
};

struct stage {
    pthread_mutex_t lock;
    pthread_cond_t filled, emptied;
    struct picture *first, *last;
    int n, open; /* open: number of active producers */
    const char *name;
};

static struct stage loaded = {.name = "loaded"}, blurred = {.name = "blurred"},
                    sharpened = {.name = "sharpened"};

static struct { /* unprotected */
    int loaded, blurred, sharpened, counted;
    unsigned darkest, brightest;
    unsigned long bytes;
} progress = {.darkest = ~0u};

static unsigned char *palette; /* created by the first thread that needs it */
static int palette_users;

/* --- stages --- */

static void stage_init(struct stage *s, int producers)
{
    pthread_mutex_init(&s->lock, NULL);
    pthread_cond_init(&s->filled, NULL);
    pthread_cond_init(&s->emptied, NULL);
    s->open = producers;
}

static void stage_put(struct stage *s, struct picture *p)
{
    pthread_mutex_lock(&s->lock);
    while (s->n == ROOM)
        pthread_cond_wait(&s->emptied, &s->lock);
    p->next = NULL;
    if (s->last)
        s->last->next = p;
    else
        s->first = p;
    s->last = p;
    s->n++;
    pthread_cond_signal(&s->filled);
    pthread_mutex_unlock(&s->lock);
}

/* NULL: all producers have ended. */
static struct picture *stage_take(struct stage *s)
{
    pthread_mutex_lock(&s->lock);
    while (!s->first && s->open)
        pthread_cond_wait(&s->filled, &s->lock);
    struct picture *p = s->first;
    if (p) {
        s->first = p->next;
        if (!s->first)
            s->last = NULL;
        s->n--;
        pthread_cond_signal(&s->emptied);
    }
    pthread_mutex_unlock(&s->lock);
    return p;
}

static void stage_close(struct stage *s)
{
    pthread_mutex_lock(&s->lock);
    s->open--;
    pthread_cond_broadcast(&s->filled);
    pthread_mutex_unlock(&s->lock);
}

/* --- work --- */

static unsigned char at(const struct picture *p, int y, int x)
{
    y = y < 0 ? 0 : y >= SIDE ? SIDE - 1 : y;
    x = x < 0 ? 0 : x >= SIDE ? SIDE - 1 : x;
    return p->pixel[y][x];
}

static void fill(struct picture *p)
{
    unsigned seed = (unsigned)p->number * 2654435761u;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            seed = seed * 1664525u + 1013904223u;
            p->pixel[y][x] = (unsigned char)(seed >> 24);
        }
}

static void blur(struct picture *p)
{
    struct picture from = *p;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            unsigned sum = 0;
            for (int dy = -1; dy <= 1; dy++)
                for (int dx = -1; dx <= 1; dx++)
                    sum += at(&from, y + dy, x + dx);
            p->pixel[y][x] = (unsigned char)(sum / 9);
        }
}

static unsigned char *the_palette(void)
{
    if (!palette) {
        unsigned char *made = malloc(256);
        if (!made)
            abort();
        for (int i = 0; i < 256; i++)
            made[i] = (unsigned char)(255 - i);
        palette = made;
    }
    palette_users++;
    return palette;
}

static void sharpen(struct picture *p)
{
    const unsigned char *map = the_palette();
    struct picture from = *p;
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++) {
            int v = 5 * at(&from, y, x) - at(&from, y - 1, x) - at(&from, y + 1, x) -
                    at(&from, y, x - 1) - at(&from, y, x + 1);
            p->pixel[y][x] = map[v < 0 ? 0 : v > 255 ? 255 : v];
        }
}

static void note_extrema(unsigned sum)
{
    if (sum < progress.darkest)
        progress.darkest = sum;
    if (sum > progress.brightest)
        progress.brightest = sum;
}

/* --- histograms, one per picture; locked, as the counter and the checker both use them --- */

struct histogram {
    pthread_mutex_t lock;
    unsigned bin[8], n;
};

static struct histogram *histograms[PICTURES];
static unsigned flat_pictures, checked; /* unprotected */

static struct histogram *histogram_new(void)
{
    struct histogram *h = calloc(1, sizeof *h);
    if (!h)
        abort();
    pthread_mutex_init(&h->lock, NULL);
    return h;
}

static void histogram_add(struct histogram *h, const struct picture *p)
{
    pthread_mutex_lock(&h->lock);
    for (int y = 0; y < SIDE; y += 2)
        h->bin[p->pixel[y][y] / 32]++;
    h->n++;
    pthread_mutex_unlock(&h->lock);
}

static unsigned histogram_widest(struct histogram *h)
{
    unsigned most = 0;
    pthread_mutex_lock(&h->lock);
    for (int i = 0; i < 8; i++)
        most = h->bin[i] > most ? h->bin[i] : most;
    pthread_mutex_unlock(&h->lock);
    return most;
}

static void histogram_free(struct histogram *h)
{
    pthread_mutex_destroy(&h->lock);
    free(h);
}

/* Reads the histograms while they are being built. */
static void *checker(void *arg)
{
    for (int i = 0; i < PICTURES; i++) {
        unsigned widest = histogram_widest(histograms[i]);
        if (widest > SIDE / 4)
            flat_pictures++;
        checked++;
    }
    return arg;
}

/* --- threads --- */

static void *loader(void *arg)
{
    for (int i = 0; i < PICTURES; i++) {
        struct picture *p = calloc(1, sizeof *p);
        if (!p)
            abort();
        p->number = i;
        fill(p);
        progress.loaded++;
        progress.bytes += sizeof p->pixel;
        stage_put(&loaded, p);
    }
    stage_close(&loaded);
    return arg;
}

static void *blurrer(void *arg)
{
    struct picture *p;
    while ((p = stage_take(&loaded))) {
        blur(p);
        progress.blurred++;
        stage_put(&blurred, p);
    }
    stage_close(&blurred);
    return arg;
}

static void *sharpener(void *arg)
{
    struct picture *p;
    while ((p = stage_take(&blurred))) {
        sharpen(p);
        progress.sharpened++;
        stage_put(&sharpened, p);
    }
    stage_close(&sharpened);
    return arg;
}

static void *counter(void *arg)
{
    struct picture *p;
    unsigned *sums = arg;
    while ((p = stage_take(&sharpened))) {
        p->sum = 0;
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
                p->sum += p->pixel[y][x];
        sums[p->number] = p->sum;
        histogram_add(histograms[p->number], p);
        if (p->sum < SIDE)
            flat_pictures++;
        note_extrema(p->sum);
        progress.counted++;
        free(p);
    }
    return NULL;
}

static void *display(void *arg)
{
    char line[128];
    for (int i = 0; i < 6; i++) {
        snprintf(line, sizeof line, "%d %d %d %d, %lu bytes, %u to %u", progress.loaded,
                 progress.blurred, progress.sharpened, progress.counted, progress.bytes,
                 progress.darkest, progress.brightest);
        if (strlen(line) < 8)
            abort();
        note_extrema((unsigned)(100 + i));
        if (checked > PICTURES)
            abort();
    }
    return arg;
}

static void start(pthread_t *t, void *(*f)(void *), void *arg)
{
    if (pthread_create(t, NULL, f, arg))
        abort();
}

int main(void)
{
    pthread_t load, show, count, check, blurs[WORKERS], sharps[WORKERS];
    unsigned sums[PICTURES] = {0}, all = 0;
    stage_init(&loaded, 1);
    stage_init(&blurred, WORKERS);
    stage_init(&sharpened, WORKERS);
    for (int i = 0; i < PICTURES; i++)
        histograms[i] = histogram_new();
    start(&show, display, NULL);
    start(&check, checker, NULL);
    start(&load, loader, NULL);
    for (int i = 0; i < WORKERS; i++) {
        start(&blurs[i], blurrer, NULL);
        start(&sharps[i], sharpener, NULL);
    }
    start(&count, counter, sums);
    pthread_join(load, NULL);
    for (int i = 0; i < WORKERS; i++) {
        pthread_join(blurs[i], NULL);
        pthread_join(sharps[i], NULL);
    }
    pthread_join(count, NULL);
    pthread_join(show, NULL);
    pthread_join(check, NULL);
    for (int i = 0; i < PICTURES; i++)
        histogram_free(histograms[i]);
    for (int i = 0; i < PICTURES; i++)
        all += sums[i];
    printf("%d pictures, %u, %d users of the palette\n", progress.counted, all, palette_users);
    free(palette);
    return 0;
}
