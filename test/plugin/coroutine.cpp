// Coroutines: after the split they are ordinary functions.
// flags: -std=c++20
// want: write 4 produced coroutine.cpp
#include <coroutine>
#include <cstdio>
#include <exception>

int produced;
struct Gen {
    struct promise_type {
        int value = 0;
        Gen get_return_object() { return {std::coroutine_handle<promise_type>::from_promise(*this)}; }
        std::suspend_always initial_suspend() { return {}; }
        std::suspend_always final_suspend() noexcept { return {}; }
        std::suspend_always yield_value(int v) { value = v; return {}; }
        void return_void() {}
        void unhandled_exception() { std::terminate(); }
    };
    std::coroutine_handle<promise_type> h;
    ~Gen() { if (h) h.destroy(); }
};
static Gen numbers(int n)
{
    for (int i = 0; i < n; i++) {
        produced++;
        co_yield i * i;
    }
}
int main()
{
    Gen g = numbers(5);
    int s = 0;
    for (g.h.resume(); !g.h.done(); g.h.resume())
        s += g.h.promise().value;
    std::printf("%d %d\n", s, produced);
}
