/* Publication before initialisation: the pointer is stored before the object is complete. It
 * fails if the reader sees the pointer in between. */
// fails: crash
#include "explore.h"

struct config {
    const int *value;
};
static const int ten = 10;
static struct config storage;
static struct config *_Atomic config;

static void *set_up(void *p)
{
    atomic_store(&config, &storage);
    __atomic_store_n(&storage.value, &ten, __ATOMIC_SEQ_CST);
    return p;
}

static void *use(void *p)
{
    struct config *c = atomic_load(&config);
    if (c)
        assert(*__atomic_load_n(&c->value, __ATOMIC_SEQ_CST) == 10);
    return p;
}

int main(void)
{
    start(use, 0);
    start(set_up, 0);
    join_all();
    return 0;
}
