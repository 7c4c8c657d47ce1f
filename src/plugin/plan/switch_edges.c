/*
 * switch_edges.c - chooses the edges where a thread can switch between the plain body and the watch
 * body of a function that it is in (emit/body_switch.c).
 *
 * Back edges of outermost loops: in both directions. Back edges of inner loops: from the watch body
 * only, because a test in the plain body costs most there. Edges that leave an outermost loop: from
 * the plain body, for a call that left the watch body in that loop. Edges to a block with accesses
 * that not every iteration of an outermost loop executes: from the plain body, because the block
 * may be so rare that no burst ever meets it.
 */
#include "control_flow.h"

#define FEW_ITERATIONS 256 /* a loop with a smaller constant trip count is not worth a test */
#define RARE_BLOCKS_MAX 8 /* blocks per function that not every iteration executes */
#define RARE_BLOCKS_LOOP_MAX 256 /* blocks of a loop that is searched for them */

/* A depth-first search for back edges: edges to a block on the current path. Every cycle has
 * one. */
struct back_edge_search {
    struct pf_plan *plan;
    uint8_t *state; /* 0: not visited, 1: on the current path, 2: done */
    bool *is_head; /* indexed by block: it is the head of a loop */
    struct {
        size_t from, head;
    } *back; /* all back edges */
    size_t nback, back_cap;
    struct {
        size_t block;
        unsigned next;
    } *path;
};

static bool has_steps(const struct pf_plan *plan, size_t block)
{
    return plan->first_step[block] < plan->first_step[block + 1];
}

/* True if a block on a path from the head to the back edge has a step. */
static bool has_steps_inside(struct back_edge_search *s, const struct pf_switch_edge *edge)
{
    const struct pf_plan *plan = s->plan;
    if (has_steps(plan, edge->from) || has_steps(plan, edge->to))
        return true;
    if (edge->from == edge->to)
        return false;
    /* Breadth-first from the head. If there are more blocks than the queue holds, assume that one
     * of them has a step. */
    size_t queue[64], n = 0, at = 0;
    queue[n++] = edge->to;
    for (; at < n; at++) {
        LLVMValueRef end = pf_block_end(plan, queue[at]);
        if (has_steps(plan, queue[at]))
            return true;
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); queue[at] != edge->from && i < k; i++) {
            size_t to = pf_block_successor(plan, end, i), known = 0;
            while (known < n && queue[known] != to)
                known++;
            if (known < n)
                continue;
            if (n == sizeof queue / sizeof *queue)
                return true;
            queue[n++] = to;
        }
    }
    return false;
}

/* True if v is loaded from memory, perhaps on only one of several paths inside the loop. */
static bool comes_from_memory(LLVMValueRef v, LLVMValueRef phi, unsigned depth)
{
    if (!LLVMIsAInstruction(v) || v == phi || !depth)
        return false;
    switch (LLVMGetInstructionOpcode(v)) {
    case LLVMLoad:
        return true;
    case LLVMSelect:
        return comes_from_memory(LLVMGetOperand(v, 1), phi, depth - 1) ||
               comes_from_memory(LLVMGetOperand(v, 2), phi, depth - 1);
    case LLVMPHI:
        for (unsigned i = 0, n = LLVMCountIncoming(v); i < n; i++)
            if (comes_from_memory(LLVMGetIncomingValue(v, i), phi, depth - 1))
                return true;
        return false;
    case LLVMGetElementPtr:
        return comes_from_memory(LLVMGetOperand(v, 0), phi, depth - 1);
    default:
        return false;
    }
}

/* True for a loop that follows pointers: each iteration starts at a pointer that the previous one
 * loaded. Such loops end soon, do little other work, and would pay most for a test. */
static bool is_pointer_chase(LLVMBasicBlockRef head, LLVMBasicBlockRef from)
{
    for (LLVMValueRef phi = LLVMGetFirstInstruction(head); LLVMIsAPHINode(phi);
         phi = LLVMGetNextInstruction(phi))
        for (unsigned i = 0, n = LLVMCountIncoming(phi); i < n; i++)
            if (LLVMGetTypeKind(LLVMTypeOf(phi)) == LLVMPointerTypeKind &&
                LLVMGetIncomingBlock(phi, i) == from &&
                comes_from_memory(LLVMGetIncomingValue(phi, i), phi, 4))
                return true;
    return false;
}

static void add_edge(struct pf_plan *plan, struct pf_switch_edge edge)
{
    edge.first = true;
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        edge.first &= plan->switch_edges[i].to != edge.to;
    PF_PUSH(plan->switch_edges, plan->nswitch_edges, plan->switch_edges_cap) = edge;
}

