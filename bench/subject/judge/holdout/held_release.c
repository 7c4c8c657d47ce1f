// A reference count without atomics: a release can be lost, and nobody frees the object.
// race: refs release release output-differs: both threads see 2 and store 1; whether the object was
//     freed is printed
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int refs = 2;
static int freed[2];

static void release(int *object, int *note)
{
    int left = refs - 1;
    refs = left;
    if (left == 0) {
        free(object);
        *note = 1;
    }
}

static int *object;

static void *work(void *note)
{
    release(object, note);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    object = malloc(sizeof *object);
    pthread_create(&a, NULL, work, &freed[0]);
    pthread_create(&b, NULL, work, &freed[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts(freed[0] + freed[1] ? "freed" : "leaked");
    return 0;
}
