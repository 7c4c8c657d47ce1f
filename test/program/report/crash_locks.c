// The report of a crash in a free run says where the thread has taken the locks that it holds, or,
// if it samples, where any thread took them first.
// levels: O1
// case: run --json -
// exit: 139
// out: {"function":"pthread_mutex_lock","file":null,"line":0,"column":0},{"function":"main"
// noout: "first":true
// case: run --json - --sample=literace
// exit: 139
// out: {"function":"pthread_mutex_lock","file":null,"line":0,"column":0},{"function":"other"
// out: "mode":"write","first":true,
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *volatile nothing;
static void *other(void *arg)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    pthread_join(t, NULL);
    pthread_mutex_lock(&m);
    return *nothing;
}
