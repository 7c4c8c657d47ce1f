// want: deadlock suspicious
// Two threads and two objects of type std::mutex.
#include <mutex>
#include <thread>

std::mutex a, b;

int main()
{
    std::thread([] {
        std::unique_lock<std::mutex> first(a);
        std::unique_lock<std::mutex> second(b);
    }).join();
    std::thread([] {
        std::unique_lock<std::mutex> first(b);
        std::unique_lock<std::mutex> second(a);
    }).join();
}
