/*
 * explore_result.c - what an exploration has found, and what it has left open (explore.h).
 */
#define _GNU_SOURCE
#include "call_name.h"
#include "exec_builder.h"
#include "explore.h"
#include "input_record.h"
#include "output_record.h"
#include "run_output.h"
#include "shell_word.h"
#include "wait_status.h"
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

void pf_exploration_release(struct pf_exploration *x)
{
    for (size_t i = 0; i < x->failures.len; i++) {
        free(x->failures.at[i].what);
        free(x->failures.at[i].clip);
    }
    for (size_t i = 0; i < x->races.len; i++)
        free(x->races.at[i].clip);
    for (size_t i = 0; i < x->results.len; i++)
        free(x->results.at[i].output);
    pf_vec_release(&x->races);
    pf_vec_release(&x->failures);
    pf_vec_release(&x->unexplored);
    pf_vec_release(&x->results);
    pf_hash_map_release(&x->result_numbers);
}

const char *pf_exploration_model(const struct pf_exploration *x)
{
    return x->racy || x->weak ? "sequential consistency only" : "c11";
}

void pf_exploration_add_unexplored(struct pf_exploration *x, const char *reason, const char *where)
{
    for (size_t i = 0; i < x->unexplored.len; i++)
        if (!strcmp(x->unexplored.at[i].reason, reason) &&
            !strcmp(x->unexplored.at[i].where, where)) {
            x->unexplored.at[i].count++;
            return;
        }
    struct pf_explore_unexplored o = {.reason = reason, .count = 1};
    snprintf(o.where, sizeof o.where, "%s", where);
    pf_vec_push(&x->unexplored, o);
}

/* --- answers from outside --- */

/* True if the result of the system call depends only on earlier actions of the program, or if the
 * runtime gives all runs the same answer (pinned_answers.h). */
static bool is_own_answer(unsigned number)
{
    static const uint16_t own[] = {
        /* memory, threads, signals */
        SYS_mmap, SYS_munmap, SYS_mprotect, SYS_madvise, SYS_mremap, SYS_brk, SYS_futex,
        SYS_sched_yield, SYS_sched_getaffinity, SYS_getpid, SYS_gettid, SYS_rt_sigaction,
        SYS_rt_sigprocmask, SYS_sigaltstack, SYS_exit, SYS_exit_group, SYS_tgkill, SYS_tkill,
        SYS_kill, SYS_set_robust_list, SYS_rseq, SYS_clone, SYS_clone3, SYS_prctl,
        SYS_set_tid_address, SYS_arch_prctl,
        /* descriptors and files */
        SYS_write, SYS_writev, SYS_pwrite64, SYS_pwritev, SYS_close, SYS_open, SYS_openat,
        SYS_openat2, SYS_creat, SYS_read, SYS_readv, SYS_pread64, SYS_preadv, SYS_preadv2,
        SYS_lseek, SYS_fsync, SYS_fdatasync, SYS_ftruncate, SYS_truncate, SYS_fallocate,
        SYS_fadvise64, SYS_dup, SYS_dup2, SYS_dup3, SYS_fcntl, SYS_ioctl, SYS_pipe, SYS_pipe2,
        SYS_eventfd2, SYS_memfd_create, SYS_stat, SYS_lstat, SYS_fstat, SYS_newfstatat, SYS_statx,
        SYS_statfs, SYS_fstatfs, SYS_access, SYS_faccessat, SYS_faccessat2, SYS_readlink,
        SYS_readlinkat, SYS_getcwd, SYS_unlink, SYS_unlinkat, SYS_rename, SYS_renameat,
        SYS_renameat2, SYS_mkdir, SYS_mkdirat, SYS_rmdir, SYS_umask,
        /* sockets */
        SYS_socket, SYS_socketpair, SYS_bind, SYS_listen, SYS_accept, SYS_accept4, SYS_connect,
        SYS_shutdown, SYS_sendto, SYS_sendmsg, SYS_sendmmsg, SYS_recvfrom, SYS_recvmsg,
        SYS_recvmmsg, SYS_getsockname, SYS_getpeername, SYS_getsockopt, SYS_setsockopt,
        /* facts about the machine and the process */
        SYS_getrandom, SYS_getrusage, SYS_times, SYS_sysinfo, SYS_getcpu, SYS_uname, SYS_getppid,
        SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_prlimit64, SYS_getrlimit,
        SYS_clock_gettime};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] == number)
            return true;
    return false;
}

