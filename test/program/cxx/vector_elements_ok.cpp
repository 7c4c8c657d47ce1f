// Different elements of one vector.
// want: none
#include <thread>
#include <vector>

int main()
{
    std::vector<char> shared(100);
    auto fill = [&shared](size_t from) {
        for (size_t i = from; i < shared.size(); i += 2)
            shared[i] = 1;
    };
    std::thread t(fill, 0), u(fill, 1);
    t.join();
    u.join();
    int sum = 0;
    for (char c : shared)
        sum += c;
    return sum != 100;
}
