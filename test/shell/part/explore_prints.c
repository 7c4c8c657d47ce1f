/* Two threads print a line each. The first call allocates the buffer of standard output. */
#include <pthread.h>
#include <stdio.h>

static void *print(void *line)
{
    puts(line);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, print, "one");
    pthread_create(&t[1], NULL, print, "two");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
