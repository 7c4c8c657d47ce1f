// std::thread: arguments are moved in, results are ordered by the join.
// want: none
// stdout: 10
#include <cstdio>
#include <memory>
#include <string>
#include <thread>
#include <vector>

static void work(std::unique_ptr<std::vector<int>> in, std::string name, long &sum)
{
    for (int v : *in)
        sum += v;
    sum += static_cast<long>(name.size());
}

int main()
{
    auto numbers = std::make_unique<std::vector<int>>(std::vector<int>{1, 2, 3});
    long sum = 0;
    std::thread t(work, std::move(numbers), std::string("four"), std::ref(sum));
    t.join();
    std::printf("%ld\n", sum);
}
