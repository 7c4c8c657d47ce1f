// std::atomic_load and atomic_store of a shared_ptr: libstdc++ locks an internal mutex for them.
// want: none
#include <cassert>
#include <memory>
#include <thread>

std::shared_ptr<int> shared = std::make_shared<int>(0);

static void work(int me)
{
    for (int i = 0; i < 200; i++) {
        std::shared_ptr<int> seen = std::atomic_load(&shared);
        assert(*seen >= 0);
        std::atomic_store(&shared, std::make_shared<int>(me));
    }
}

int main()
{
    std::thread a(work, 1), b(work, 2);
    a.join();
    b.join();
}
