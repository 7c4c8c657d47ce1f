// std::call_once: all threads wait for the one that runs the function.
// want: none
#include <mutex>
#include <stdexcept>
#include <thread>
#include <vector>

std::once_flag once;
int value;
int attempts;

static void set()
{
    value = 42;
    attempts++;
}

int main()
{
    std::vector<std::thread> threads;
    std::vector<int> seen(4);
    for (int k = 0; k < 4; k++)
        threads.emplace_back([k, &seen] {
            std::call_once(once, set);
            seen[k] = value;
        });
    for (auto &t : threads)
        t.join();
    return attempts != 1 || seen[0] + seen[1] + seen[2] + seen[3] != 168;
}
