// Twin of double_checked_locking: the second test is missing, so that two objects may be created.
// judge: object output-differs
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int created;
int *object;

static void *use(void *unused)
{
    (void)unused;
    if (!object) {
        pthread_mutex_lock(&lock);
        created++;
        object = &created;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, use, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", *object);
    return 0;
}
