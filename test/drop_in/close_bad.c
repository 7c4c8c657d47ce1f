// want: descriptor-race
// text: Location is file descriptor
// text: #0 pipe
// One thread closes a descriptor that another one uses; nothing orders the two.
#include "descriptor.h"

int main(void)
{
    pthread_t t;
    if (pipe(fds))
        return 3;
    pthread_create(&t, NULL, user, NULL);
    order_point(1);
    close(fds[1]);
    pthread_join(t, NULL);
    close(fds[0]);
    return 0;
}
