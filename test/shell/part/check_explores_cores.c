/* Prints how many cores it may use, to stdout and to the end of the file `cores`. */
#define _GNU_SOURCE
#include <pthread.h>
#include <sched.h>
#include <stdio.h>

static void *nothing(void *p) { return p; }

int main(void)
{
    pthread_t t;
    cpu_set_t mine;
    FILE *out = fopen("cores", "a");
    if (!out || sched_getaffinity(0, sizeof mine, &mine))
        return 1;
    fprintf(out, "%d\n", CPU_COUNT(&mine));
    printf("%d\n", CPU_COUNT(&mine));
    return fclose(out) || pthread_create(&t, 0, nothing, 0) || pthread_join(t, 0);
}
