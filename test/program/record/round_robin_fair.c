// Round robin starves no thread: a loop whose length divides the slice would hold its lock at the
// end of every slice; and threads that wait for a byte in a pipe are woken in the order in which
// they started to wait.
// levels: O1
// case: record --schedule=rr:{1,2,3,4,5,6,7,8,10,14,50} -- {mutex,pipe}
// stdout: 1
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
enum { THREADS = 8 };
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], pipes;
static atomic_int stop;
static long x, y;
static void take(void)
{
    char c;
    if (!pipes)
        pthread_mutex_lock(&mutex);
    else if (read(ends[0], &c, 1) != 1)
        abort();
}
static void give(void)
{
    if (!pipes)
        pthread_mutex_unlock(&mutex);
    else if (write(ends[1], "", 1) != 1)
        abort();
}
static void *many(void *arg)
{
    for (; !atomic_load(&stop); give()) {
        take();
        x++;
        y++;
    }
    return arg;
}
static void *few(void *arg)
{
    for (int i = 0; i < 20; i++, give())
        take();
    atomic_store(&stop, 1);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[THREADS];
    pipes = argc > 1 && argv[1][0] == 'p';
    if (pipe(ends) || write(ends[1], "", 1) != 1)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, i == THREADS / 2 ? few : many, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", x == y);
    return 0;
}
