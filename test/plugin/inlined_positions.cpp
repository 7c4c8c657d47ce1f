// Accesses of inlined functions whose position the optimizer removed: the restored position must
// say where the function is inlined, or the debug information is invalid.
// flags: -g
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

enum class edit { match, add, remove, replace };

static std::vector<edit> edits(const std::vector<size_t> &left, const std::vector<size_t> &right)
{
    std::vector<std::vector<double>> costs(left.size() + 1, std::vector<double>(right.size() + 1));
    std::vector<std::vector<edit>> best(left.size() + 1, std::vector<edit>(right.size() + 1));
    for (size_t i = 0; i < costs.size(); i++) {
        costs[i][0] = (double)i;
        best[i][0] = edit::remove;
    }
    for (size_t j = 1; j < costs[0].size(); j++) {
        costs[0][j] = (double)j;
        best[0][j] = edit::add;
    }
    for (size_t i = 0; i < left.size(); i++)
        for (size_t j = 0; j < right.size(); j++) {
            if (left[i] == right[j]) {
                costs[i + 1][j + 1] = costs[i][j];
                best[i + 1][j + 1] = edit::match;
                continue;
            }
            const double a = costs[i + 1][j], r = costs[i][j + 1], p = costs[i][j];
            if (a < r && a < p) {
                costs[i + 1][j + 1] = a + 1;
                best[i + 1][j + 1] = edit::add;
            } else if (r < a && r < p) {
                costs[i + 1][j + 1] = r + 1;
                best[i + 1][j + 1] = edit::remove;
            } else {
                costs[i + 1][j + 1] = p + 1.00001;
                best[i + 1][j + 1] = edit::replace;
            }
        }
    std::vector<edit> path;
    for (size_t i = left.size(), j = right.size(); i > 0 || j > 0;) {
        edit move = best[i][j];
        path.push_back(move);
        i -= move != edit::add;
        j -= move != edit::remove;
    }
    std::reverse(path.begin(), path.end());
    return path;
}

int main()
{
    std::vector<size_t> a{1, 2, 3, 4}, b{1, 3, 4, 5};
    std::printf("%zu\n", edits(a, b).size());
}
