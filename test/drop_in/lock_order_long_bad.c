// want: deadlock suspicious
// A cycle of 12 locks.
#include <pthread.h>

#define N 12
static pthread_mutex_t m[N];

int main(void)
{
    for (int i = 0; i < N; i++)
        pthread_mutex_init(&m[i], NULL);
    for (int i = 0; i < N; i++) {
        pthread_mutex_lock(&m[i]);
        pthread_mutex_lock(&m[(i + 1) % N]);
        pthread_mutex_unlock(&m[(i + 1) % N]);
        pthread_mutex_unlock(&m[i]);
    }
    return 0;
}
