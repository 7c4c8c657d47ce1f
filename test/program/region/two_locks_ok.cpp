// want: none
// std: c++20
// case: record
// case: hatch
/* Transfers between accounts under scoped_lock, which takes both locks at once; a reader sums under
 * both. */
#include <mutex>
#include <thread>

struct account {
    std::mutex lock;
    int money = 100;
};
account a, b;
int seen;

static void transfer(account &from, account &to, int n)
{
    std::scoped_lock both(from.lock, to.lock);
    if (from.money >= n) {
        from.money -= n;
        to.money += n;
    }
}

int main()
{
    std::thread one([] {
        transfer(a, b, 30);
        transfer(a, b, 20);
    });
    std::thread two([] {
        transfer(b, a, 10);
        transfer(b, a, 40);
    });
    std::thread three([] {
        std::scoped_lock both(b.lock, a.lock);
        seen = a.money + b.money;
    });
    one.join();
    two.join();
    three.join();
    return seen == 200 && a.money + b.money == 200 ? 0 : 1;
}
