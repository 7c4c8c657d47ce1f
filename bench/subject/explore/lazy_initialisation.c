/* Lazy initialisation: two threads create the object if there is none yet. It fails if both see
 * that there is none: the value that one of them stored is lost. */
// fails: assertion
#include "explore.h"

static int *_Atomic object;
static atomic_int stored;

static int *get(void)
{
    int *o = atomic_load(&object);
    if (!o) {
        o = calloc(1, sizeof *o);
        atomic_store(&object, o);
    }
    return o;
}

static void *use(void *p)
{
    __atomic_fetch_add(get(), 1, __ATOMIC_SEQ_CST);
    atomic_fetch_add(&stored, 1);
    return p;
}

int main(void)
{
    start(use, 0);
    start(use, 0);
    join_all();
    assert(*atomic_load(&object) == atomic_load(&stored));
    return 0;
}
