/*
 * coder.c - a byte coder: text is compressed by back references and an adaptive range coder,
 * decompressed and compared, block by block.
 *
 * bench: size=56 quick=8 contention=64
 *
 * Shows:   single bytes read and written one after the other, 2-byte probabilities, 4-byte hash
 *          heads: the cost of byte accesses for a detector with coarse cells, in time and memory.
 * Hides:   sharing: a block belongs to one thread. Size is the number of 64 KiB blocks.
 */
#include "bench.h"

enum {
    BLOCK = 1 << 16,
    HASH_BITS = 13,
    CHAIN = 12,
    MIN_MATCH = 4,
    MAX_MATCH = 255 + MIN_MATCH,
    PROB_BITS = 12,
    ADAPT = 5
};

/* One bit model is the probability of a 0, in 1/4096. A byte is coded by a tree of 255 of them. */
struct models {
    uint16_t is_match;
    uint16_t literal[256], length[256], distance_high[256], distance_low[256];
};

struct coder {
    uint32_t low, range, code;
    uint8_t *at, *end;
};

struct workspace {
    uint8_t text[BLOCK], packed[BLOCK + BLOCK / 2], again[BLOCK];
    int32_t head[1 << HASH_BITS], previous[BLOCK];
    struct models models;
};

struct blocks {
    pthread_mutex_t lock;
    size_t next;
};

static void models_init(struct models *m)
{
    uint16_t *p = (uint16_t *)m;
    for (size_t i = 0; i < sizeof *m / sizeof *p; i++)
        p[i] = 1 << (PROB_BITS - 1);
}

/* A carry-less range coder: low and low + range never straddle a byte that has been written. */
static void coder_shift(struct coder *c, int encoding)
{
    while ((c->low ^ (c->low + c->range)) < 1u << 24 ||
           (c->range < 1u << 16 && ((c->range = -c->low & 0xffff), 1))) {
        if (c->at >= c->end)
            bench_fail("coder: out of space");
        if (encoding)
            *c->at++ = (uint8_t)(c->low >> 24);
        else
            c->code = c->code << 8 | *c->at++;
        c->low <<= 8;
        c->range <<= 8;
    }
}

static void put_bit(struct coder *c, uint16_t *p, int bit)
{
    uint32_t bound = (c->range >> PROB_BITS) * *p;
    if (bit) {
        c->low += bound;
        c->range -= bound;
        *p -= *p >> ADAPT;
    } else {
        c->range = bound;
        *p += ((1 << PROB_BITS) - *p) >> ADAPT;
    }
    coder_shift(c, 1);
}

static int get_bit(struct coder *c, uint16_t *p)
{
    uint32_t bound = (c->range >> PROB_BITS) * *p;
    int bit = c->code - c->low >= bound;
    if (bit) {
        c->low += bound;
        c->range -= bound;
        *p -= *p >> ADAPT;
    } else {
        c->range = bound;
        *p += ((1 << PROB_BITS) - *p) >> ADAPT;
    }
    coder_shift(c, 0);
    return bit;
}

static void put_byte(struct coder *c, uint16_t *tree, unsigned byte)
{
    unsigned at = 1;
    for (int i = 7; i >= 0; i--) {
        int bit = byte >> i & 1;
        put_bit(c, &tree[at], bit);
        at = at << 1 | (unsigned)bit;
    }
}

static unsigned get_byte(struct coder *c, uint16_t *tree)
{
    unsigned at = 1;
    while (at < 256)
        at = at << 1 | (unsigned)get_bit(c, &tree[at]);
    return at & 255;
}

static unsigned match_length(const uint8_t *a, const uint8_t *b, unsigned max)
{
    unsigned n = 0;
    while (n < max && a[n] == b[n])
        n++;
    return n;
}

static unsigned hash_at(const uint8_t *p)
{
    uint32_t v = p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
    return v * 2654435761u >> (32 - HASH_BITS);
}

