// Constructors run before main and before the runtime's start; destructors run after main.
// want: none
// stdout: 2 up
// stdout: down
#include <pthread.h>
#include <stdio.h>

static int up;

__attribute__((constructor)) static void begin(void) { up++; }
__attribute__((constructor(101))) static void very_early(void) { up++; }
__attribute__((destructor)) static void end(void) { puts("down"); }

static void *worker(void *arg)
{
    *(int *)arg = up;
    return NULL;
}

int main(void)
{
    pthread_t t;
    int seen;
    pthread_create(&t, NULL, worker, &seen);
    pthread_join(t, NULL);
    printf("%d up\n", seen);
    return 0;
}
