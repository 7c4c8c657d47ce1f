// An entry of a cache is replaced while another thread looks it up.
// race: entry_key replace find output-differs: decides whether the entry is found; printed
// race: entry_value replace find output-differs: the old key may get the new value; printed
#include <pthread.h>
#include <stdio.h>

static volatile int entry_key = 1, entry_value = 10;

static void *replace(void *unused)
{
    entry_value = 20;
    entry_key = 2;
    return unused;
}

static int find(int key) { return entry_key == key ? entry_value : 0; }

static void *ask(void *unused)
{
    printf("1 is %d\n", find(1));
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, replace, NULL);
    pthread_create(&b, NULL, ask, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
