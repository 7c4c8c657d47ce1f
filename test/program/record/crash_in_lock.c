// A crash inside an interposed function that the runtime can do without glibc.
// levels: O1
// case: record --schedule={rr:1000,rr:1,random:1,pos:1}
// exit: 139
#include <pthread.h>
static pthread_mutex_t *volatile p;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int main(void)
{
    pthread_mutex_lock(&m);
    pthread_mutex_unlock(&m);
    pthread_mutex_lock(p);
    return 0;
}
