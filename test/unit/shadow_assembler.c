/*
 * shadow_assembler.c - the assembler of the fast path follows the cell rule of access_rule.h.
 *
 * A state is a cell: its two front words, its overflow words, or a reference to a read set. A word
 * is empty, or a record of one class (slot and epoch relative to the accessing thread, kind, bytes,
 * site); the rule distinguishes no more. For every entry point of 1 to 8 bytes the test enumerates
 * all pairs of front words, and a part of the states with overflow words (overflow_words). Cells
 * whose words are chosen at random, with a fixed seed, test 16-byte accesses and full cells
 * (all_words). The test performs each access in assembler and compares the cell before and after.
 * The assembler leaves all other cases to the functions of check_miss.c. They are replaced here by
 * functions that only note this.
 *
 * About 8 million accesses, 4 s of processor time.
 *
 * An access that the assembler completes
 *   - races with no record, or a record of its epoch covered it before;
 *   - is covered by a record afterwards;
 *   - invents no record: every byte of every word was in the cell before, with its site, or is its
 *     own;
 *   - removes a byte of a record only if it replaces it, if the record is globally ordered, or if a
 *     record that stays subsumes it.
 * An access that it leaves to C removes no other bytes either. Where pf_cell_update_front, which
 * applies the rule to cells without overflow words, completes the access, the assembler completes
 * it too and leaves the same records.
 */
// sources: src/rt/shadow/cell*.c src/rt/shadow/check.c src/rt/shadow/*_entry.S
// sources: src/rt/shadow/site_pair.c src/rt/hash_index.c
// sources: src/rt/shadow/site_per_byte.c src/rt/shadow/refresh_in_place.c
// sources: src/rt/shadow/access_set.c src/rt/hooks.c src/rt/limits.c src/rt/spin.c src/rt/store.c
// sources: src/rt/sys.c src/rt/context/node_recent.S src/rt/gate.S
#include "shadow_harness.h"

#include "access_rule.h"
#include "fast_update.h"

/* What check_miss.c defines. */
static bool left_to_c;
#define LEFT_TO_C(name)                                                                            \
    PF_PRESERVE_MOST void name##_full(uintptr_t addr, uint32_t site);                              \
    void name##_full(uintptr_t addr, uint32_t site) { left_to_c = true; }
LEFT_TO_C(__pf_read1)
LEFT_TO_C(__pf_read2)
LEFT_TO_C(__pf_read4)
LEFT_TO_C(__pf_read8)
LEFT_TO_C(__pf_read16)
LEFT_TO_C(__pf_write1)
LEFT_TO_C(__pf_write2)
LEFT_TO_C(__pf_write4)
LEFT_TO_C(__pf_write8)
LEFT_TO_C(__pf_write16)
PF_PRESERVE_MOST void __pf_read_range_miss(uintptr_t, uint64_t, uint32_t);
PF_PRESERVE_MOST void __pf_write_range_miss(uintptr_t, uint64_t, uint32_t);
void __pf_read_range_miss(uintptr_t addr, uint64_t size, uint32_t site) { fail(); }
void __pf_write_range_miss(uintptr_t addr, uint64_t size, uint32_t site) { fail(); }
void pf_check_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, uint32_t what);
void pf_check_turns(uintptr_t addr, uint64_t size, uint64_t two, uint64_t others, uint32_t what)
{
    fail();
}

/*
 * The accessing thread has slot OWN. It has seen the epochs of slot OTHER up to 20, of which those
 * up to 10 are globally ordered, and none of slot THIRD. Its epochs 7 to 9 are one span.
 */
enum { OWN = 1, OTHER = 2, THIRD = 3 };
static struct pf_thread thread;
static uint32_t clock[PF_SID_MAX + 2];

/* The sites. The thread's cache has the pairs of SITE_PAIRED and SITE_MINE; those of SITE_UNPAIRED
 * and SITE_MINE are in it without an id, those of SITE_UNKNOWN are not in it. */
enum { SITE_MINE = 1, SITE_PAIRED, SITE_UNPAIRED, SITE_UNKNOWN, SITE_ELSEWHERE };
#define ID(site) (FIRST_ID + (site))
enum { BLOCK_READ, BLOCK_WRITE, BLOCK_STALE }; /* site-per-byte blocks of the thread's epoch */

