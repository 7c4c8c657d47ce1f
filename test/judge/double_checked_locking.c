// Micro program DCL: the pointer is tested without the lock first.
// judge: object k-witness-harmless
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int storage = 42;
int *object;

static void *use(void *unused)
{
    (void)unused;
    if (!object) {
        pthread_mutex_lock(&lock);
        if (!object)
            object = &storage;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", *object);
    return 0;
}
