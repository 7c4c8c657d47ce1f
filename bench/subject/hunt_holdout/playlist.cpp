/* A player that reads commands: add TITLE SECONDS, remove TITLE, volume N, shuffle on|off, play. A
 * second thread shows the state. "play" with shuffle on and at least two titles changes the order
 * that the second thread reads without a lock. */
// stdin: add waltz 180
// stdin: volume 40
// stdin: play
// input: stdin
// race: ORDER SHOW
#include "../hunt/hunt.h"
#include <iostream>
#include <map>
#include <sstream>
#include <string>

static std::map<std::string, int> titles;
static int volume = 50, order;
static bool shuffle;
static pthread_mutex_t state = PTHREAD_MUTEX_INITIALIZER;

static void *show(void *arg)
{
    GUARD();
    int seen = order; /* SHOW */
    UNGUARD();
    pthread_mutex_lock(&state);
    std::cerr << "order " << seen << ", " << titles.size() << " titles\n";
    pthread_mutex_unlock(&state);
    return arg;
}

static bool run(const std::string &line)
{
    std::istringstream in(line);
    std::string word, title;
    int n;
    in >> word;
    if (word == "add" && in >> title >> n && n > 0) {
        pthread_mutex_lock(&state);
        titles[title] = n;
        pthread_mutex_unlock(&state);
    } else if (word == "remove" && in >> title) {
        pthread_mutex_lock(&state);
        titles.erase(title);
        pthread_mutex_unlock(&state);
    } else if (word == "volume" && in >> n && n >= 0 && n <= 100) {
        volume = n;
    } else if (word == "shuffle" && in >> word && (word == "on" || word == "off")) {
        shuffle = word == "on";
    } else if (word == "play") {
        if (shuffle && titles.size() >= 2) {
            GUARD();
            order = (int)titles.begin()->second; /* ORDER */
            UNGUARD();
        }
    } else {
        return false;
    }
    return true;
}

int main()
{
    std::string line;
    int bad = 0;
    pthread_t t;
    pthread_create(&t, nullptr, show, nullptr);
    while (std::getline(std::cin, line))
        bad += !run(line);
    pthread_join(t, nullptr);
    std::cout << "volume " << volume << ", " << bad << " bad lines, order " << order << "\n";
    return 0;
}
