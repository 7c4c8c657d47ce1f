// Double-checked locking with a plain pointer: races on the pointer and on the object behind it.
// want: race instance at SET CHECK
// want: race at FILL USE
// tsan: it treats malloc as a write to the block
#include "turns.h"
#include <stdlib.h>

struct thing {
    int value;
};
struct thing *instance;
pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int seen;

static struct thing *get(void)
{
    struct thing *t = instance; /* CHECK */
    if (!t) {
        pthread_mutex_lock(&lock);
        t = instance;
        if (!t) {
            t = malloc(sizeof *t);
            t->value = 42; /* FILL */
            instance = t;  /* SET */
        }
        pthread_mutex_unlock(&lock);
    }
    return t;
}

void first(void) { get(); }
void second(void) { seen = get()->value; /* USE */ }