static void add_back_edge(struct back_edge_search *s, size_t from, size_t head)
{
    struct pf_plan *plan = s->plan;
    struct pf_switch_edge edge = {.from = from, .to = head};
    LLVMValueRef end = pf_block_end(plan, from);
    s->is_head[head] = true;
    PF_PUSH(s->back, s->nback, s->back_cap).from = from;
    s->back[s->nback - 1].head = head;
    if (pf_loop_is_short(plan->blocks[head], FEW_ITERATIONS))
        return;
    if (is_pointer_chase(plan->blocks[head], plan->blocks[from]))
        return;
    plan->cyclic = true;
    if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
        return; /* an edge out of an invoke or a computed goto cannot be split */
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        if (plan->switch_edges[i].from == from && plan->switch_edges[i].to == head)
            return;
    if (has_steps_inside(s, &edge))
        add_edge(plan, edge);
}

/* The loop of one head: the blocks on paths from the head to its back edges. */
struct loop_blocks {
    size_t *marked, turn; /* marked[block] == turn: it is in the loop that was marked last */
    size_t *blocks, n; /* its blocks; blocks[0] is the head */
};

static void loop_blocks_init(struct loop_blocks *l, const struct pf_plan *plan)
{
    l->turn = 0;
    l->marked = pf_zeroed(plan->nblocks, sizeof *l->marked);
    l->blocks = pf_grow(NULL, plan->nblocks * sizeof *l->blocks);
}

static void loop_blocks_release(struct loop_blocks *l)
{
    free(l->marked);
    free(l->blocks);
}

static bool is_in_loop(const struct loop_blocks *l, size_t block)
{
    return l->marked[block] == l->turn;
}

static void add_member(struct loop_blocks *l, size_t block)
{
    if (is_in_loop(l, block))
        return;
    l->marked[block] = l->turn;
    l->blocks[l->n++] = block;
}

/* Adds every block from which a member other than the head can be reached without the head. */
static void mark_before(struct loop_blocks *l, struct pf_plan *plan)
{
    const struct pf_predecessors *p = pf_block_predecessors(plan);
    for (size_t done = 1; done < l->n; done++)
        for (size_t i = p->first[l->blocks[done]]; i < p->first[l->blocks[done] + 1]; i++)
            add_member(l, p->before[i]);
}

static void begin_loop(struct loop_blocks *l, size_t head)
{
    l->n = 0;
    l->turn++;
    add_member(l, head);
}

static bool is_back_edge(const struct pf_switch_edge *e) { return e->kind < PF_SWITCH_EXIT; }

static void mark_loop(struct loop_blocks *l, struct pf_plan *plan, size_t head)
{
    begin_loop(l, head);
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        if (plan->switch_edges[i].to == head && is_back_edge(&plan->switch_edges[i]))
            add_member(l, plan->switch_edges[i].from);
    mark_before(l, plan);
}

/* Tells outermost loops from inner ones. */
static void classify_loops(struct pf_plan *plan, struct loop_blocks *l)
{
    bool *inner = pf_zeroed(plan->nblocks, sizeof *inner);
    for (size_t i = 0; i < plan->nswitch_edges; i++) {
        if (!plan->switch_edges[i].first)
            continue;
        mark_loop(l, plan, plan->switch_edges[i].to);
        for (size_t k = 1; k < l->n; k++)
            inner[l->blocks[k]] = true;
    }
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        plan->switch_edges[i].kind =
            inner[plan->switch_edges[i].to] ? PF_SWITCH_INNER : PF_SWITCH_OUTER;
    free(inner);
}

/* True if the rest of the call, from the block on, may have something to watch, and a switch edge
 * may lead to the block. */
static bool is_worth_entering(const struct back_edge_search *s, size_t block)
{
    LLVMValueRef end = pf_block_end(s->plan, block);
    return !s->is_head[block] && !LLVMIsAUnreachableInst(end) &&
           (has_steps(s->plan, block) || !LLVMIsAReturnInst(end)) &&
           !LLVMIsALandingPadInst(LLVMGetFirstInstruction(s->plan->blocks[block]));
}

static void add_exits(struct back_edge_search *s, struct loop_blocks *l, size_t head)
{
    struct pf_plan *plan = s->plan;
    mark_loop(l, plan, head);
    for (size_t i = 0; i < l->n; i++) {
        LLVMValueRef end = pf_block_end(plan, l->blocks[i]);
        unsigned n =
            LLVMIsABranchInst(end) || LLVMIsASwitchInst(end) ? LLVMGetNumSuccessors(end) : 0;
        for (unsigned k = 0; k < n; k++) {
            struct pf_switch_edge edge = {l->blocks[i], pf_block_successor(plan, end, k),
                                          .kind = PF_SWITCH_EXIT};
            bool skip = is_in_loop(l, edge.to) || !is_worth_entering(s, edge.to);
            for (unsigned j = 0; j < k; j++)
                skip |= pf_block_successor(plan, end, j) == edge.to;
            if (!skip)
                add_edge(plan, edge);
        }
    }
}

