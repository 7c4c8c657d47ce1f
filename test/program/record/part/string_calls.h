/* string_calls.h - two threads that use string functions under a lock. */
#include <pthread.h>
#include <string.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char a[16] = "hello", b[16];
static void *copy(void *p)
{
    pthread_mutex_lock(&m);
    memcpy(b, a, 8);
    pthread_mutex_unlock(&m);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, copy, NULL);
    pthread_mutex_lock(&m);
    size_t n = strlen(b) + (size_t)strcmp(a, b);
    memcpy(b, a, 7);
    pthread_mutex_unlock(&m);
    pthread_join(t, NULL);
    return n == 77;
}
