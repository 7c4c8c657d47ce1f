#include <pthread.h>
#include <stdio.h>
long balance = 1000;
static void *pay(void *arg)
{
    long here = balance; /* an address on the stack is part of the run */
    printf("%p\n", (void *)&here);
    balance = here - 1;
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, pay, argv);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%s %p %ld\n", argv[0], (void *)&argc, balance);
    return 0;
}
