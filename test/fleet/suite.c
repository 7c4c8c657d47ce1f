/* The argument modulo 5 chooses one of four races, or none. Every run finds the chosen race: no
 * schedule orders the two threads. With `wait`, the program does not end. */
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int shared[4], which;

static void touch0(void) { shared[0]++; }
static void touch1(void) { shared[1]++; }
static void touch2(void) { shared[2]++; }
static void touch3(void) { shared[3]++; }

static void *work(void *arg)
{
    static void (*const touch[])(void) = {touch0, touch1, touch2, touch3};
    touch[which]();
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    while (argc > 1 && strcmp(argv[1], "wait") == 0)
        pause();
    which = argc > 1 ? atoi(argv[1]) % 5 : 0;
    if (which == 4)
        return 0;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
