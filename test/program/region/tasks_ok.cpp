// want: none
// std: c++20
// case: record
// case: hatch
/* Tasks: packaged_task in a guarded queue, async, shared_future. Each value is read once it is
 * ready. */
#include <deque>
#include <future>
#include <mutex>
#include <thread>
#include <vector>

std::mutex lock;
std::deque<std::packaged_task<int(int)>> queue;
int total;

static void work()
{
    for (;;) {
        std::packaged_task<int(int)> task;
        {
            std::lock_guard<std::mutex> guard(lock);
            if (queue.empty())
                return;
            task = std::move(queue.front());
            queue.pop_front();
        }
        task(3);
    }
}

int main()
{
    std::vector<std::future<int>> results;
    for (int i = 0; i < 3; i++) {
        std::packaged_task<int(int)> task([i](int n) {
            std::lock_guard<std::mutex> guard(lock);
            total += n;
            return i + n;
        });
        results.push_back(task.get_future());
        queue.push_back(std::move(task));
    }
    std::thread one(work), two(work);
    std::shared_future<int> other = std::async(std::launch::async, [] { return 5; }).share();
    int sum = other.get();
    for (auto &r : results)
        sum += r.get();
    one.join();
    two.join();
    return sum == 17 && total == 9 ? 0 : 1;
}
