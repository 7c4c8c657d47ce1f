// std::condition_variable_any over a shared_mutex, three threads in turn.
// want: none
#include <cassert>
#include <condition_variable>
#include <shared_mutex>
#include <thread>

std::shared_mutex m;
std::condition_variable_any cv;
int turn, x;

static void work(int me)
{
    for (int i = 0; i < 30; i++) {
        std::unique_lock<std::shared_mutex> lock(m);
        cv.wait(lock, [me] { return turn == me; });
        x++;
        turn = (turn + 1) % 3;
        cv.notify_all();
    }
}

int main()
{
    std::thread a(work, 0), b(work, 1), c(work, 2);
    a.join();
    b.join();
    c.join();
    assert(x == 90);
}