static void check_input(struct pf_exploration *x, const struct pf_input *i)
{
    char where[40];
    const char *reason = i->kind == PF_INPUT_SIGNAL  ? "a signal from outside"
                         : i->kind == PF_INPUT_DOUBT ? "a call that may not replay"
                         : i->kind == PF_INPUT_EXEC  ? "a child process"
                         : i->kind == PF_INPUT_CALL && !is_own_answer(i->number)
                             ? "an answer from outside"
                             : NULL;
    bool is_call = i->kind == PF_INPUT_CALL;
    pf_call_name(where, sizeof where, i->number);
    if (!reason)
        return;
    x->outside++;
    pf_exploration_add_unexplored(x, reason, is_call ? where : "");
}

static void check_inputs(struct pf_exploration *x, const struct pf_clip *clip, uint64_t shared)
{
    unsigned char *bytes;
    size_t n;
    struct pf_error e;
    if (pf_clip_stream(clip, PF_STREAM_INPUT, &bytes, &n, &e) != PF_OK) {
        x->outside++;
        pf_exploration_add_unexplored(x, "a recording whose input cannot be read", "");
        return;
    }
    for (size_t at = 0; at + sizeof(struct pf_input) <= n;) {
        struct pf_input i;
        memcpy(&i, bytes + at, sizeof i);
        if (at >= shared)
            check_input(x, &i);
        at += sizeof i + i.bytes;
    }
    free(bytes);
}

/* --- results --- */

void pf_exploration_describe(const struct pf_clip *clip, char *text, size_t room)
{
    const struct pf_clip_end *end = &clip->end;
    char signal[PF_SIGNAL_TEXT];
    *text = 0;
    if (end->outcome == PF_OUTCOME_DEADLOCK || end->outcome == PF_OUTCOME_HANG)
        snprintf(text, room, "%s", end->outcome == PF_OUTCOME_HANG ? "hang" : "deadlock");
    else if (end->errors)
        snprintf(text, room, "%.200s", end->error);
    else if (WIFSIGNALED(end->wait))
        snprintf(text, room, "%s", pf_signal_text(signal, end->wait));
    else if (WIFEXITED(end->wait) && WEXITSTATUS(end->wait))
        snprintf(text, room, "exit status %d", WEXITSTATUS(end->wait));
}

/* Mixes in what was written to descriptors whose bytes are not kept: files. The pieces in which it
 * was written do not count. */
static uint64_t mix_files(uint64_t hash, const struct pf_clip *clip)
{
    struct pf_run_output o;
    struct pf_error e;
    if (pf_run_output_read(&o, clip, &e) != PF_OK)
        return hash;
    for (size_t i = 0; i < o.streams.len; i++) {
        const struct pf_output_stream *k = &o.streams.at[i];
        if (!k->kept)
            hash = pf_exec_mix(pf_exec_mix(hash, (uint64_t)k->fd), k->length ^ k->hash);
        for (size_t n = 0; n < k->parts.len; n++)
            hash = pf_exec_mix(pf_exec_mix(hash, k->parts.at[n].at), k->parts.at[n].hash);
    }
    pf_run_output_release(&o);
    return hash;
}