#define WORDS (2 + PF_OVERFLOW_WORDS)
struct cell_state {
    uint64_t word[WORDS]; /* the overflow words are 0 if they are not in use */
    uint32_t site[WORDS][8];
    uint8_t overflow;
};

struct test_access {
    unsigned size, at;
    bool write;
};

static const struct test_access *doing; /* for the message of a failure */
static const struct cell_state *before, *after;

static void fail_with(const char *what)
{
    print_error("%s\n%s of %u bytes at %u\n", what, doing->write ? "write" : "read", doing->size,
                doing->at);
    for (unsigned i = 0; i < WORDS; i++)
        print_error("word %u: %016lx -> %016lx\n", i, (unsigned long)before->word[i],
                    (unsigned long)after->word[i]);
    print_error("overflow state %u -> %u, left to C: %d\n", before->overflow, after->overflow,
                left_to_c);
    fail();
}

static bool has_byte(uint64_t s, unsigned b) { return s >> (PF_MASK_SHIFT + b) & 1; }
static bool is_record(uint64_t s) { return s && !pf_word_is_ref(s); }

static void read_state(uint64_t *cell, struct cell_state *c)
{
    c->overflow = *pf_cell_overflow_state(cell);
    for (unsigned i = 0; i < WORDS; i++) {
        c->word[i] = i < 2 ? cell[i] : c->overflow ? pf_cell_overflow(cell)[i - 2] : 0;
        for (unsigned b = 0; b < 8; b++)
            if (is_record(c->word[i]) && has_byte(c->word[i], b))
                c->site[i][b] = pf_site_per_byte_lookup(cell, c->word[i], b);
    }
}

static void write_state(uint64_t *cell, const uint64_t *word)
{
    uint64_t any = 0;
    for (unsigned i = 0; i < WORDS; i++) {
        *(i < 2 ? &cell[i] : &pf_cell_overflow(cell)[i - 2]) = word[i];
        any |= i < 2 ? 0 : word[i];
    }
    pf_cell_overflow_set_state(cell, any);
}

/* True if a word of c has the byte b in a record of the same slot, epoch and kind as s, and from
 * this site; 0: from any. */
static bool has(const struct cell_state *c, uint64_t s, unsigned b, uint32_t site)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (is_record(c->word[i]) && has_byte(c->word[i], b) &&
            pf_access_same_epoch_kind(c->word[i], s) && (!site || c->site[i][b] == site))
            return true;
    return false;
}

/* True if the access `a` may remove the byte b of the record s, given the cell afterwards. */
static bool may_remove(uint64_t s, unsigned b, uint64_t a, const struct cell_state *now)
{
    uint64_t byte = 1ull << (PF_MASK_SHIFT + b), one = (s & ~PF_MASK_ALL) | byte;
    if (pf_access_replaceable(clock, one, a) || pf_access_globally_ordered(one))
        return true;
    for (unsigned i = 0; i < WORDS; i++)
        if (is_record(now->word[i]) &&
            (pf_access_subsumed_by(one, now->word[i]) ||
             pf_access_subsumed_in_span(one, now->word[i]) ||
             (pf_access_same_epoch_kind(now->word[i], a) && /* `a` merged with its epoch's record */
              pf_access_replaceable(clock, one, now->word[i]))))
            return true;
    return false;
}

static bool covers(const struct cell_state *c, uint64_t a)
{
    const struct pf_read_set_entry *e =
        &thread.shadow.read_set_cache[c->word[1] % PF_READ_SET_CACHE_SIZE];
    if (pf_word_is_ref(c->word[1]) && !(a & PF_BIT_W) && e->ref == c->word[1] &&
        pf_access_covers(e->record, a))
        return true;
    for (unsigned i = 0; i < WORDS; i++)
        if (is_record(c->word[i]) && pf_access_covers(c->word[i], a))
            return true;
    return false;
}

static bool races(const struct cell_state *c, uint64_t a)
{
    for (unsigned i = 0; i < WORDS; i++)
        if (is_record(c->word[i]) && pf_access_races(clock, c->word[i], a))
            return true;
    return false;
}

