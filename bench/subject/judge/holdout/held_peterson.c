// Mutual exclusion by Peterson's algorithm with plain variables (right with sequentially
// consistent memory).
// race: counter add add single-ordering: while a thread is inside, the other one polls
// race: wants enter leave k-witness-harmless: the flag of ad hoc synchronisation
// race: wants enter enter k-witness-harmless: as in leave
// race: turn enter enter k-witness-harmless: either thread may enter first
#include <pthread.h>
#include <stdio.h>

static volatile int wants[2], turn, counter;

static void enter(int me)
{
    wants[me] = 1;
    turn = !me;
    while (wants[!me] && turn == !me)
        ;
}

static void leave(int me) { wants[me] = 0; }

static void add(void) { counter = counter + 1; }

static void *work(void *number)
{
    int me = (int)(long)number;
    enter(me);
    add();
    leave(me);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", counter);
    return 0;
}
