/* A table of users in buckets, each with a lock. Two threads get the users of one file each, lines
 * NAME:AGE:GROUP. A name's bucket follows from its hash. A bucket that has more than two users
 * grows without its lock. */
// args: north south
// file: north=anna:31:staff
// file: north=bert:45:guest
// file: south=carla:28:staff
// file: south=dirk:52:guest
// race: GROW GROW
#include "../hunt/hunt.h"
#include <cstdint>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

struct user {
    std::string name, group;
    int age;
};

struct bucket {
    pthread_mutex_t lock;
    std::vector<user> users;
    unsigned grown;
};

static bucket buckets[8];
static unsigned bad;

static uint32_t hash(const std::string &s)
{
    uint32_t h = 2166136261u;
    for (unsigned char c : s)
        h = (h ^ c) * 16777619u;
    return h;
}

static bool parse(const std::string &line, user *u)
{
    size_t a = line.find(':'), b = a == std::string::npos ? a : line.find(':', a + 1);
    if (b == std::string::npos || a == 0 || b + 1 >= line.size())
        return false;
    u->name = line.substr(0, a);
    u->group = line.substr(b + 1);
    u->age = atoi(line.substr(a + 1, b - a - 1).c_str());
    return u->age > 0 && u->age < 150;
}

static void *load(void *arg)
{
    std::ifstream in((const char *)arg);
    std::string line;
    while (std::getline(in, line)) {
        user u;
        if (!parse(line, &u)) {
            __atomic_fetch_add(&bad, 1, __ATOMIC_RELAXED);
            continue;
        }
        bucket *b = &buckets[hash(u.name) % 8];
        pthread_mutex_lock(&b->lock);
        b->users.push_back(u);
        size_t n = b->users.size();
        pthread_mutex_unlock(&b->lock);
        if (n > 2 && u.group == "staff") {
            GUARD();
            b->grown += (unsigned)n; /* GROW */
            UNGUARD();
        }
    }
    return nullptr;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    if (argc != 3)
        return 2;
    for (bucket &b : buckets)
        pthread_mutex_init(&b.lock, nullptr);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], nullptr, load, argv[i + 1]);
    for (pthread_t i : t)
        pthread_join(i, nullptr);
    unsigned grown = 0, users = 0;
    for (const bucket &b : buckets) {
        grown += b.grown;
        users += (unsigned)b.users.size();
    }
    std::cout << users << " users, " << grown << " grown, " << bad << " bad\n";
    return 0;
}
