#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
static void *f(void *a) { pause(); return a; }
int main(int argc, char **argv)
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    printf("%s\n", argv[1]);
    fflush(stdout);
    if (argv[1][0] == 'a')
        abort();
    if (argv[1][0] == 'f')
        *(volatile int *)16 = argc;
    for (;;)
        pause();
}
