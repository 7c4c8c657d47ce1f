#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
struct node { struct node *next; volatile int flag; };
struct list { long number; struct node *head; };
int x;
struct list *one, *two;
static struct node *fresh(void) { return calloc(1, sizeof(struct node)); }
static struct node *spare;
static struct node *give(void) { return spare; }
/* --- excluded from the trace --- */
static void miss_look(struct list *l) { l->number++; }
static void miss_push(struct list *l)
{
    struct node *n = calloc(1, sizeof *n);
    n->next = l->head;
    l->head = n;
}
static void miss_link(struct list *l, struct node *n) { l->head = n; }
static void miss_move(struct list *to, struct list *from) { to->head = from->head; }
static void miss_apply(struct list *l, struct node *(*f)(void)) { l->head = f(); }
static struct node *last(struct list *l)
{
    struct node *n = l->head;
    while (n->next)
        n = n->next;
    return n;
}
static void miss_set(struct list *l) { last(l)->flag = 1; }
static void miss_await(struct list *l)
{
    while (!last(l)->flag)
        sched_yield();
}
static void *first(void *p)
{
    x = 1;
    miss_set(one);
    return p;
}
static void *second(void *p)
{
    AWAIT;
    x = 2;
    return p;
}
#define LOOK miss_look(one), miss_look(two), miss_look(one), miss_look(two)
int main(void)
{
    pthread_t t, u;
    struct node *n = NULL;
    (void)n;
    one = calloc(1, sizeof *one), two = calloc(1, sizeof *two);
    LOOK;
    LINK;
    pthread_create(&t, NULL, first, NULL);
    pthread_create(&u, NULL, second, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    (void)fresh, (void)give, (void)miss_push, (void)miss_link, (void)miss_move, (void)miss_apply, (void)miss_await;
    return 0;
}
