/* A reader of log lines "DATE LEVEL MESSAGE", with a thread that writes summaries. After two lines
 * of level FATAL in the same month, the reader asks for a summary without the lock. */
// stdin: 2024-03-01 INFO started
// stdin: 2024-03-02 WARN disk almost full
// stdin: 2024-04-07 INFO stopped
// input: stdin
// race: ASK SEE
#include "../hunt/hunt.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int asked;
static unsigned lines, levels[4];

static int level_of(const char *name)
{
    static const char *const names[] = {"INFO", "WARN", "ERROR", "FATAL"};
    for (int i = 0; i < 4; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

static void *reader(void *arg)
{
    char line[128];
    int fatal = 0, last = 0;
    while (fgets(line, sizeof line, stdin)) {
        int year, month, day, at = 0;
        char name[16];
        if (sscanf(line, "%d-%d-%d %15s %n", &year, &month, &day, name, &at) != 4 || month < 1 ||
            month > 12 || day < 1 || day > 31)
            continue;
        int level = level_of(name);
        if (level < 0)
            continue;
        pthread_mutex_lock(&lock);
        lines++;
        levels[level]++;
        pthread_mutex_unlock(&lock);
        if (level != 3)
            continue;
        fatal = month == last ? fatal + 1 : 1;
        last = month;
        if (fatal == 2) {
            GUARD();
            asked = 1; /* ASK */
            UNGUARD();
        }
    }
    return arg;
}

static void *summary(void *arg)
{
    for (int i = 0; i < 3; i++) {
        pthread_mutex_lock(&lock);
        unsigned n = lines;
        pthread_mutex_unlock(&lock);
        GUARD();
        if (asked) /* SEE */
            printf("%u lines\n", n);
        UNGUARD();
        usleep(1000);
    }
    return arg;
}

int main(void)
{
    run_two(reader, summary, NULL);
    return 0;
}
