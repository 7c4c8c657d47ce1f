#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>
struct node { int value; } *node;
static void *user(void *p)
{
    node->value = 1;
    return p;
}
int main(void)
{
    pthread_t t;
    node = malloc(sizeof *node);
    pthread_create(&t, NULL, user, NULL);
    PAUSE;
    free(node);
    pthread_join(t, NULL);
    return 0;
}
