// want: none
// A descriptor is closed after another thread has used it, and its number is used again.
#include "descriptor.h"

int main(void)
{
    pthread_t t;
    for (int i = 0; i < 2; i++) {
        order_turn = 0;
        if (pipe(fds))
            return 3;
        pthread_create(&t, NULL, user, NULL);
        order_point(1);
        pthread_join(t, NULL);
        close(fds[1]);
        close(fds[0]);
    }
    return 0;
}
