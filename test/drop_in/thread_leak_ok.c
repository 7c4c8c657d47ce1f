// want: none
// Threads end and are joined or detached.
#include "leaks.h"

int main(void)
{
    pthread_attr_t detached;
    pthread_attr_init(&detached);
    pthread_attr_setdetachstate(&detached, PTHREAD_CREATE_DETACHED);
    pthread_join(run_thread(NULL), NULL);
    pthread_detach(run_thread(NULL));
    run_thread(&detached);
    return 0;
}
