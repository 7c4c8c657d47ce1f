// A barrier of a counter under a lock and a flag that is polled.
// race: left_part left left_and_right single-ordering: the flag is polled before it is read
// race: right_part right right_and_left single-ordering: as left_part
// race: generation pass pass k-witness-harmless: the flag of ad hoc synchronisation
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int generation, left_part, right_part;
static int arrived;

static void pass(void)
{
    pthread_mutex_lock(&lock);
    int last = ++arrived == 2;
    pthread_mutex_unlock(&lock);
    if (last)
        generation = 1;
    while (!generation)
        ;
}

static void left(void) { left_part = 3; }

static void right(void) { right_part = 4; }

static int left_and_right(void) { return left_part * 10; }

static int right_and_left(void) { return right_part * 10; }

static void *first(void *to)
{
    left();
    pass();
    *(int *)to = right_and_left();
    return NULL;
}

static void *second(void *to)
{
    right();
    pass();
    *(int *)to = left_and_right();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x, y;
    pthread_create(&a, NULL, first, &x);
    pthread_create(&b, NULL, second, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", x, y);
    return 0;
}
