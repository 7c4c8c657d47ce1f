// A stack of nodes to which two threads add without a lock. Its length is printed.
// race: head push push output-differs: a node is lost
#include <pthread.h>
#include <stdio.h>

struct node {
    struct node *below;
};

static struct node *volatile head;
static struct node nodes[2];

static void push(struct node *n)
{
    n->below = head;
    head = n;
}

static void *work(void *n)
{
    push(n);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int length = 0;
    pthread_create(&a, NULL, work, &nodes[0]);
    pthread_create(&b, NULL, work, &nodes[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (struct node *n = head; n; n = n->below)
        length++;
    printf("%d\n", length);
    return 0;
}
