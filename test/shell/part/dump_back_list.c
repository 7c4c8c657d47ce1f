#include <pthread.h>
#include <stdlib.h>
void look(const void *at);
static struct node {
    struct node *next;
    long value[3];
} *first;
int x;
static void *other(void *arg)
{
    x = 1;
    for (struct node *n = first; n; n = n->next)
        n->value[0]++;
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 40; i++) {
        struct node *n = calloc(1, sizeof *n);
        n->next = first;
        first = n;
    }
    pthread_create(&t, NULL, other, NULL);
    x = 2;
    for (int i = 0; i < 100; i++) {
        free(malloc(sizeof *first));
        first->value[1] = i;
        look(first);
    }
    return pthread_join(t, NULL);
}
