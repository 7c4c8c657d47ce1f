// C++ streams: each thread has its own string streams, all use std::cout under a lock.
// want: none
// stdout: 400
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

std::mutex m;
std::vector<std::string> lines;

static void work(int id)
{
    for (int i = 0; i < 100; i++) {
        std::ostringstream s;
        s << id << ' ' << i * 1.5 << ' ' << std::hex << i;
        std::istringstream in(s.str());
        int back;
        in >> back;
        std::lock_guard<std::mutex> hold(m);
        lines.push_back(s.str() + std::to_string(back));
        std::clog << lines.back() << '\n';
    }
}
int main()
{
    std::vector<std::thread> t;
    for (int i = 0; i < 4; i++)
        t.emplace_back(work, i);
    for (auto &each : t)
        each.join();
    std::cout << lines.size() << std::endl;
}
