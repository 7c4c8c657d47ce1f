// std::jthread joins in its destructor, and its stop token creates order too.
// want: none
// std: c++20
#include <stop_token>
#include <thread>

int data, seen;

int main()
{
    {
        std::jthread t([](std::stop_token token) {
            while (!token.stop_requested())
                std::this_thread::yield();
            seen = data;
        });
        data = 42;
        t.request_stop();
    }
    return seen != 42;
}
