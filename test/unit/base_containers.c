// sources: src/base/allocation.c src/base/vector.c src/base/hash_map.c
/* base_containers.c - the vector and the hash map of the tools against naive models, and the end of
 * a tool that runs out of memory. */
#include "hash_map.h"
#include "vector.h"
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static uint64_t seed = 1;
static uint32_t dice(uint32_t n)
{
    seed = seed * 6364136223846793005ull + 1442695040888963407ull;
    return (uint32_t)(seed >> 33) % n;
}

static void vector_keeps_elements(void **state)
{
    (void)state;
    PF_VEC(uint64_t) v = {0};
    for (uint64_t i = 0; i < 10000; i++) {
        pf_vec_push(&v, i * i);
        assert_true(v.len == i + 1 && v.cap >= v.len);
    }
    for (uint64_t i = 0; i < 10000; i++)
        assert_true(v.at[i] == i * i);
    pf_vec_clear(&v);
    assert_true(v.len == 0 && v.cap >= 10000);
    pf_vec_reserve(&v, 30000);
    assert_true(v.cap >= 30000);
    pf_vec_release(&v);
    pf_vec_release(&v);
    assert_null(v.at);
}

/* Arrays that share a capacity: it grows only when it is too small, and then by half or more. */
static void shared_capacity(void **state)
{
    (void)state;
    size_t cap = 0, resized = 0;
    assert_false(pf_vec_outgrown(&cap, 0));
    for (size_t n = 1; n <= 10000; n++) {
        size_t before = cap;
        bool grew = pf_vec_outgrown(&cap, n);
        assert_true(grew == (n > before));
        assert_true(cap >= n && (grew ? cap >= before + before / 2 : cap == before));
        resized += grew;
    }
    assert_true(resized < 30);
}

/* Keys that differ only in high or only in low bits; several values per key. */
static void map_against_list(void **state)
{
    (void)state;
    for (int round = 0; round < 30; round++) {
        struct pf_hash_map m = {0};
        struct {
            uint64_t key;
            uint32_t value;
        } list[600];
        size_t n = dice(600) + 1;
        unsigned shift = dice(2) ? 40 : 0;
        assert_int_equal(pf_hash_map_find(&m, 7), PF_HASH_NONE);
        for (size_t i = 0; i < n; i++) {
            list[i].key = (uint64_t)dice(200) << shift;
            list[i].value = (uint32_t)i;
            pf_hash_map_add(&m, list[i].key, list[i].value);
        }
        assert_true(m.len == n);
        for (uint64_t k = 0; k < 210; k++) {
            size_t want = 0, got = 0;
            for (size_t i = 0; i < n; i++)
                want += list[i].key == k << shift;
            struct pf_hash_walk w = pf_hash_map_walk(&m, k << shift);
            for (; pf_hash_map_next(&m, &w); got++)
                assert_true(w.value < n && list[w.value].key == k << shift);
            assert_true(want == got);
            assert_true((pf_hash_map_find(&m, k << shift) != PF_HASH_NONE) == (want > 0));
        }
        pf_hash_map_clear(&m);
        assert_int_equal(pf_hash_map_find(&m, list[0].key), PF_HASH_NONE);
        pf_hash_map_release(&m);
        pf_hash_map_release(&m);
    }
}

static void put_and_set(void **state)
{
    (void)state;
    struct pf_hash_map m = {0};
    assert_int_equal(pf_hash_map_put(&m, UINT64_MAX, 5), 5);
    assert_int_equal(pf_hash_map_put(&m, UINT64_MAX, 6), 5);
    assert_int_equal(pf_hash_map_put(&m, 0, 6), 6);
    struct pf_hash_walk w = pf_hash_map_walk(&m, UINT64_MAX);
    assert_true(pf_hash_map_next(&m, &w));
    pf_hash_map_set(&m, &w, 9);
    assert_int_equal(pf_hash_map_find(&m, UINT64_MAX), 9);
    assert_int_equal(pf_hash_map_find(&m, 0), 6);
    pf_hash_map_release(&m);
}

static void texts(void **state)
{
    (void)state;
    char *a = pf_mem_copy("abc"), *b = pf_mem_copy_n("abcdef", 4),
         *c = pf_mem_format("%d-%s", 7, a);
    assert_string_equal(a, "abc");
    assert_string_equal(b, "abcd");
    assert_string_equal(c, "7-abc");
    assert_null(pf_mem_copy(NULL));
    free(a);
    free(b);
    free(c);
}

/* The policy of allocation.h: a message on standard error and exit status 2. */
static void out_of_memory_exits(void **state)
{
    (void)state;
    int out[2], status;
    char text[100] = {0};
    assert_int_equal(pipe(out), 0);
    pid_t child = fork();
    if (!child) {
        dup2(out[1], STDERR_FILENO);
        pf_mem_resize(NULL, SIZE_MAX, 16);
        _exit(0);
    }
    close(out[1]);
    assert_true(waitpid(child, &status, 0) == child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 2);
    assert_true(read(out[0], text, sizeof text - 1) > 0);
    assert_memory_equal(text, "pf: out of memory", strlen("pf: out of memory"));
    close(out[0]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(vector_keeps_elements),
        cmocka_unit_test(shared_capacity),
        cmocka_unit_test(map_against_list),
        cmocka_unit_test(put_and_set),
        cmocka_unit_test(texts),
        cmocka_unit_test(out_of_memory_exits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
