// A program may use the usable size that it asked for; reused memory has no history.
// want: none
#include <malloc.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static void *work(void *arg)
{
    for (int i = 0; i < 200; i++) {
        char *p = malloc((size_t)(20 + i));
        memset(p, i, malloc_usable_size(p));
        free(p);
    }
    return arg;
}
int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
