/* Four threads append to a text, each once. Then the program changes memory of every kind, and
 * prints the text: each of the 24 orders gives one execution, and memory that another run has left
 * behind would change the output. The end of the run depends on the order, too. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static char text[8], large[1 << 18];
static int length, runs;
static __thread int own;

static void *appends(void *arg)
{
    pthread_mutex_lock(&m);
    text[length++] = *(char *)arg;
    own++;
    pthread_mutex_unlock(&m);
    return arg;
}

/* Writes a block that is 0 if no other run has used it. Returns what was in it. */
static int use(char *block, size_t size)
{
    int before = block[0] | block[size - 1];
    memset(block, 1, size);
    return before;
}

static int deep(int n)
{
    volatile char frame[4096];
    frame[0] = 1;
    return n ? deep(n - 1) + frame[0] : 0;
}

int main(void)
{
    static char name[4][2] = {"a", "b", "c", "d"};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, appends, name[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    char *mapped = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    char *heap = calloc(1, 100000), *big = calloc(1, 1000000);
    int left = use(mapped, 65536) | use(heap, 100000) | use(big, 1000000);
    left |= use(large + (text[0] - 'a') * 65536, 65536) | runs++ | own++;
    free(big);
    printf("%s %d %d\n", text, left, deep(50));
    fflush(stdout);
    if (text[0] == 'b')
        abort();
    if (text[0] == 'c')
        return 3;
    return text[0] == 'd' ? *(volatile int *)(long)(text[1] - 'a') : 0;
}
