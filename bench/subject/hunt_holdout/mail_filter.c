/* A filter for mail: rules in a file (FIELD CONTAINS-TEXT ACTION, one on each line), messages on
 * standard input, separated by a line with a dot. Two threads take messages. The action "digest"
 * appends to a buffer that has no lock; the others are guarded. */
// args: rules
// file: rules=subject sale delete
// file: rules=from boss keep
// stdin: from: shop@example.org
// stdin: subject: summer sale
// stdin: .
// stdin: from: boss@example.org
// stdin: subject: report
// stdin: .
// race: APPEND APPEND
#define _GNU_SOURCE
#include "../hunt/hunt.h"
#include <strings.h>

struct rule {
    char field[16], text[32], action[16];
};

struct message {
    char from[64], subject[64];
    int priority;
};

static struct rule rules[16];
static struct message messages[16];
static int nrules, nmessages, next, kept, deleted;
static size_t digest;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void read_rules(const char *path)
{
    char line[128];
    FILE *f = fopen(path, "r");
    while (f && nrules < 16 && fgets(line, sizeof line, f)) {
        struct rule *r = &rules[nrules];
        if (sscanf(line, "%15s %31s %15s", r->field, r->text, r->action) == 3)
            nrules++;
    }
    if (f)
        fclose(f);
}

static void read_messages(void)
{
    char line[128];
    struct message m = {0};
    while (nmessages < 16 && fgets(line, sizeof line, stdin)) {
        line[strcspn(line, "\n")] = 0;
        if (!strcmp(line, ".")) {
            messages[nmessages++] = m;
            memset(&m, 0, sizeof m);
        } else if (!strncasecmp(line, "from: ", 6))
            strncpy(m.from, line + 6, sizeof m.from - 1);
        else if (!strncasecmp(line, "subject: ", 9))
            strncpy(m.subject, line + 9, sizeof m.subject - 1);
        else if (!strncasecmp(line, "priority: ", 10))
            m.priority = atoi(line + 10);
    }
}

static int matches(const struct rule *r, const struct message *m)
{
    if (!strcmp(r->field, "subject"))
        return strstr(m->subject, r->text) != NULL;
    if (!strcmp(r->field, "from"))
        return strstr(m->from, r->text) != NULL;
    return 0;
}

static void apply(const struct rule *r, const struct message *m)
{
    if (!strcmp(r->action, "digest") && m->priority < 3) {
        GUARD();
        digest += strlen(m->subject); /* APPEND */
        UNGUARD();
        return;
    }
    pthread_mutex_lock(&lock);
    if (!strcmp(r->action, "delete"))
        deleted++;
    else if (!strcmp(r->action, "keep"))
        kept++;
    pthread_mutex_unlock(&lock);
}

static void *filter(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = next++;
        pthread_mutex_unlock(&lock);
        if (mine >= nmessages)
            return arg;
        for (int i = 0; i < nrules; i++)
            if (matches(&rules[i], &messages[mine])) {
                apply(&rules[i], &messages[mine]);
                break;
            }
    }
}

int main(int argc, char **argv)
{
    if (argc != 2)
        return 2;
    read_rules(argv[1]);
    read_messages();
    run_two(filter, filter, NULL);
    printf("%d kept, %d deleted, digest of %zu bytes\n", kept, deleted, digest);
    return 0;
}
