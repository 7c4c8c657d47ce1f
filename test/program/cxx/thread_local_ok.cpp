// Objects in thread-local storage, with constructors and destructors.
// want: none
// stdout: 3 gone
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

std::mutex m;
int gone;

struct own {
    std::vector<std::string> words;
    ~own()
    {
        std::lock_guard<std::mutex> guard(m);
        gone += words.size() == 10;
    }
};
thread_local own mine;

int main()
{
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++)
        threads.emplace_back([] {
            for (int i = 0; i < 10; i++)
                mine.words.push_back("a word that does not fit into the object itself");
        });
    for (auto &t : threads)
        t.join();
    std::printf("%d gone\n", gone);
}
