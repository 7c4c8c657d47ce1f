// The program of ../symbolic.sh: streams and strings of C++ keep their labels.
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

int main(int argc, char **argv)
{
    std::string line, word, all;
    while (std::getline(std::cin, line)) {
        std::istringstream in(line);
        long n = 0;
        int k = 0;
        in >> word;
        if (word == "start" && in >> n && n == 77)
            std::puts("started");
        if (word == "stop" && in >> k && k > 5)
            std::puts("stopped");
        all = line;
        all.append("!");
        if (all == "go!")
            std::puts("gone");
    }
    std::ifstream file(argv[argc - 1]);
    if (std::getline(file, line, ';') && line == "token")
        std::puts("token");
    return 0;
}
