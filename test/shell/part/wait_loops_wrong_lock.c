/* A spin lock; the third thread takes it wrongly, so its increment of x races with the others. */
#include <pthread.h>
#include <stdatomic.h>
static atomic_int locked;
static int x;
static int grab(void)
{
    int free_value = 0;
    atomic_compare_exchange_strong(&locked, &free_value, 1);
    return free_value; /* 0: it was free */
}
static void *work(void *wrong)
{
    if (wrong)
        while (!grab())
            ;
    else
        do
            while (atomic_load(&locked))
                ;
        while (grab());
    x++;
    atomic_store(&locked, 0);
    return 0;
}
int main(void)
{
    pthread_t t[3];
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, work, (void *)(long)(i == 2));
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
