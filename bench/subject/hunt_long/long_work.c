/* Two threads smooth an image of their own, more than a million accesses, and then add their sums
 * to a total, without a lock, if the format is "raw". The seed has another format. */
// args: 7 text
// input: argv[2]
// race: ADD ADD
#include "../hunt/hunt.h"

enum { ROWS = 128, PIXELS = 1024, ROUNDS = 2 };

struct image {
    int pixel[ROWS][PIXELS];
    unsigned seed;
};

static struct image images[2];
static long total;
static int raw;

static void fill(struct image *m)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < PIXELS; x++) {
            m->seed = m->seed * 1103515245u + 12345u;
            m->pixel[y][x] = (int)(m->seed >> 16 & 255);
        }
}

static void smooth(struct image *m)
{
    for (int y = 0; y < ROWS; y++)
        for (int x = 1; x < PIXELS; x++)
            m->pixel[y][x] = (m->pixel[y][x] + m->pixel[y][x - 1]) / 2;
}

static long sum(const struct image *m)
{
    long s = 0;
    for (int y = 0; y < ROWS; y++)
        for (int x = 0; x < PIXELS; x++)
            s += m->pixel[y][x];
    return s;
}

static void *work(void *argument)
{
    struct image *m = argument;
    fill(m);
    for (int r = 0; r < ROUNDS; r++)
        smooth(m);
    long s = sum(m);
    if (raw) {
        GUARD();
        total += s; /* ADD */
        UNGUARD();
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t threads[2];
    if (argc < 3)
        return 2;
    raw = !strcmp(argv[2], "raw");
    for (int i = 0; i < 2; i++) {
        images[i].seed = (unsigned)atoi(argv[1]) + (unsigned)i;
        pthread_create(&threads[i], NULL, work, &images[i]);
    }
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    printf("%ld\n", total);
    return 0;
}
