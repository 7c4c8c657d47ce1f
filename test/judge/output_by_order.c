// Twin of output_by_input: the value that was written last decides what is printed (Figure 14 c).
// judge: globalx output-differs
// evidence: globalx descriptor 1
// evidence: globalx puts
#include <pthread.h>
#include <stdio.h>

int globalx;

static void *work0(void *unused)
{
    (void)unused;
    globalx = 1;
    return NULL;
}

static void *work1(void *unused)
{
    (void)unused;
    globalx = 2;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, work0, NULL);
    pthread_create(&t[1], NULL, work1, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts(globalx == 1 ? "first" : "second");
    return 0;
}
