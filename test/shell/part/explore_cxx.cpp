// Ordinary C++: std::thread, call_once, a static variable of a function, std::future, std::cout.
// The two threads use different values, so that the output shows which of them was first.
#include <future>
#include <iostream>
#include <mutex>
#include <string>
#include <thread>

static std::once_flag flag;
static std::promise<std::string> promise;
static int first;

static int initialised(int n)
{
    static int by = n;
    return by;
}

static void act(int n)
{
    std::call_once(flag, [n] {
        first = n;
        promise.set_value("by " + std::to_string(n));
    });
    initialised(n);
}

int main()
{
    std::thread a(act, 1), b(act, 2);
    std::string text = promise.get_future().get();
    a.join();
    b.join();
    std::cout << first << " " << text << " " << initialised(3) << std::endl;
    return 0;
}
