#include "lib.h"
#include <pthread.h>
#include <stdio.h>
static void *work(void *arg) { bump(); return arg; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, work, 0);
    bump();
    pthread_join(t, 0);
    puts("done");
    return 0;
}