static void take_result(struct pf_exploration *x, const struct pf_clip *clip)
{
    struct pf_explore_result r = {.hash = pf_exec_mix(clip->end.outcome, (uint64_t)clip->end.wait),
                                  .count = 1};
    unsigned char *bytes = NULL;
    size_t n = 0;
    struct pf_error e;
    if (pf_clip_stream(clip, PF_STREAM_OUTPUT, &bytes, &n, &e) != PF_OK) {
        x->outside++;
        pf_exploration_add_unexplored(x, "a recording whose output cannot be read", "");
        return;
    }
    r.output = pf_mem_zero(PF_EXPLORE_OUTPUT + 1, 1);
    struct pf_output_record o;
    const unsigned char *kept;
    int64_t position;
    bool internal;
    for (size_t at = 0; pf_output_record_next(bytes, n, &at, &o, &internal, &position, &kept);) {
        if (internal)
            continue;
        size_t room = PF_EXPLORE_OUTPUT - r.length, take = o.kept < room ? o.kept : room;
        if (take)
            memcpy(r.output + r.length, kept, take);
        r.length += take;
        for (uint32_t k = 0; k < o.kept; k++) /* output in pieces counts like output at once */
            r.hash = pf_exec_mix(r.hash, kept[k] + 256u * (unsigned)o.fd);
    }
    free(bytes);
    r.hash = mix_files(r.hash, clip);
    uint32_t found = pf_hash_map_put(&x->result_numbers, r.hash, (uint32_t)x->nresults);
    bool fresh = found == x->nresults;
    x->nresults += fresh;
    if (!fresh || found >= PF_EXPLORE_RESULTS) {
        if (found < PF_EXPLORE_RESULTS)
            x->results.at[found].count++;
        free(r.output);
        return;
    }
    pf_exploration_describe(clip, r.end, sizeof r.end);
    pf_vec_push(&x->results, r);
}

void pf_exploration_restart(struct pf_exploration *x)
{
    for (size_t i = 0; i < x->results.len; i++)
        free(x->results.at[i].output);
    pf_vec_clear(&x->results);
    pf_hash_map_clear(&x->result_numbers);
    x->nresults = 0;
    pf_vec_clear(&x->unexplored);
    x->classes = x->outside = 0;
}

void pf_exploration_add_run(struct pf_exploration *x, const struct pf_clip *clip, uint64_t shared)
{
    check_inputs(x, clip, shared);
    take_result(x, clip);
}

/* --- reports --- */

static void add_number(struct pf_text *t, const char *name, uint64_t v)
{
    pf_text_json(t, name);
    pf_text_char(t, ':');
    pf_text_u64(t, v);
    pf_text_char(t, ',');
}

static void add_string(struct pf_text *t, const char *name, const char *v)
{
    pf_text_json(t, name);
    pf_text_char(t, ':');
    pf_text_json(t, v);
}

static void add_lists(struct pf_text *t, const struct pf_exploration *x)
{
    pf_text_add(t, "\"open\":[");
    for (size_t i = 0; i < x->unexplored.len; i++) {
        pf_text_add(t, i ? ",{" : "{");
        add_number(t, "count", x->unexplored.at[i].count);
        add_string(t, "reason", x->unexplored.at[i].reason);
        pf_text_char(t, ',');
        add_string(t, "where", x->unexplored.at[i].where);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "],\"failures\":[");
    for (size_t i = 0; i < x->failures.len; i++) {
        pf_text_add(t, i ? ",{" : "{");
        add_number(t, "schedule", x->failures.at[i].schedule);
        add_number(t, "count", x->failures.at[i].count);
        add_string(t, "what", x->failures.at[i].what);
        pf_text_char(t, ',');
        add_string(t, "clip", x->failures.at[i].clip);
        pf_text_add(t, x->failures.at[i].gave_up ? ",\"counts\":false" : ",\"counts\":true");
        pf_text_add(t, x->failures.at[i].early_limit ? ",\"early_limit\":true}" : "}");
    }
    pf_text_add(t, "],\"races\":[");
    for (size_t i = 0; i < x->races.len; i++) {
        pf_text_add(t, i ? ",{" : "{");
        add_number(t, "schedule", x->races.at[i].schedule);
        add_number(t, "count", x->races.at[i].count);
        add_string(t, "clip", x->races.at[i].clip);
        pf_text_char(t, '}');
    }
    pf_text_add(t, "],\"results\":[");
    for (size_t i = 0; i < x->results.len; i++) {
        pf_text_add(t, i ? ",{" : "{");
        add_number(t, "classes", x->results.at[i].count);
        add_string(t, "end", x->results.at[i].end);
        pf_text_add(t, ",\"output\":");
        pf_text_json_bytes(t, x->results.at[i].output, x->results.at[i].length);
        pf_text_char(t, '}');
    }
    pf_text_char(t, ']');
}