/* The rule for one cell; `a` is the record of the access, with its site. */
static void check_rule(const struct cell_state *was, const struct cell_state *now, uint64_t a)
{
    before = was;
    after = now;
    bool covered = covers(was, a);
    if (!left_to_c && !covered && races(was, a))
        fail_with("a race was not reported");
    if (!left_to_c && !covers(now, a))
        fail_with("the access left no record");
    if (!left_to_c && !covered && !thread.order.dirty && !has(was, a, 0, 0))
        for (unsigned b = 1; !has(was, a, b, 0); b++)
            if (b == 8)
                fail_with("the epoch was not marked as having records");
    if (pf_word_is_ref(was->word[1]) && now->word[1] != was->word[1])
        fail_with("the reference was replaced");
    for (unsigned i = 0; i < WORDS; i++) {
        uint64_t s = now->word[i], w = was->word[i];
        if (i >= 2 && now->overflow == 1 && (s & PF_BIT_W))
            fail_with("a write among overflow words whose state says that there is none");
        for (unsigned b = 0; b < 8; b++) {
            if (is_record(s) && has_byte(s, b) && !has(was, s, b, now->site[i][b]) &&
                !(pf_access_same_epoch_kind(s, a) && has_byte(a, b) &&
                  now->site[i][b] == pf_access_id(a)))
                fail_with("a record was invented");
            if (is_record(w) && has_byte(w, b) && !has(now, w, b, 0) && !may_remove(w, b, a, now))
                fail_with("a record was lost");
        }
        if (is_record(s) && !(s & PF_MASK_ALL))
            fail_with("a record without bytes");
    }
    if (pf_rt.check_only_threads && !left_to_c && !was->word[0] == !was->word[1] &&
        (!now->word[0] || !now->word[1]))
        fail_with("a front word is empty, although there are check-only threads");
}

static uint64_t record_of(const struct test_access *a)
{
    unsigned mask = a->size >= 8 ? 0xff : ((1u << a->size) - 1) << a->at;
    return pf_access_make(&thread, mask, a->write, false) | ID(SITE_MINE);
}

static void reset_blocks(uint64_t *cell)
{
    for (unsigned i = BLOCK_READ; i <= BLOCK_STALE; i++) {
        struct pf_site_per_byte *p = pf_site_per_byte_at(i);
        p->tag = pf_site_per_byte_tag(cell, pf_access_make(&thread, 0, i == BLOCK_WRITE, false));
        if (i == BLOCK_STALE)
            p->tag ^= 2ull << PF_CLK_BITS; /* of another cell */
        for (unsigned b = 0; b < 8; b++)
            p->id[b] = ID(SITE_UNPAIRED);
    }
}

/* Performs the access in C, on a cell that had these words. If that completes it, the assembler
 * must have completed it too, and `now` is the result of both: the same records with the same site
 * for each byte. (A byte that was accessed before in this epoch may keep the site of that
 * access.) */
static void compare_with_c(uint64_t *cell, uint64_t a, const uint64_t *words,
                           const struct cell_state *now)
{
    struct cell_state c;
    reset_blocks(cell);
    write_state(cell, words);
    bool complete = a & PF_BIT_W ? pf_cell_update_front(clock, cell, words[0], words[1], a, true)
                                 : pf_cell_update_front(clock, cell, words[0], words[1], a, false);
    if (!complete)
        return;
    if (left_to_c && !pf_id_is_site_per_byte(words[!(a & PF_BIT_W)]))
        fail_with("the assembler leaves a simple case to C");
    if (left_to_c)
        return; /* in assembler, only accesses of 1 and 2 bytes change blocks */
    read_state(cell, &c);
    for (unsigned i = 0; i < 2; i++) {
        bool same = !((c.word[i] ^ now->word[i]) & ~PF_BITS_ID);
        for (unsigned b = 0; same && b < 8; b++)
            same = !has_byte(c.word[i], b) || c.site[i][b] == now->site[i][b] ||
                   (has_byte(a, b) && pf_access_same_epoch_kind(c.word[i], a));
        if (!same) {
            print_error("in C: %016lx, %016lx\n", (unsigned long)cell[0], (unsigned long)cell[1]);
            fail_with("C and assembler differ");
        }
    }
}

static bool leaves_all; /* the assembler must leave all accesses to C */
/* How many reads and writes; how many of them in assembler. */
static unsigned long done[2], completed[2];

