// A static local variable is initialised once, and every thread sees it.
// want: none
#include <string>
#include <thread>
#include <vector>

struct thing {
    std::string name;
    int value;
    thing() : name("a name that is too long for the small buffer"), value(42) {}
};

static const thing &instance()
{
    static thing t;
    return t;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<size_t> seen(4);
    for (int k = 0; k < 4; k++)
        threads.emplace_back([k, &seen] {
            seen[k] = instance().name.size() + static_cast<size_t>(instance().value);
        });
    for (auto &t : threads)
        t.join();
    return seen[0] != seen[3];
}
