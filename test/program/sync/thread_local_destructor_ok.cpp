// Destructors of thread-local objects, and of keys that they set, happen before the join.
// want: none
#include <cassert>
#include <pthread.h>
#include <thread>

pthread_key_t key;
int x, y;

static void destroy(void *value) { ++*static_cast<int *>(value); }

struct last {
    ~last()
    {
        x++;
        pthread_setspecific(key, &y);
    }
};

static void work()
{
    static thread_local last l;
    (void)&l;
}

int main()
{
    pthread_key_create(&key, destroy);
    for (int i = 1; i <= 10; i++) {
        std::thread(work).join();
        assert(x == i && y == i);
    }
}
