// A race of threads that main does not join is predicted and confirmed.
// case: record
// case: predict
// exit: 66
// case: hatch --json -
// exit: 66
// out: "status":"confirmed"
#include <pthread.h>
int x;
static void *w(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    return 0;
}
