// A store of keys in C++. It reads commands from standard input: set KEY VALUE, get KEY, expire
// SECONDS, quit. "expire" with more than 60 seconds starts a thread that clears the store without
// the lock.
// stdin: set a 1
// stdin: get a
// stdin: quit
// input: stdin
// race: CLEAR SIZE
#include "../hunt/hunt.h"
#include <iostream>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

class store
{
  public:
    void set(const std::string &key, const std::string &value)
    {
        std::lock_guard<std::mutex> hold(lock);
        values[key] = value;
        GUARD();
        count = values.size();
        UNGUARD();
    }
    std::string get(const std::string &key)
    {
        std::lock_guard<std::mutex> hold(lock);
        auto it = values.find(key);
        return it == values.end() ? "(none)" : it->second;
    }
    void clear()
    {
        GUARD();
        count = 0; /* CLEAR */
        UNGUARD();
    }
    size_t size()
    {
        GUARD();
        size_t n = count; /* SIZE */
        UNGUARD();
        return n;
    }

  private:
    std::mutex lock;
    std::map<std::string, std::string> values;
    size_t count = 0;
};

int main()
{
    store s;
    std::string line;
    std::vector<std::thread> threads;
    while (std::getline(std::cin, line)) {
        std::istringstream words(line);
        std::string command, key, value;
        words >> command;
        if (command == "set" && words >> key >> value)
            s.set(key, value);
        else if (command == "get" && words >> key)
            std::cout << s.get(key) << "\n";
        else if (command == "expire" && words >> value) {
            if (std::stoi(value) > 60 && threads.empty())
                threads.emplace_back([&s] { s.clear(); });
        } else if (command == "quit")
            break;
    }
    std::cout << s.size() << " keys\n";
    for (auto &t : threads)
        t.join();
    return 0;
}
