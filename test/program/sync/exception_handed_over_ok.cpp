// An exception goes from one thread to another, and both use it: the last to let go of it frees it,
// after the other is done. The counts are inside libstdc++.
// want: none
// tsan: it does not see the reference counts of exceptions
#include <cassert>
#include <exception>
#include <future>
#include <string>
#include <thread>

struct failure {
    std::string text;
    explicit failure(std::string t) : text(std::move(t)) {}
};

static void fail(std::promise<int> p)
{
    try {
        throw failure("a text that is too long to be kept inside of the string object");
    } catch (const failure &f) {
        p.set_exception(std::current_exception());
        assert(f.text.size() > 40); // still ours, while the other has it too
    }
}

int main()
{
    for (int i = 0; i < 200; i++) {
        std::promise<int> p;
        std::future<int> f = p.get_future();
        std::thread t(fail, std::move(p));
        try {
            f.get();
        } catch (const failure &e) {
            assert(e.text.size() > 40);
        }
        t.join();
    }
}