/* Sets the cells of the accessed granules to the words, and performs the access. */
static void try_access(const struct test_access *a, uint64_t words[][WORDS])
{
    uint64_t *cell = pf_cell_of(BASE), mine = record_of(a);
    unsigned n = a->size == 16 ? 2 : 1;
    struct cell_state was[2], now[2];
    doing = a;
    reset_blocks(cell);
    for (unsigned i = 0; i < n; i++) {
        write_state(cell + 2 * i, words[i]);
        read_state(cell + 2 * i, &was[i]);
    }
    thread.order.dirty = left_to_c = false;
    thread.order.global_order_in = done[a->write] % 8; /* 0: to be updated, in C */
    __pf_tls.read_set = 1;
    entry_of(a->size, a->write)(BASE + a->at, SITE_MINE);
    for (unsigned i = 0; i < n; i++)
        read_state(cell + 2 * i, &now[i]);
    for (unsigned i = 0; i < n; i++)
        check_rule(&was[i], &now[i], mine);
    if (leaves_all) {
        if (!left_to_c && !pf_access_covers(words[0][0], mine) &&
            (a->write || !pf_access_covers(words[0][1], mine)))
            fail_with("the access was not left to C");
        assert_memory_equal(now[0].word, was[0].word, sizeof was[0].word);
        return;
    }
    done[a->write]++;
    completed[a->write] += !left_to_c;
    /* For reads, C also replaces an atomic record or a subsumed write in cell[1], and merges with a
     * read that is in both words. The assembler follows the rule in another way there. */
    uint64_t s0 = was[0].word[0], s1 = was[0].word[1];
    bool differs = !a->write && (s0 == s1 ? s0 && !(s0 & PF_BIT_W) : !pf_access_is_plain_read(s1));
    if (n == 1 && !was[0].overflow && !covers(&was[0], mine) && !pf_word_is_ref(s1) && !differs)
        compare_with_c(cell, mine, words[0], &now[0]);
}

/* The classes of records. */

#define LIST_MAX 1024
struct record_list {
    uint64_t at[LIST_MAX];
    unsigned n;
};

static void list_add(struct record_list *l, uint64_t s)
{
    for (unsigned i = 0; i < l->n; i++)
        if (l->at[i] == s)
            return;
    assert_true(l->n < LIST_MAX);
    l->at[l->n++] = s;
}

/* Slots and epochs: of this thread the current epoch, a later one (if the current one was resumed),
 * the span, before the span, globally ordered; of others globally ordered, ordered, not ordered. */
static const struct {
    uint32_t sid, clk;
} epochs[] = {{OWN, 9},   {OWN, 8},    {OWN, 10},   {OWN, 5},  {OWN, 2},
              {OTHER, 5}, {OTHER, 15}, {OTHER, 25}, {THIRD, 5}};
#define EPOCHS (sizeof epochs / sizeof *epochs)

/* All records that matter for the access. `few`: not every kind, bytes and site. */
static void list_records(struct record_list *l, const struct test_access *a, bool few, bool atomics)
{
    unsigned m = (unsigned)(record_of(a) >> PF_MASK_SHIFT), next = m << a->size & 0xff;
    unsigned first = m & -m, masks[] = {m, 0xff, ~m & 0xff, m | next, first, (m & ~first) | next};
    l->n = 0;
    list_add(l, 0);
    for (unsigned e = 0; e < EPOCHS; e++)
        for (unsigned kind = 0; kind < (atomics ? 4 : 2); kind++)
            for (unsigned i = 0; i < (few ? 3 : 6); i++) {
                struct pf_thread by = {.order = {.sid = epochs[e].sid, .clk = epochs[e].clk}};
                bool write = kind & 1, atomic = kind & 2;
                bool now = by.order.sid == OWN && by.order.clk == thread.order.clk;
                uint64_t s = pf_access_make(&by, masks[i], write, atomic);
                if (!masks[i] || (by.order.sid == OWN && by.order.clk > clock[OWN]))
                    continue;
                list_add(l, s | ID(now ? SITE_MINE : SITE_ELSEWHERE));
                if (!now || few)
                    continue;
                list_add(l, s | ID(SITE_PAIRED));
                list_add(l, s | ID(SITE_UNPAIRED));
                list_add(l, s | ID(SITE_UNKNOWN));
                if (!atomic) {
                    list_add(l, s | PF_ID_SITE_PER_BYTE | (write ? BLOCK_WRITE : BLOCK_READ));
                    list_add(l, s | PF_ID_SITE_PER_BYTE | BLOCK_STALE);
                }
            }
}

