// Peterson's algorithm with seq_cst.
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
        turn = 1 - me;
        while (wants[1 - me] && turn == 1 - me)
            sched_yield();
        shared++;
        wants[me] = 0;
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
