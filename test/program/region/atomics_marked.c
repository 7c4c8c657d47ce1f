// want: none
// case: record
// case: hatch
// exit: 66
// out: atomicity violation
/* Atomic accesses to one variable count in a region that the program marks: an update is lost. */
#include "../../../include/photofinish.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
static atomic_int n;
static void *work(void *p)
{
    PF_ATOMIC_BEGIN();
    int seen = atomic_load(&n);
    atomic_store(&n, seen + 1);
    PF_ATOMIC_END();
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, work, NULL);
    pthread_create(&u, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