/* References to read sets: one whose set covers the bytes of the access, one whose set covers all
 * bytes, one that is not in the cache. */
static void list_references(struct record_list *l, const struct test_access *a)
{
    uint64_t ref = (uint64_t)PF_SID_REF << PF_SID_SHIFT | PF_BITS_CLK;
    struct pf_read_set_entry *cache = thread.shadow.read_set_cache;
    uint64_t read = (record_of(a) & ~(PF_BIT_W | PF_BITS_ID)) | ID(SITE_ELSEWHERE);
    cache[1] = (struct pf_read_set_entry){ref | 1, read};
    cache[2] = (struct pf_read_set_entry){ref | 2, read | PF_MASK_ALL};
    cache[3] = (struct pf_read_set_entry){ref | 3, (read & ~PF_BITS_CLK) | 1ull << PF_CLK_SHIFT};
    cache[4] = (struct pf_read_set_entry){ref | 5, read};
    for (unsigned i = 1; i <= 4; i++)
        list_add(l, ref | i);
}

static const struct test_access accesses[] = {
    {1, 0, false}, {1, 3, false}, {2, 0, false}, {2, 4, false}, {4, 0, false},
    {4, 4, false}, {8, 0, false}, {1, 0, true},  {1, 3, true},  {2, 0, true},
    {2, 4, true},  {4, 0, true},  {4, 4, true},  {8, 0, true},
};
#define ACCESSES (sizeof accesses / sizeof *accesses)

static void count_begin(void)
{
    memset(done, 0, sizeof done);
    memset(completed, 0, sizeof completed);
}

/* The assembler completes at least one of `share` reads, and of `share` writes. */
static void count_end(unsigned share)
{
    for (unsigned write = 0; write < 2; write++) {
        print_message("%lu %s, %lu completed in assembler\n", done[write],
                      write ? "writes" : "reads", completed[write]);
        assert_true(completed[write] > done[write] / share);
    }
}

/* The current epoch is the one after the span, or a resumed one inside it. */
static void set_epoch(bool resumed)
{
    thread.order.clk = resumed ? 8 : 10;
    clock[OWN] = resumed ? 9 : 10;
    __pf_tls.key = pf_access_make(&thread, 0xff, true, false);
}

static struct record_list all, front, more;

static void front_words(void **state)
{
    count_begin();
    for (unsigned resumed = 0; resumed < 2; resumed++)
        for (unsigned i = 0; i < ACCESSES; i++) {
            const struct test_access *a = &accesses[i];
            set_epoch(resumed);
            list_records(&all, a, false, true);
            unsigned records = all.n;
            list_references(&all, a);
            for (unsigned x = 0; x < records; x++)
                for (unsigned y = 0; y < all.n; y++)
                    try_access(a, (uint64_t[][WORDS]){{all.at[x], all.at[y]}});
        }
    count_end(8);
}

/* One overflow word has every class; the others are empty, or of three classes. */
static void overflow_words(void **state)
{
    count_begin();
    for (unsigned i = 0; i < ACCESSES; i++) {
        const struct test_access *a = &accesses[i];
        if (a->size != 8 && (a->at == 0) == (a->size == 4))
            continue;
        set_epoch(i % 3 == 0);
        list_records(&front, a, true, false);
        list_records(&more, a, true, true);
        for (unsigned x = 0; x < front.n; x++)
            for (unsigned y = 0; y < front.n; y++)
                for (unsigned z = 0; z < more.n; z++) {
                    uint64_t s = front.at[x], t = front.at[y], v = more.at[z];
                    uint64_t f = more.at[(x + z) % more.n], g = more.at[(y + 7 * z) % more.n];
                    try_access(a, (uint64_t[][WORDS]){{s, t, v}});
                    try_access(a, (uint64_t[][WORDS]){{s, t, f, v, g, f}});
                }
    }
    count_end(8);
}

