// The main thread exits by pthread_exit; another thread joins it and is ordered after it.
// want: none
// suspicious: thread-leak
// stdout: 2
#include <pthread.h>
#include <stdio.h>

pthread_t main_thread;
pthread_key_t key;
int x;

static void destroy(void *value) { ++*(int *)value; }

static void *joiner(void *arg)
{
    pthread_join(main_thread, NULL);
    printf("%d\n", x);
    return arg;
}

int main(void)
{
    pthread_t t;
    main_thread = pthread_self();
    pthread_key_create(&key, destroy);
    pthread_setspecific(key, &x);
    pthread_create(&t, NULL, joiner, NULL);
    x = 1;
    pthread_exit(NULL);
}
