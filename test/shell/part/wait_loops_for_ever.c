/* Threads that wait in loops for something that never comes, or count until they give up. The first
 * argument chooses the loop. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static atomic_int a, b;
static volatile int plain;
static _Thread_local long own;
static const char *how;

static void *wait(void *unused)
{
    if (!strcmp(how, "one"))
        while (atomic_load(&a) != 1)
            ;
    else if (!strcmp(how, "two") || !strcmp(how, "both"))
        while (atomic_load(&a) != 1 && atomic_load(&b) != 1)
            ;
    else if (!strcmp(how, "plain"))
        while (!plain)
            ;
    else if (!strcmp(how, "counts")) {
        for (int i = 0; i < 100000 && atomic_load(&a) != 1; i++)
            ;
    } else if (!strcmp(how, "counts_own")) {
        while (atomic_load(&a) != 1 && ++own < 100000)
            ;
    }
    return unused;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    how = argc > 1 ? argv[1] : "one";
    if (argc > 2) { /* never: the values could change */
        a = b = atoi(argv[2]);
        plain = a;
    }
    for (int i = 0; i < 1 + !strcmp(how, "both"); i++)
        pthread_create(&t[i], NULL, wait, NULL);
    for (int i = 0; i < 1 + !strcmp(how, "both"); i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