/* All words at random; every second access has 16 bytes. */
static void all_words(void **state)
{
    static const struct test_access both[] = {{16, 0, false}, {16, 0, true}};
    rng = 1;
    count_begin();
    for (unsigned i = 0; i < 600; i++) {
        const struct test_access *a = i % 2 ? &accesses[rnd(ACCESSES)] : &both[rnd(2)];
        set_epoch(rnd(2));
        list_records(&all, a, rnd(4) != 0, rnd(2));
        for (unsigned k = 0; k < 1000; k++) {
            uint64_t words[2][WORDS] = {{0}};
            for (unsigned c = 0; c < 2; c++)
                for (unsigned w = 0, n = rnd(2) ? 2 : WORDS; w < n; w++)
                    words[c][w] = all.at[rnd(all.n)];
            try_access(a, words);
        }
    }
    count_end(32);
}

static void check_only_threads(void **state)
{
    pf_rt.check_only_threads = true;
    front_words(state);
    pf_rt.check_only_threads = false;
}

/* Whatever the inline test does not pass is left to C, and the cell stays as it is. */
static void all_left_to_c(void)
{
    leaves_all = true;
    for (unsigned i = 0; i < ACCESSES; i++) {
        const struct test_access *a = &accesses[i];
        set_epoch(false);
        list_records(&all, a, true, true);
        for (unsigned x = 0; x < all.n; x++)
            for (unsigned y = 0; y < all.n; y++) {
                uint64_t words[1][WORDS] = {{all.at[x], all.at[y]}};
                try_access(a, words);
                words[0][3] = record_of(a) & ~PF_BIT_W; /* overflow words */
                try_access(a, words);
                words[0][3] |= PF_BIT_W;
                try_access(a, words);
            }
    }
    leaves_all = false;
}

/* The thread is unregistered, or in a special mode. */
static void without_a_clock(void **state)
{
    __pf_tls.clock = NULL;
    all_left_to_c();
    __pf_tls.clock = clock;
}

/* The calling context, or the id of the site in it, is not known yet. */
static void without_a_site_id(void **state)
{
    uint32_t known = frames[0].node;
    frames[0].node = PF_NODE_ROOT;
    all_left_to_c();
    frames[0].node = known;
    struct pf_node *node = pf_store_at(known);
    node->block[0] = 0;
    all_left_to_c();
    node->block[0] = FIRST_ID;
}

/* No entry is empty, so that a wrong lookup finds something. */
static void fill_pair_cache(void)
{
    struct pf_site_pair_cache *c = &thread.shadow.site_pairs;
    uint32_t other = pf_site_pair_make(ID(SITE_ELSEWHERE), 1, ID(SITE_UNPAIRED));
    for (unsigned i = 0; i < PF_SITE_PAIR_CACHE_SIZE; i++) {
        c->pair[i] = pf_site_pair_word(ID(SITE_ELSEWHERE), 1, ID(SITE_UNPAIRED));
        c->id[i] = other;
    }
    for (unsigned mask = 1; mask < 256; mask++) {
        uint32_t id = pf_site_pair_make(ID(SITE_PAIRED), mask, ID(SITE_MINE));
        pf_site_pair_cache_put(c, ID(SITE_UNPAIRED), mask, ID(SITE_MINE), 0);
        pf_site_pair_cache_put(c, ID(SITE_PAIRED), mask, ID(SITE_MINE), id);
    }
}

static int setup(void **state)
{
    if (shadow_init(16))
        return 1;
    pf_prefault(pf_cell_of(BASE));
    thread.order = (struct pf_thread_order){
        .sid = OWN,
        .clock = clock,
        .span = {.from = OWN << PF_CLK_BITS | 7, .more = 2},
        .global_order_in = UINT32_MAX,
    };
    clock[OTHER] = 20;
    pf_rt.globally_ordered[OWN] = 3;
    pf_rt.globally_ordered[OTHER] = 10;
    __pf_tls.thread = &thread;
    __pf_tls.clock = clock;
    fill_pair_cache();
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(front_words),     cmocka_unit_test(overflow_words),
        cmocka_unit_test(all_words),       cmocka_unit_test(check_only_threads),
        cmocka_unit_test(without_a_clock), cmocka_unit_test(without_a_site_id),
    };
    return cmocka_run_group_tests(tests, setup, NULL);
}
