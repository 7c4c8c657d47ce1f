#include "order.h"
#include <math.h>
#include <pthread.h>
int at;
volatile double x = 0.5;
__attribute__((noinline)) static void touch(void)
{
    at++;
}
__attribute__((noinline)) static double alone(double y)
{
    return exp(y) + powf((float)y, 3);
}
__attribute__((noinline)) static double outer(int last)
{
    double y = log(x) + alone(x);
    if (last)
        touch();
    return cos(y);
}
static void *other(void *arg)
{
    order_wait(1);
    touch();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    for (int i = 0; i < 50; i++)
        x = outer(i == 49);
    order_arrive();
    pthread_join(t, NULL);
    return 0;
}
