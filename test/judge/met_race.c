// The alternate order leads to code that the recording does not reach, and that has a race of its
// own. It is met while `mode` is judged, and is judged as well.
// judge: mode output-differs
// judge: slow output-differs
#include <pthread.h>
#include <stdio.h>

volatile int mode;
volatile int slow;
static volatile int done;

static void *set(void *unused)
{
    (void)unused;
    mode = 1;
    for (int i = 0; i < 3; i++)
        done = i;
    slow = 1;
    return NULL;
}

static void *use(void *unused)
{
    (void)unused;
    if (!mode)
        printf(slow ? "slow\n" : "fast\n");
    else
        printf("fast\n");
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, set, NULL);
    pthread_create(&t[1], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
