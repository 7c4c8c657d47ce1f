// want: none
// The program asks for error codes, and may lock recursively.
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>

pthread_mutex_t checked = PTHREAD_ERRORCHECK_MUTEX_INITIALIZER_NP;
pthread_mutex_t recursive = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;

int main(void)
{
    pthread_mutex_lock(&checked);
    int again = pthread_mutex_lock(&checked);
    pthread_mutex_unlock(&checked);
    pthread_mutex_lock(&recursive);
    pthread_mutex_lock(&recursive);
    pthread_mutex_unlock(&recursive);
    pthread_mutex_unlock(&recursive);
    return again != EDEADLK;
}