static size_t pack(struct workspace *w)
{
    struct coder c = {0, ~0u, 0, w->packed, w->packed + sizeof w->packed};
    models_init(&w->models);
    memset(w->head, 0xff, sizeof w->head);
    for (size_t i = 0; i < BLOCK;) {
        unsigned best = 0;
        size_t best_at = 0;
        if (i + MIN_MATCH <= BLOCK) {
            unsigned max = BLOCK - i < MAX_MATCH ? (unsigned)(BLOCK - i) : MAX_MATCH;
            int32_t at = w->head[hash_at(w->text + i)];
            for (int tries = 0; at >= 0 && tries < CHAIN; tries++, at = w->previous[at]) {
                unsigned n = match_length(w->text + at, w->text + i, max);
                if (n > best) {
                    best = n;
                    best_at = (size_t)at;
                }
            }
        }
        put_bit(&c, &w->models.is_match, best >= MIN_MATCH);
        size_t step = 1;
        if (best >= MIN_MATCH) {
            size_t distance = i - best_at - 1;
            put_byte(&c, w->models.length, best - MIN_MATCH);
            put_byte(&c, w->models.distance_high, (unsigned)(distance >> 8));
            put_byte(&c, w->models.distance_low, (unsigned)(distance & 255));
            step = best;
        } else {
            put_byte(&c, w->models.literal, w->text[i]);
        }
        for (; step; step--, i++)
            if (i + MIN_MATCH <= BLOCK) {
                unsigned h = hash_at(w->text + i);
                w->previous[i] = w->head[h];
                w->head[h] = (int32_t)i;
            }
    }
    for (int i = 0; i < 4; i++, c.low <<= 8)
        *c.at++ = (uint8_t)(c.low >> 24);
    return (size_t)(c.at - w->packed);
}

static void unpack(struct workspace *w, size_t packed)
{
    struct coder c = {0, ~0u, 0, w->packed, w->packed + packed + 4};
    models_init(&w->models);
    for (int i = 0; i < 4; i++)
        c.code = c.code << 8 | *c.at++;
    for (size_t i = 0; i < BLOCK;) {
        if (!get_bit(&c, &w->models.is_match)) {
            w->again[i++] = (uint8_t)get_byte(&c, w->models.literal);
            continue;
        }
        size_t n = get_byte(&c, w->models.length) + MIN_MATCH;
        size_t distance = (size_t)get_byte(&c, w->models.distance_high) << 8;
        distance |= get_byte(&c, w->models.distance_low);
        if (distance >= i || n > BLOCK - i)
            bench_fail("coder: a match out of the block");
        for (const uint8_t *from = w->again + i - distance - 1; n; n--)
            w->again[i++] = *from++;
    }
}

/* Words of a small language, so that the text is compressible. */
static void make_text(uint8_t *text, size_t block)
{
    uint64_t random = bench_hash(block) | 1;
    for (size_t i = 0; i < BLOCK;) {
        uint64_t word = bench_hash(bench_next(&random) % 700 * (bench_next(&random) % 3 + 1));
        for (size_t n = word % 9 + 2; n && i < BLOCK; n--, word = word >> 5 | word << 59)
            text[i++] = (uint8_t)('a' + word % 26);
        if (i < BLOCK)
            text[i++] = bench_next(&random) % 12 ? ' ' : '\n';
    }
}

static void *work(struct bench_worker *worker)
{
    struct blocks *blocks = worker->arg;
    struct workspace *w = bench_alloc(sizeof *w);
    for (;;) {
        pthread_mutex_lock(&blocks->lock);
        size_t block = blocks->next++;
        pthread_mutex_unlock(&blocks->lock);
        if (block >= worker->bench->size)
            break;
        make_text(w->text, block);
        size_t packed = pack(w);
        unpack(w, packed);
        if (memcmp(w->text, w->again, BLOCK))
            bench_fail("coder: unpacked text differs");
        uint64_t sum = packed;
        for (size_t i = 0; i < packed; i++)
            sum = sum * 31 + w->packed[i];
        worker->sum += bench_hash(block) ^ sum;
    }
    free(w);
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 160);
    struct blocks blocks = {.next = 0};
    pthread_mutex_init(&blocks.lock, NULL);
    uint64_t sum = bench_run(&b, work, &blocks);
    pthread_mutex_destroy(&blocks.lock);
    return bench_end("coder", sum);
}
