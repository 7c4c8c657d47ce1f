// Ten thousand threads over the run.
// want: none
// oracle: too many events for it
#include <pthread.h>

enum { ROUNDS = 1000, WIDTH = 10 };
static int counter[WIDTH];

static void *worker(void *arg)
{
    *(int *)arg += 1;
    return NULL;
}

int main(void)
{
    for (int r = 0; r < ROUNDS; r++) {
        pthread_t t[WIDTH];
        for (int i = 0; i < WIDTH; i++)
            pthread_create(&t[i], NULL, worker, &counter[i]);
        for (int i = 0; i < WIDTH; i++)
            pthread_join(t[i], NULL);
    }
    int sum = 0;
    for (int i = 0; i < WIDTH; i++)
        sum += counter[i];
    return sum != ROUNDS * WIDTH;
}
