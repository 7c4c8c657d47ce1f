/* A cache whose environment sets its size, its policy and the number of its shards. With the policy
 * "clock" and a single shard, the hand of the clock moves without a lock. */
// env: CACHE_SIZE=16
// env: CACHE_POLICY=lru
// env: CACHE_SHARDS=4
// input: env:CACHE_SIZE,env:CACHE_POLICY,env:CACHE_SHARDS
// race: HAND HAND
#include "../hunt/hunt.h"
#include <errno.h>

struct shard {
    pthread_mutex_t lock;
    int keys[64];
};

static struct shard shards[8];
static unsigned size = 16, count = 1, hand;
static enum { LRU, RANDOM, CLOCK } policy;

static int number(const char *name, unsigned least, unsigned most, unsigned *out)
{
    const char *text = getenv(name);
    char *end;
    if (!text)
        return 1;
    errno = 0;
    unsigned long n = strtoul(text, &end, 10);
    if (errno || end == text || *end || n < least || n > most) {
        fprintf(stderr, "%s must be from %u to %u\n", name, least, most);
        return 0;
    }
    *out = (unsigned)n;
    return 1;
}

static int configure(void)
{
    const char *name = getenv("CACHE_POLICY");
    if (!number("CACHE_SIZE", 4, 64, &size) || !number("CACHE_SHARDS", 1, 8, &count))
        return 0;
    if (size % count) {
        fprintf(stderr, "the size must be a multiple of the number of shards\n");
        return 0;
    }
    if (!name || !strcmp(name, "lru"))
        policy = LRU;
    else if (!strcmp(name, "random"))
        policy = RANDOM;
    else if (!strcmp(name, "clock"))
        policy = CLOCK;
    else {
        fprintf(stderr, "unknown policy %s\n", name);
        return 0;
    }
    return 1;
}

static void put(int key)
{
    struct shard *s = &shards[(unsigned)key % count];
    unsigned n = size / count, at = (unsigned)key % n;
    if (policy == CLOCK && count == 1) {
        GUARD();
        at = hand++ % n; /* HAND */
        UNGUARD();
    }
    pthread_mutex_lock(&s->lock);
    s->keys[at] = key;
    pthread_mutex_unlock(&s->lock);
}

static void *user(void *arg)
{
    for (int i = 0; i < 4; i++)
        put(i * 7 + 1);
    return arg;
}

int main(void)
{
    if (!configure())
        return 1;
    for (unsigned i = 0; i < count; i++)
        pthread_mutex_init(&shards[i].lock, NULL);
    run_two(user, user, NULL);
    printf("%u %d\n", hand, shards[0].keys[0]);
    return 0;
}
