// A thread makes a request on its stack while it holds a lock, and waits for the answer of another
// thread. The lock does not guard the request.
// want: none
// case: record
// case: hatch
// noout: suspicious
#include <pthread.h>
#include <semaphore.h>

struct request {
    int answer;
    sem_t answered;
};
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static struct request *asked;
static sem_t ready;

static int ask(void)
{
    struct request r;
    pthread_mutex_lock(&m);
    r.answer = 0;
    sem_init(&r.answered, 0, 0);
    asked = &r;
    sem_post(&ready);
    sem_wait(&r.answered);
    int answer = r.answer;
    pthread_mutex_unlock(&m);
    return answer;
}

static void *answer(void *arg)
{
    for (int i = 0; i < 3; i++) {
        sem_wait(&ready);
        asked->answer = 7;
        sem_post(&asked->answered);
    }
    return arg;
}

int main(void)
{
    pthread_t t;
    int sum = 0;
    sem_init(&ready, 0, 0);
    pthread_create(&t, NULL, answer, NULL);
    for (int i = 0; i < 3; i++)
        sum += ask();
    pthread_join(t, NULL);
    return sum != 21;
}
