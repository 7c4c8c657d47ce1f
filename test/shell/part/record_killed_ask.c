#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
static long n;
static void *f(void *a)
{
    for (int i = 0; i < 20000; i++)
        __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
    return a;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    char c;
    (void)argv;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("counted %ld\n", n);
    fflush(stdout);
    printf("counted that\n"); /* the line before is in the recording once this one is visible */
    fflush(stdout);
    if (argc == 1)
        while (read(0, &c, 1) == 1)
            ;
    for (volatile int go = 1; argc == 2 && go;) { /* not many events, however late it is killed */
        __atomic_fetch_add(&n, 1, __ATOMIC_RELAXED);
        for (volatile int rest = 5000; rest; rest--)
            ;
    }
    for (volatile int go = 1; go;) /* no event */
        ;
    printf("not to be seen\n");
    return 0;
}
