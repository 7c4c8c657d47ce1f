// promise and future, packaged_task, async; also with an exception.
// want: none
// stdout: 42 7 9 thrown
#include <cstdio>
#include <future>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

int main()
{
    std::promise<std::vector<int>> promise;
    auto numbers = promise.get_future();
    std::thread t([&promise] { promise.set_value({40, 2}); });
    int sum = 0;
    for (int v : numbers.get())
        sum += v;
    t.join();

    std::packaged_task<int(int)> task([](int x) { return x + 1; });
    auto result = task.get_future();
    std::thread u(std::move(task), 6);
    int seven = result.get();
    u.join();

    auto later = std::async(std::launch::async, [] { return std::string("nine char").size(); });
    auto broken =
        std::async(std::launch::async, []() -> int { throw std::runtime_error("thrown"); });
    std::string what;
    size_t nine = later.get();
    try {
        broken.get();
    } catch (const std::runtime_error &e) {
        what = e.what();
    }
    std::printf("%d %d %zu %s\n", sum, seven, nine, what.c_str());
}
