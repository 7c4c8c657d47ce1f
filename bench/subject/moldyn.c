/* Moldyn: forces between particles, a barrier between the steps; all threads add their part to the
 * energy, and one of them reads the sum without waiting. */
#include "subject.h"

#ifndef SCALE
#define SCALE 1
#endif
enum { THREADS = 2, PARTICLES = 24 * SCALE, STEPS = 3 };
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t barrier;
static double place[PARTICLES], speed[PARTICLES], force[PARTICLES], energy;
static int interactions;

static void *simulate(void *p)
{
    int me = *(int *)p, from = me * PARTICLES / THREADS, to = (me + 1) * PARTICLES / THREADS;
    for (int step = 0; step < STEPS; step++) {
        double own = 0;
        int pairs = 0;
        for (int i = from; i < to; i++) {
            force[i] = 0;
            for (int k = 0; k < PARTICLES; k++)
                if (k != i) {
                    double d = place[k] - place[i];
                    force[i] += d / (1 + d * d);
                    pairs++;
                }
        }
        pthread_barrier_wait(&barrier);
        for (int i = from; i < to; i++) {
            speed[i] += force[i] * 0.01;
            place[i] += speed[i] * 0.01;
            own += speed[i] * speed[i];
        }
        LOCK(&lock);
        energy += own;
        UNLOCK(&lock);
        TWIN_LOCK(&lock);
        interactions += pairs;
        TWIN_UNLOCK(&lock);
        pthread_barrier_wait(&barrier);
    }
    return NULL;
}

int main(void)
{
    int me[] = {0, 1};
    void *(*const body[])(void *) = {simulate, simulate};
    void *const arg[] = {&me[0], &me[1]};
    pthread_barrier_init(&barrier, NULL, THREADS);
    for (int i = 0; i < PARTICLES; i++)
        place[i] = i * 0.7;
    run_threads(body, arg, THREADS);
    MUST(interactions == STEPS * PARTICLES * (PARTICLES - 1));
    return energy < 0;
}
