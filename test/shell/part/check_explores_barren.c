/* No schedule fails. The output has a byte 0, as that of a compressor has. */
#include <pthread.h>
#include <unistd.h>
static pthread_mutex_t door = PTHREAD_MUTEX_INITIALIZER;
static int visits;
static void *visit(void *p)
{
    for (int i = 0; i < 40; i++) {
        pthread_mutex_lock(&door);
        visits++;
        pthread_mutex_unlock(&door);
    }
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, visit, 0);
    visit(0);
    return pthread_join(t, 0) || write(STDOUT_FILENO, "", 1) != 1;
}
