// want: none
// A queue that links its nodes by a compare-and-exchange in assembly, at an address that was just
// loaded.
#include <pthread.h>

#define NODES 200

struct node {
    struct node *next;
};
static struct node first, nodes[2][NODES];
static struct node *tail = &first;

static struct node *exchange_if(struct node **at, struct node *old, struct node *new)
{
    struct node *was = old;
    __asm__ __volatile__("lock; cmpxchgq %2, %1" : "+a"(was), "+m"(*at) : "r"(new) : "memory");
    return was;
}

static void enqueue(struct node *n)
{
    for (;;) {
        struct node *last = __atomic_load_n(&tail, __ATOMIC_ACQUIRE);
        struct node *next = exchange_if(&last->next, NULL, n);
        if (!next) {
            exchange_if(&tail, last, n);
            return;
        }
        exchange_if(&tail, last, next); /* help the other thread */
    }
}

static void *fill(void *list)
{
    for (int i = 0; i < NODES; i++)
        enqueue((struct node *)list + i);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, fill, nodes[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    int n = 0;
    for (struct node *at = first.next; at; at = at->next)
        n++;
    return n != 2 * NODES;
}
