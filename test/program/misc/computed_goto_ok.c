// An interpreter with computed gotos; each thread has its own data.
// want: none
#include <pthread.h>

static int run(const unsigned char *program)
{
    static void *const op[] = {&&increment, &&twice, &&halt};
    int acc = 0;
    goto *op[*program++];
increment:
    acc++;
    goto *op[*program++];
twice:
    acc *= 2;
    goto *op[*program++];
halt:
    return acc;
}

static void *worker(void *arg)
{
    static const unsigned char program[] = {0, 0, 1, 0, 1, 2};
    *(int *)arg = run(program);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int result[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, &result[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return result[0] != 10 || result[1] != 10;
}