static bool is_checked(const struct pf_plan_step *s)
{
    return s->what == PF_DO_ACCESS || s->what == PF_DO_VPTR || s->what == PF_DO_RANGES ||
           s->what == PF_DO_MEMORY || s->what == PF_DO_MASKED;
}

static bool is_call(const struct pf_plan_step *s) { return s->what == PF_DO_CALL; }

static bool has_step(const struct pf_plan *plan, size_t block,
                     bool (*is_wanted)(const struct pf_plan_step *))
{
    for (size_t k = plan->first_step[block]; k < plan->first_step[block + 1]; k++)
        if (is_wanted(&plan->steps[k]))
            return true;
    return false;
}

/* True if the marked loop has an iteration that does not execute the block. queue: as many entries
 * as the loop has blocks; seen: indexed by block, all false. */
static bool is_avoidable(const struct back_edge_search *s, const struct loop_blocks *l,
                         size_t block, size_t *queue, bool *seen)
{
    size_t n = 0, head = l->blocks[0];
    bool around = false;
    queue[n++] = head;
    for (size_t at = 0; at < n && !around; at++) {
        LLVMValueRef end = pf_block_end(s->plan, queue[at]);
        for (unsigned i = 0, k = LLVMGetNumSuccessors(end); i < k; i++) {
            size_t to = pf_block_successor(s->plan, end, i);
            around |= to == head;
            if (to == head || to == block || seen[to] || !is_in_loop(l, to))
                continue;
            seen[to] = true;
            queue[n++] = to;
        }
    }
    for (size_t at = 0; at < n; at++)
        seen[queue[at]] = false;
    return around;
}

/* True if the block can be entered in the watch body: its predecessors end in a branch or switch,
 * and no other switch edge leads to it. */
static bool can_be_entered(struct back_edge_search *s, size_t block)
{
    const struct pf_predecessors *p = pf_block_predecessors(s->plan);
    for (size_t i = p->first[block]; i < p->first[block + 1]; i++) {
        LLVMValueRef end = pf_block_end(s->plan, p->before[i]);
        if (!LLVMIsABranchInst(end) && !LLVMIsASwitchInst(end))
            return false;
    }
    for (size_t i = 0; i < s->plan->nswitch_edges; i++)
        if (s->plan->switch_edges[i].to == block)
            return false;
    return is_worth_entering(s, block);
}

/* Adds the edges to blocks of an outermost loop that not every iteration executes. Only in loops
 * with calls or other loops: in small loops a test costs too much. Blocks of inner loops have none
 * for the same reason. */
static void add_rare_blocks(struct back_edge_search *s, struct loop_blocks *l, size_t head,
                            unsigned *count)
{
    struct pf_plan *plan = s->plan;
    bool *inner = pf_zeroed(plan->nblocks, sizeof *inner), large = false;
    bool *seen = pf_zeroed(plan->nblocks, sizeof *seen);
    for (size_t i = 0; i < s->nback; i++) {
        if (s->back[i].head == head)
            continue;
        begin_loop(l, s->back[i].head);
        add_member(l, s->back[i].from);
        mark_before(l, plan);
        for (size_t k = 0; k < l->n && !is_in_loop(l, head); k++)
            inner[l->blocks[k]] = true;
    }
    mark_loop(l, plan, head);
    for (size_t i = 0; i < l->n; i++)
        large |= inner[l->blocks[i]] || has_step(plan, l->blocks[i], is_call);
    size_t *queue = pf_grow(NULL, l->n * sizeof *queue);
    const struct pf_predecessors *p = pf_block_predecessors(plan);
    for (size_t i = 1; large && l->n <= RARE_BLOCKS_LOOP_MAX && i < l->n; i++) {
        size_t to = l->blocks[i];
        if (inner[to] || !has_step(plan, to, is_checked) || !can_be_entered(s, to) ||
            *count == RARE_BLOCKS_MAX || !is_avoidable(s, l, to, queue, seen))
            continue;
        ++*count;
        for (size_t k = p->first[to]; k < p->first[to + 1]; k++) {
            bool known = false; /* a switch has one edge per case */
            for (size_t j = p->first[to]; j < k; j++)
                known |= p->before[j] == p->before[k];
            if (!known)
                add_edge(plan, (struct pf_switch_edge){p->before[k], to, .head = head,
                                                       .kind = PF_SWITCH_RARE_BLOCK});
        }
    }
    free(queue);
    free(inner);
    free(seen);
}

