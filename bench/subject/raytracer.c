/* RayTracer: a lock protects the sum over all pixels, but each thread has its own lock. */
#include "subject.h"

enum { THREADS = 2, SIZE = 12 };
static pthread_mutex_t shared_lock = PTHREAD_MUTEX_INITIALIZER;
static long checksum;
static unsigned char pixel[SIZE][SIZE];

struct tracer {
    pthread_mutex_t lock;
    int number;
};

static unsigned char trace(int x, int y)
{
    double dx = x - SIZE / 2.0, dy = y - SIZE / 2.0, d = dx * dx + dy * dy;
    return (unsigned char)(d < SIZE * SIZE / 6.0 ? 255 - 4 * d : 16);
}

static void *render(void *p)
{
    struct tracer *t = p;
    long sum = 0;
#ifdef TWIN
    pthread_mutex_t *lock = &shared_lock;
#else
    pthread_mutex_t *lock = &t->lock;
#endif
    for (int y = t->number; y < SIZE; y += THREADS)
        for (int x = 0; x < SIZE; x++) {
            pixel[y][x] = trace(x, y);
            sum += pixel[y][x];
        }
    LOCK(lock);
    checksum += sum;
    UNLOCK(lock);
    return NULL;
}

int main(void)
{
    struct tracer t[THREADS] = {{PTHREAD_MUTEX_INITIALIZER, 0}, {PTHREAD_MUTEX_INITIALIZER, 1}};
    void *(*const body[])(void *) = {render, render};
    void *const arg[] = {&t[0], &t[1]};
    run_threads(body, arg, THREADS);
    long want = 0;
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
            want += pixel[y][x];
    (void)shared_lock;
    MUST(checksum == want);
    return 0;
}
