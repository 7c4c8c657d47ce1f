#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <queue>
#include <stdexcept>
#include <thread>
#include <vector>
std::mutex m;
std::condition_variable c;
std::queue<int> q;
int main(int n, char **)
{
    std::vector<std::thread> all;
    long sum = 0;
    int errors = 0;
    for (int i = 0; i < 4; i++)
        all.emplace_back([&, i] {
            for (int k = 0; k < 50; k++) {
                std::lock_guard<std::mutex> l(m);
                q.push(i * 1000 + k);
                c.notify_one();
            }
            try {
                if (i & 1)
                    throw std::runtime_error("odd");
            } catch (const std::exception &) {
                std::lock_guard<std::mutex> l(m);
                errors++;
            }
        });
    for (int got = 0; got < 200; got++) {
        std::unique_lock<std::mutex> l(m);
        c.wait(l, [] { return !q.empty(); });
        sum = (sum * 31 + q.front()) % 1000003; /* depends on the order */
        q.pop();
    }
    for (auto &t : all)
        t.join();
    const char *loaded = getenv("LD_PRELOAD");
    printf("%ld %d %s\n", sum, errors, loaded ? loaded : "none");
    fflush(stdout);
    if (n > 1 && system("true") != 0)
        return 1;
    return 3;
}
