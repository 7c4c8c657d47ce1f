// weak_ptr::lock is ordered with the other owners.
// want: none
#include <memory>
#include <thread>
#include <vector>

int main()
{
    auto shared = std::make_shared<std::vector<int>>(10, 1);
    std::weak_ptr<std::vector<int>> weak = shared;
    int sum = 0;
    std::thread t([weak, &sum] {
        for (int i = 0; i < 20; i++)
            if (auto p = weak.lock())
                for (int v : *p)
                    sum += v;
    });
    shared.reset();
    t.join();
    return sum % 10;
}
