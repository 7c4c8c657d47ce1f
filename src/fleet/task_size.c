/* task_size.c - see task_size.h. */
#include "task_size.h"
#include "fleet.h"

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

uint64_t pf_task_target(uint64_t all_ms, uint64_t left_ms, uint64_t tasks)
{
    uint64_t lowest = least(PF_FLEET_TARGET_MS / 2, all_ms / tasks);
    uint64_t share = least(PF_FLEET_TARGET_MS, left_ms / tasks);
    return share > lowest ? share : lowest;
}

bool pf_task_takes(uint64_t sum_ms, uint64_t next_ms, uint64_t target_ms)
{
    bool small = target_ms < PF_FLEET_TARGET_MS / 2;
    uint64_t lowest = small ? target_ms / 2 : PF_FLEET_TARGET_MS / 2;
    uint64_t most = small ? 2 * target_ms : 2 * PF_FLEET_TARGET_MS;
    return sum_ms + next_ms <= target_ms || (sum_ms < lowest && sum_ms + next_ms <= most);
}

uint64_t pf_task_units(uint64_t ms, uint64_t done, uint64_t all, uint64_t left, uint64_t tasks)
{
    uint64_t each = ms / (done ? done : 1) + 1;
    uint64_t n = pf_task_target(all * each, left * each, tasks) / each;
    return n ? n : 1;
}
