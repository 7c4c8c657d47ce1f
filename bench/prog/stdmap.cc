/*
 * stdmap.cc - C++: sharded std::map of strings to shared objects, std::thread and std::mutex.
 *
 * bench: size=550000 quick=50000 contention=200000
 *
 * Shows:   libstdc++ inlined into the program, std::string, shared_ptr counts, virtual calls,
 *          constructors and destructors, exceptions thrown and caught.
 * Hides:   loops over arrays.
 */
#include "bench.h"
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace
{

class Account
{
  public:
    virtual ~Account() = default;
    virtual uint64_t weight() const = 0;
    void add(uint64_t value)
    {
        std::lock_guard<std::mutex> hold(lock_);
        recent_[count_++ % recent_.size()] = value;
        total_ += value;
    }
    uint64_t total()
    {
        std::lock_guard<std::mutex> hold(lock_);
        return total_ * weight() + count_;
    }

  private:
    std::mutex lock_;
    std::vector<uint64_t> recent_ = std::vector<uint64_t>(8);
    uint64_t total_ = 0, count_ = 0;
};

class Plain : public Account
{
    uint64_t weight() const override { return 1; }
};
class Double : public Account
{
    uint64_t weight() const override { return 2; }
};

std::shared_ptr<Account> make_account(const std::string &name)
{
    if (name.back() % 2)
        return std::make_shared<Plain>();
    return std::make_shared<Double>();
}

class Shard
{
  public:
    std::shared_ptr<Account> open(const std::string &name)
    {
        std::lock_guard<std::mutex> hold(lock_);
        auto at = accounts_.find(name);
        if (at == accounts_.end())
            at = accounts_.emplace(name, make_account(name)).first;
        return at->second;
    }
    std::shared_ptr<Account> get(const std::string &name)
    {
        std::lock_guard<std::mutex> hold(lock_);
        auto at = accounts_.find(name);
        if (at == accounts_.end())
            throw std::out_of_range(name);
        return at->second;
    }
    uint64_t sum()
    {
        uint64_t s = 0;
        for (auto &entry : accounts_)
            s = s * 31 + entry.second->total() + entry.first.size();
        return s;
    }

  private:
    std::mutex lock_;
    std::map<std::string, std::shared_ptr<Account>> accounts_;
};

constexpr size_t kShards = 16, kNames = 4000;

std::string name_of(uint64_t number)
{
    std::string s = "account/";
    for (uint64_t h = bench_hash(number), n = 4 + h % 20; n; n--, h = h >> 4 | h << 60)
        s += static_cast<char>('a' + h % 16);
    return s + std::to_string(number);
}

void work(std::vector<Shard> &shards, size_t from, size_t to)
{
    std::vector<std::shared_ptr<Account>> held;
    for (size_t i = from; i < to; i++) {
        uint64_t h = bench_hash(i);
        std::string name = name_of(h % kNames);
        Shard &shard = shards[h % kShards];
        auto account = shard.open(name);
        account->add(h >> 40);
        held.push_back(account);
        if (held.size() == 32)
            held.clear();
        if (i % 64 == 0) {
            try {
                shard.get(name + "?");
                bench_fail("stdmap: a name that nobody gave");
            } catch (const std::out_of_range &e) {
                account->add(std::string(e.what()).size());
            }
        }
    }
}

} // namespace

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1800000);
    std::vector<Shard> shards(kShards);
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < b.threads; t++)
        threads.emplace_back([&shards, &b, t] {
            work(shards, bench_cut(b.size, t, b.threads), bench_cut(b.size, t + 1, b.threads));
        });
    for (auto &t : threads)
        t.join();
    uint64_t sum = 0;
    for (auto &s : shards)
        sum = sum * 131 + s.sum();
    return bench_end("stdmap", sum);
}
