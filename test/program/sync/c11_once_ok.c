// The initialiser of call_once happens before every return from call_once.
// want: none
// tsan: it does not support C11 threads
#include <assert.h>
#include <threads.h>

once_flag once = ONCE_FLAG_INIT;
int x;

static void init(void) { x++; }

static int worker(void *arg)
{
    call_once(&once, init);
    assert(x == 1);
    return arg != NULL;
}

int main(void)
{
    thrd_t t[4];
    for (int i = 0; i < 4; i++)
        thrd_create(&t[i], worker, NULL);
    for (int i = 0; i < 4; i++)
        thrd_join(t[i], NULL);
    return 0;
}
