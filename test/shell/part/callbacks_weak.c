/* callbacks_weak.c - reads `data` in a callback, and again after the library has synchronised with
 * the writer. Prints 1: the second read must return the newest value. */
#include <pthread.h>
#include <stdio.h>
void wait_for_callback(void);
void publish(void);
void consume(int (*callback)(void));
static int data;
static int look(void) { return data; }
static void *producer(void *arg)
{
    wait_for_callback();
    data = 1;
    publish();
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, producer, NULL);
    consume(look); /* after its callback, it waits for publish */
    printf("%d\n", data);
    pthread_join(t, NULL);
    return 0;
}
