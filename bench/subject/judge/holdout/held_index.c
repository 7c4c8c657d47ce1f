// An index has a value that is no position for a moment.
// race: position move use spec-violated: the intermediate value is used as an index
#include <pthread.h>
#include <stdio.h>

static volatile int values[4] = {1, 2, 3, 4};
static volatile int position;

static void move(void)
{
    position = -100000000;
    position = 2;
}

static int use(void) { return values[position]; }

static void *mover(void *unused)
{
    move();
    return unused;
}

static void *user(void *unused) { return use() ? unused : &position; }

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, mover, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("end");
    return 0;
}
