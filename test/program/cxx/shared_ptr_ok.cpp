// Copies of one shared_ptr in many threads: the last owner destroys, after all other uses.
// want: none
#include <memory>
#include <thread>
#include <vector>

struct object {
    int part[4] = {};
    int *result;
    explicit object(int *r) : result(r) {}
    ~object() { *result = part[0] + part[1] + part[2] + part[3]; }
};

int main()
{
    int result = 0;
    {
        auto shared = std::make_shared<object>(&result);
        std::vector<std::thread> threads;
        for (int k = 0; k < 4; k++)
            threads.emplace_back([k, mine = shared]() mutable {
                for (int i = 0; i < 50; i++) {
                    auto copy = mine;
                    copy->part[k]++;
                }
                mine.reset();
            });
        shared.reset();
        for (auto &t : threads)
            t.join();
    }
    return result != 200;
}
