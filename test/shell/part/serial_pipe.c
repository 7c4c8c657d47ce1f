/* Two threads write to a pipe of the program, in an order that nobody sees. The first one also
 * writes ab to a file: one thread at once, the other in two pieces. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int ends[2], file, turns;

static void *work(void *text)
{
    pthread_mutex_lock(&mutex);
    int first = !turns++;
    if (write(ends[1], text, 1) != 1)
        return NULL;
    if (first && write(file, "a", 1) + write(file, "b", 1) != 2)
        return NULL;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

static void *whole(void *text)
{
    pthread_mutex_lock(&mutex);
    int first = !turns++;
    if (write(ends[1], text, 1) != 1 || (first && write(file, "ab", 2) != 2))
        return NULL;
    pthread_mutex_unlock(&mutex);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    file = open("result.bin", O_CREAT | O_WRONLY | O_TRUNC, 0600);
    if (pipe(ends) || file < 0)
        return 1;
    pthread_create(&t[0], NULL, work, "1");
    pthread_create(&t[1], NULL, whole, "2");
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    return 0;
}
