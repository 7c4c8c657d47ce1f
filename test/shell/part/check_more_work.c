// Two unlocked conflicts between two threads; one of them only on a rarely taken path.
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
int early, late;
static atomic_int turn;
static void *other(void *p)
{
    if (p)
        early = 1;
    if (atomic_load_explicit(&turn, memory_order_relaxed) == 1)
        late = 1;
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    int all = argc > 1 && !strcmp(argv[1], "all");
    pthread_create(&t, NULL, other, all ? &all : NULL);
    if (all)
        early = 2;
    atomic_store_explicit(&turn, 1, memory_order_relaxed);
    late = 2;
    pthread_join(t, NULL);
    return 0;
}
