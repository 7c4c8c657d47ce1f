// want: none
// std: c++20
// case: record
// case: hatch
/* A one-place mailbox with atomic wait and notify, and a configuration that is replaced through
 * atomic<shared_ptr>. */
#include <atomic>
#include <memory>
#include <thread>

std::atomic<int> full{0};
int mail, received;
std::atomic<std::shared_ptr<const int>> config{std::make_shared<const int>(1)};

static void send(int n)
{
    full.wait(1);
    mail = n;
    full.store(1);
    full.notify_one();
}

static int receive()
{
    full.wait(0);
    int n = mail;
    full.store(0);
    full.notify_one();
    return n;
}

int main()
{
    std::thread sender([] {
        for (int i = 1; i <= 3; i++) {
            send(i);
            config.store(std::make_shared<const int>(i + 1));
        }
    });
    std::thread receiver([] {
        for (int i = 1; i <= 3; i++)
            received += receive() * (*config.load() > 0);
    });
    sender.join();
    receiver.join();
    return received == 6 ? 0 : 1;
}
