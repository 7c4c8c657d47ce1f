/* Reference count: a new reference is taken with a load and a store instead of one addition. It
 * fails if the owner drops its reference in between: the object is freed while it is used. */
// fails: memory
#include "explore.h"

struct object {
    atomic_int references;
    int value;
};
static struct object *object;

static void drop(struct object *o)
{
    if (atomic_fetch_sub(&o->references, 1) == 1)
        free(o);
}

static void *user(void *p)
{
    struct object *o = object;
    int n = atomic_load(&o->references);
    if (n == 0)
        return p;
    atomic_store(&o->references, n + 1);
    o->value++;
    drop(o);
    return p;
}

static void *owner(void *p)
{
    drop(object);
    return p;
}

int main(void)
{
    object = calloc(1, sizeof *object);
    atomic_store(&object->references, 1);
    start(user, 0);
    start(owner, 0);
    join_all();
    return 0;
}
