// Locks of all kinds, each taken in one line by two threads. The argument names the kind.
#include <mutex>
#include <pthread.h>
#include <shared_mutex>
#include <string.h>
#include <thread>
#include <threads.h>

static std::mutex cxx;
static std::shared_mutex shared;
static pthread_rwlock_t rw = PTHREAD_RWLOCK_INITIALIZER;
static pthread_spinlock_t spin;
static pthread_mutex_t again;
static mtx_t c11;
int counter;

static void work(const char *kind)
{
    if (!strcmp(kind, "cxx")) {
        std::lock_guard<std::mutex> hold(cxx); // 20
        counter++;
    } else if (!strcmp(kind, "shared")) {
        std::unique_lock<std::shared_mutex> hold(shared); // 23
        counter++;
    } else if (!strcmp(kind, "rw")) {
        pthread_rwlock_wrlock(&rw); // 26
        counter++;
        pthread_rwlock_unlock(&rw);
    } else if (!strcmp(kind, "spin")) {
        pthread_spin_lock(&spin); // 30
        counter++;
        pthread_spin_unlock(&spin);
    } else if (!strcmp(kind, "c11")) {
        mtx_lock(&c11); // 34
        counter++;
        mtx_unlock(&c11);
    } else if (!strcmp(kind, "try")) {
        if (!pthread_mutex_trylock(&again)) { // 38
            counter++;
            pthread_mutex_unlock(&again);
        }
    } else { // the inner operation is removed: the outer one still protects the counter
        pthread_mutex_lock(&again);
        pthread_mutex_lock(&again); // 44
        counter++;
        pthread_mutex_unlock(&again);
        counter++;
        pthread_mutex_unlock(&again);
    }
}

int main(int argc, char **argv)
{
    pthread_mutexattr_t recursive;
    pthread_mutexattr_init(&recursive);
    pthread_mutexattr_settype(&recursive, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&again, &recursive);
    pthread_spin_init(&spin, 0);
    mtx_init(&c11, mtx_plain);
    std::thread other(work, argv[argc - 1]);
    work(argv[argc - 1]);
    other.join();
    return 0;
}
