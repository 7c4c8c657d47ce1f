// A buffer that two threads create on first use: the second one replaces the first one's.
// race: buffer open_buffer open_buffer output-differs: what was stored in the first buffer is lost;
//     the sum is printed
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int *volatile buffer;

static int *open_buffer(void)
{
    int *own = buffer;
    if (!own) {
        own = calloc(2, sizeof *own);
        buffer = own;
    }
    return own;
}

static void *work(void *number)
{
    long i = (long)number;
    open_buffer()[i] = 5 + (int)i;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", buffer[0] + buffer[1]);
    return 0;
}
