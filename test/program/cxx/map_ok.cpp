// Look-ups in a map and a hash map by many threads, after they were built.
// want: none
#include <map>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

int main()
{
    std::map<std::string, int> tree;
    std::unordered_map<int, std::string> table;
    for (int i = 0; i < 200; i++) {
        tree[std::to_string(i)] = i;
        table[i] = std::to_string(i);
    }
    std::vector<std::thread> threads;
    std::vector<long> sums(4);
    for (int k = 0; k < 4; k++)
        threads.emplace_back([k, &sums, &tree, &table] {
            for (int i = 0; i < 200; i++)
                sums[k] += tree.at(table.at(i));
        });
    for (auto &t : threads)
        t.join();
    return sums[0] != 19900 || sums[3] != 19900;
}
