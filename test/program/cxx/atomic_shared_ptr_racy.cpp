// std::atomic<std::shared_ptr> orders accesses to the pointer, not accesses to the shared object.
// want: race at FIRST SECOND
// std: c++20
#include "turns.h"
#include <atomic>
#include <memory>

std::atomic<std::shared_ptr<int>> shared;
std::shared_ptr<int> one, two; // the destruction of a shared_ptr creates order, too

extern "C" {
void before(void) { shared.store(std::make_shared<int>(0)); }
void first(void)
{
    one = shared.load();
    *one = 1; /* FIRST */
}
void second(void)
{
    two = shared.load();
    *two = 2; /* SECOND */
}
int after(void)
{
    shared.store(nullptr);
    return 0;
}
}