void pf_exploration_json(struct pf_text *t, const struct pf_exploration *x)
{
    pf_text_char(t, '{');
    add_number(t, "schedules", x->schedules);
    add_number(t, "copies", x->copies);
    add_number(t, "classes", x->classes);
    add_number(t, "targets", x->targets);
    add_number(t, "milliseconds", x->ms);
    add_number(t, "different_results", x->nresults);
    add_number(t, "failures_not_kept", x->failures_unkept);
    add_number(t, "races_not_kept", x->races_unkept);
    pf_text_add(t, "\"complete\":");
    pf_text_add(t, pf_exploration_complete(x) ? "true," : "false,");
    add_string(t, "model", pf_exploration_model(x));
    pf_text_add(t, x->assumes_addresses ? ",\"assumes_addresses\":true," : ",");
    add_lists(t, x);
    pf_text_char(t, '}');
}

/* Adds the command for a clip; nothing if there is no clip. */
static void add_command(struct pf_text *t, const char *command, const char *clip)
{
    if (!clip)
        return;
    pf_text_add(t, command);
    pf_text_shell_word(t, clip);
}

void pf_exploration_text(struct pf_text *t, const struct pf_exploration *x)
{
    char line[480];
    for (size_t i = 0; i < x->failures.len; i++) {
        const struct pf_explore_failure *f = &x->failures.at[i];
        snprintf(line, sizeof line, "%.200s in schedule %" PRIu64, f->what, f->schedule);
        pf_text_name(t, line);
        if (f->count > 1) {
            snprintf(line, sizeof line, ", and in %" PRIu64 " more", f->count - 1);
            pf_text_add(t, line);
        }
        add_command(t, "; replay it with: pf replay ", f->clip);
        pf_text_add(t, f->gave_up ? "; it does not count: the time limit of a wait passed early"
                       : f->early_limit ? "; the time limit of a wait passed early in it"
                                        : "");
        pf_text_char(t, '\n');
    }
    if (x->failures_unkept) {
        snprintf(line, sizeof line, "%" PRIu64 " more runs failed in ways that are not listed\n",
                 x->failures_unkept);
        pf_text_add(t, line);
    }
    for (size_t i = 0; i < x->races.len; i++) {
        const struct pf_explore_race *r = &x->races.at[i];
        snprintf(line, sizeof line, "%" PRIu64 " data race%s first seen in schedule %" PRIu64,
                 r->count, r->count == 1 ? "" : "s", r->schedule);
        pf_text_add(t, line);
        add_command(t, "; show with: pf predict --analysis=hb ", r->clip);
        pf_text_char(t, '\n');
    }
    if (x->races_unkept) {
        snprintf(line, sizeof line, "%" PRIu64 " more data races were seen, without a clip\n",
                 x->races_unkept);
        pf_text_add(t, line);
    }
    for (size_t i = 0; i < x->unexplored.len; i++) {
        const struct pf_explore_unexplored *o = &x->unexplored.at[i];
        snprintf(line, sizeof line, "not explored: %s%s%s%s, %" PRIu64 " time%s", o->reason,
                 *o->where ? " (" : "", o->where, *o->where ? ")" : "", o->count,
                 o->count == 1 ? "" : "s");
        pf_text_name(t, line);
        pf_text_char(t, '\n');
    }
    snprintf(line, sizeof line,
             "explore: %" PRIu64 " schedule%s, %" PRIu64 " %s, %" PRIu64 " result%s, %" PRIu64
             ".%03" PRIu64 " s\n",
             x->schedules, x->schedules == 1 ? "" : "s", x->classes,
             x->classes == 1 ? "execution" : "different executions", x->nresults,
             x->nresults == 1 ? "" : "s", x->ms / 1000, x->ms % 1000);
    pf_text_add(t, line);
    if (!x->finished)
        snprintf(line, sizeof line, "explore: stopped early: %" PRIu64 " targets are left\n",
                 x->targets);
    else if (!pf_exploration_complete(x))
        snprintf(line, sizeof line,
                 "explore: not complete: there may be other executions, for the reasons above\n");
    else
        snprintf(line, sizeof line,
                 "explore: complete for this input: every execution was seen (%s)\n",
                 x->racy || x->weak ? "sequential consistency only" : "C11");
    pf_text_add(t, line);
    if (pf_exploration_complete(x) && x->assumes_addresses)
        pf_text_add(t,
                    "explore: assumed: nothing depends on the addresses of allocated memory; they "
                    "were the same in all runs\n");
}
