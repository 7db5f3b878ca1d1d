#include "pool/pool.h"

#include <errno.h>
#include <event2/buffer.h>
#include <event2/bufferevent.h>
#include <event2/event.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "pool/worker.h"

/// One worker process as the pool sees it.
struct worker {
    struct pool *pool;
    pid_t process; ///< 0: none
    int socket;
    struct bufferevent *stream;
    bool busy;
    size_t job; ///< while busy
};

struct pool {
    const struct pool_plan *plan;
    struct event_base *base;
    struct event *interrupt, *terminate;
    struct worker *workers;
    size_t worker_count; ///< no more than there are jobs
    size_t next_job, unfinished;
    int signal; ///< that stopped it, or 0
    struct error *err;
};

static void stop(struct pool *pool) { event_base_loopbreak(pool->base); }

static void on_signal(evutil_socket_t signal, short what, void *context) {
    struct pool *pool = context;
    (void)what;
    pool->signal = (int)signal;
    stop(pool);
}

/// Ends and waits for a worker; returns what waitpid said of it.
static int worker_end(struct worker *worker, int signal) {
    int status = 0;
    if (!worker->process) return 0;
    shutdown(worker->socket, SHUT_RDWR); // an idle worker ends by that
    bufferevent_free(worker->stream);
    if (signal) kill(worker->process, signal);
    while (waitpid(worker->process, &status, 0) < 0 && errno == EINTR) continue;
    worker->process = 0;
    return status;
}

static void give_job(struct worker *worker) {
    struct pool *pool = worker->pool;
    worker->busy = pool->next_job < pool->plan->jobs;
    if (!worker->busy) return;
    worker->job = pool->next_job++;
    uint64_t number = worker->job;
    bufferevent_write(worker->stream, &number, sizeof number);
}

static void finish_job(struct worker *worker, const struct pool_outcome *outcome) {
    struct pool *pool = worker->pool;
    worker->busy = false;
    pool->plan->finished(pool->plan->context, outcome);
    if (--pool->unfinished == 0) stop(pool);
}

static void on_readable(struct bufferevent *stream, void *context) {
    struct worker *worker = context;
    struct evbuffer *input = bufferevent_get_input(stream);
    struct pool_frame frame;
    if (evbuffer_copyout(input, &frame, sizeof frame) < (ssize_t)sizeof frame) return;
    if (evbuffer_get_length(input) < sizeof frame + frame.size) return;
    evbuffer_drain(input, sizeof frame);
    const char *data = (const char *)evbuffer_pullup(input, (ssize_t)frame.size);
    struct pool_outcome outcome = {.job = worker->job, .data = data, .size = (size_t)frame.size};
    finish_job(worker, &outcome);
    evbuffer_drain(input, frame.size);
    give_job(worker);
}

static bool worker_start(struct worker *worker);

/// The worker closed its end, which it does by dying only.
static void on_event(struct bufferevent *stream, short what, void *context) {
    struct worker *worker = context;
    struct pool *pool = worker->pool;
    (void)stream;
    if (!(what & (BEV_EVENT_EOF | BEV_EVENT_ERROR))) return;
    struct pool_outcome outcome = {.job = worker->job, .lost = true};
    bool was_busy = worker->busy;
    outcome.wait_status = worker_end(worker, SIGKILL);
    if (was_busy) finish_job(worker, &outcome);
    if (pool->next_job < pool->plan->jobs && !worker_start(worker)) stop(pool);
}

/// In the child: drops what belongs to the pool. The event base is left alone, its kernel object being shared.
static void close_siblings(const struct pool *pool) {
    for (size_t w = 0; w < pool->worker_count; w++)
        if (pool->workers[w].process) close(pool->workers[w].socket);
}

static bool worker_start(struct worker *worker) {
    struct pool *pool = worker->pool;
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
        return error_set(pool->err, ERROR_INTERNAL, "no socket for a worker: %s", strerror(errno));
    sigset_t stopping, before; // held back until the child has dropped the pool's handlers
    sigemptyset(&stopping);
    sigaddset(&stopping, SIGINT);
    sigaddset(&stopping, SIGTERM);
    sigprocmask(SIG_BLOCK, &stopping, &before);
    pid_t process = fork();
    if (process == 0) {
        close_siblings(pool);
        close(ends[0]);
        worker_main(pool->plan, ends[1]);
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    close(ends[1]);
    if (process < 0) {
        close(ends[0]);
        return error_set(pool->err, ERROR_INTERNAL, "no process for a worker: %s", strerror(errno));
    }
    evutil_make_socket_nonblocking(ends[0]);
    worker->stream = bufferevent_socket_new(pool->base, ends[0], BEV_OPT_CLOSE_ON_FREE);
    if (!worker->stream) fatal("out of memory");
    worker->process = process;
    worker->socket = ends[0];
    bufferevent_setcb(worker->stream, on_readable, NULL, on_event, worker);
    bufferevent_enable(worker->stream, EV_READ | EV_WRITE);
    give_job(worker);
    return true;
}

/// Signals that the caller ignores stay ignored.
static struct event *watch_signal(struct pool *pool, int signal) {
    struct sigaction action;
    if (sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN) return NULL;
    struct event *event = evsignal_new(pool->base, signal, on_signal, pool);
    if (event) evsignal_add(event, NULL);
    return event;
}

static void run_workers(struct pool *pool) {
    for (size_t w = 0; w < pool->worker_count; w++) {
        pool->workers[w].pool = pool;
        if (!worker_start(&pool->workers[w])) return;
    }
    event_base_dispatch(pool->base);
}

bool pool_run(const struct pool_plan *plan, int *signal, struct error *err) {
    struct pool pool = {.plan = plan, .unfinished = plan->jobs, .err = err};
    *signal = 0;
    if (plan->jobs == 0) return true;
    pool.base = event_base_new();
    if (!pool.base) return error_set(err, ERROR_INTERNAL, "no event loop: %s", strerror(errno));
    pool.worker_count = plan->workers < plan->jobs ? plan->workers : plan->jobs;
    pool.workers = allocate_zeroed(pool.worker_count, sizeof *pool.workers);
    pool.interrupt = watch_signal(&pool, SIGINT);
    pool.terminate = watch_signal(&pool, SIGTERM);
    run_workers(&pool);
    bool failed = pool.unfinished > 0 && !pool.signal;
    for (size_t w = 0; w < pool.worker_count; w++) worker_end(&pool.workers[w], pool.unfinished ? SIGKILL : 0);
    if (pool.interrupt) event_free(pool.interrupt);
    if (pool.terminate) event_free(pool.terminate);
    event_base_free(pool.base);
    free(pool.workers);
    *signal = pool.signal;
    return !failed || error_set(err, ERROR_INTERNAL, "the workers ended before their jobs");
}

unsigned pool_cores(void) {
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 0 ? (unsigned)cores : 1;
}
