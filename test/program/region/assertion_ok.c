// want: none
// case: record
// case: hatch
/* A branch whose other side never returns (a failed assertion) is not the check of a
 * check-then-act. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x = 1;
static void *w(void *arg)
{
    (void)arg;
    pthread_mutex_lock(&m);
    assert(x > 0);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(&m);
    x = 2;
    pthread_mutex_unlock(&m);
    return 0;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    return x != 2;
}
