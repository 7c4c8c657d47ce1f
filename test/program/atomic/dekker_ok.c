// Dekker's algorithm with seq_cst.
// want: none
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

atomic_int wants[2], turn;
int shared;

static void *worker(void *arg)
{
    int me = *(int *)arg;
    for (int i = 0; i < 300; i++) {
        wants[me] = 1;
        while (wants[1 - me]) {
            if (turn == me) {
                sched_yield();
                continue;
            }
            wants[me] = 0;
            while (turn != me)
                sched_yield();
            wants[me] = 1;
        }
        shared++;
        turn = 1 - me;
        wants[me] = 0;
        if (i == 299)
            turn = 1 - me;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int me[2] = {0, 1};
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &me[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return shared != 600;
}
