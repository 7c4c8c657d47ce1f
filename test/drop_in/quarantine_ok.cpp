// want: none
// options: quarantine_size_mb=1
// tsan: does not know the option
// Blocks are allocated, resized, freed and reused by several threads, far beyond the size of the
// quarantine.
#include <cstdlib>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

static void use()
{
    std::vector<std::string> all;
    for (int i = 0; i < 2000; i++) {
        all.push_back(std::string(static_cast<size_t>(i % 700 + 1), 'x'));
        char *p = static_cast<char *>(malloc(10));
        p = static_cast<char *>(realloc(p, static_cast<size_t>(i % 3000 + 1)));
        memset(p, i, static_cast<size_t>(i % 3000 + 1));
        free(p);
        if (i % 5 == 0)
            all.erase(all.begin());
    }
    void *large = malloc(4 << 20);
    memset(large, 1, 4 << 20);
    free(large);
}

int main()
{
    std::thread a(use), b(use);
    a.join();
    b.join();
}