static void find_back_edges(struct back_edge_search *s)
{
    struct pf_plan *plan = s->plan;
    size_t n = 0;
    s->path = pf_grow(NULL, (plan->nblocks + 1) * sizeof *s->path);
    s->path[n].block = s->path[n].next = 0;
    n++;
    s->state[0] = 1;
    while (n) {
        size_t b = s->path[n - 1].block;
        LLVMValueRef end = pf_block_end(plan, b);
        if (s->path[n - 1].next == LLVMGetNumSuccessors(end)) {
            s->state[b] = 2;
            n--;
            continue;
        }
        size_t to = pf_block_successor(plan, end, s->path[n - 1].next++);
        if (s->state[to] == 1)
            add_back_edge(s, b, to);
        if (s->state[to])
            continue;
        s->state[to] = 1;
        s->path[n].block = to;
        s->path[n++].next = 0;
    }
}

void pf_plan_switch_edges(struct pf_plan *plan, bool label_addresses)
{
    struct back_edge_search s = {.plan = plan, .state = pf_zeroed(plan->nblocks, 1)};
    struct loop_blocks l;
    s.is_head = pf_zeroed(plan->nblocks, sizeof *s.is_head);
    find_back_edges(&s);
    /* variables of the plain body may hold addresses of labels, invalid in the watch body */
    if (label_addresses)
        plan->nswitch_edges = 0;
    loop_blocks_init(&l, plan);
    classify_loops(plan, &l);
    for (size_t i = 0, n = plan->nswitch_edges; i < n; i++)
        if (plan->switch_edges[i].kind == PF_SWITCH_OUTER && plan->switch_edges[i].first)
            add_exits(&s, &l, plan->switch_edges[i].to);
    unsigned count = 0;
    for (size_t i = 0, n = plan->nswitch_edges; i < n; i++)
        if (plan->switch_edges[i].kind == PF_SWITCH_OUTER && plan->switch_edges[i].first)
            add_rare_blocks(&s, &l, plan->switch_edges[i].to, &count);
    loop_blocks_release(&l);
    free(s.state);
    free(s.path);
    free(s.is_head);
    free(s.back);
}

/* True if some access in the loop has a check of its own, or one of a range inside the loop. */
static bool has_checks(const struct pf_plan *plan, const struct loop_blocks *l)
{
    size_t head = l->blocks[0];
    for (size_t i = 0; i < l->n; i++)
        if (has_step(plan, l->blocks[i], is_checked))
            return true;
    for (size_t i = 0; i < plan->nranges_before; i++)
        if (plan->ranges_before[i].block != head && is_in_loop(l, plan->ranges_before[i].block))
            return true;
    return false;
}

/* True if a check after the loop covers accesses that were made in it. */
static bool has_late_checks(const struct pf_plan *plan, size_t head)
{
    for (size_t i = 0; i < plan->nranges_after; i++)
        for (size_t k = 0; k < plan->ranges_after[i].nblocks; k++)
            if (plan->ranges_after[i].blocks[k] == plan->blocks[head])
                return true;
    return false;
}

static bool is_quick(const struct pf_plan *plan, const struct loop_blocks *l)
{
    size_t head = l->blocks[0];
    for (size_t i = 0; i < plan->nswitch_edges; i++)
        if (plan->switch_edges[i].to != head && is_back_edge(&plan->switch_edges[i]) &&
            is_in_loop(l, plan->switch_edges[i].to))
            return false;
    for (size_t i = 0; i < l->n; i++)
        if (has_step(plan, l->blocks[i], is_call))
            return false;
    return true;
}

void pf_plan_switch_edges_leave(struct pf_plan *plan)
{
    struct loop_blocks l;
    loop_blocks_init(&l, plan);
    for (size_t i = 0; i < plan->nswitch_edges; i++) {
        struct pf_switch_edge *e = &plan->switch_edges[i];
        if (!is_back_edge(e) || !e->first)
            continue;
        mark_loop(&l, plan, e->to);
        /* If the walk from the back edges reached the entry, the loop can be entered elsewhere. */
        bool leaves =
            has_checks(plan, &l) && !has_late_checks(plan, e->to) && (!e->to || !is_in_loop(&l, 0));
        bool quick = is_quick(plan, &l);
        for (size_t k = i; k < plan->nswitch_edges; k++)
            if (plan->switch_edges[k].to == e->to || plan->switch_edges[k].head == e->to) {
                plan->switch_edges[k].leaves = leaves;
                plan->switch_edges[k].quick = quick;
            }
    }
    loop_blocks_release(&l);
}
