#include <pthread.h>
#include <stdio.h>
void add(int n);
extern int sum;
static void *run(void *arg) { add(1); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, run, NULL);
    add(2);
    pthread_join(t, NULL);
    printf("%d\n", sum);
    return 0;
}
