#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
struct node { struct node *next; int *value; };
int lib_sum(struct node *n, int (*f)(int));
int x, y = 5, z;
atomic_int a;
struct large { long l[20]; } from, to;
static int callback(int v) { z += v; return v + 1; }
__attribute__((noinline)) static void inner(int *p) { *p += 1; }
__attribute__((noinline)) void helper(int *p) { *p += 1; inner(p); x++; }
static void *work(void *arg)
{
    struct node *second = malloc(sizeof *second), *first = malloc(sizeof *first);
    *second = (struct node){NULL, malloc(sizeof(int))};
    *first = (struct node){second, &y};
    *second->value = 7;
    x = lib_sum(first, callback);
    helper(&y);
    atomic_fetch_add(&a, 2);
    to = from;
    y = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    printf("%d %d %d\n", x, y, z);
    return 0;
}
