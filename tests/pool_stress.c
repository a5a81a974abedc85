/* The pool, for the sanitizers: sums over many jobs, callers that take turns, pools that are created and freed,
 * more threads than rows, children forked between and within jobs. Prints "ok" or dies. */
#define _GNU_SOURCE
#include "masume/pool.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "masume/system.h"

#define ROWS 4096
#define CHECK(condition) \
  do { \
    if (!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      _exit(1); \
    } \
  } while (0)

typedef struct {
  int64_t add;
  int64_t sums[ROWS]; /* not atomic: each row belongs to one chunk, and jobs run one after the other */
  int32_t threads;
} Job;

static void add_rows(void *job_, int64_t begin, int64_t end, int32_t worker) {
  Job *job = job_;
  CHECK(0 <= worker && worker < job->threads);
  CHECK(0 <= begin && begin < end);
  for (int64_t i = begin; i < end; i++) job->sums[i] += job->add;
}

/* Run `jobs` jobs of changing length; the sums reveal a row that was left out or taken twice. All jobs of at least two
 * rows are shared, except those whose rows are known to be short: every third. */
static void run_jobs(masume_pool *pool, int64_t jobs, int64_t rows) {
  Job *job = calloc(1, sizeof *job);
  int64_t expected[ROWS] = {0};
  masume_pace known = {0};
  CHECK(job);
  job->threads = masume_pool_threads(pool);
  for (int64_t k = 1; k <= jobs; k++) {
    const int64_t n = k * 37 % rows + 1;
    job->add = k;
    masume_pace guessed = {.row_ns = k % 3 == 1 ? 1e4 : 0};
    masume_pool_run(pool, add_rows, job, n, k % 3 == 2 ? &known : &guessed);
    CHECK(known.row_ns >= 0 && guessed.row_ns >= 0);
    for (int64_t i = 0; i < n; i++) expected[i] += k;
  }
  for (int64_t i = 0; i < ROWS; i++) CHECK(job->sums[i] == expected[i]);
  free(job);
}

static system_result call(void *pool) {
  run_jobs(pool, 500, 256);
  return 0;
}

#if !defined(_WIN32) && !defined(__SANITIZE_THREAD__) /* TSan does not support threads started in a forked child */
#define FORKS
static void wait_for(pid_t child) {
  int status;
  CHECK(waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void run_in_a_child(masume_pool *pool) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    system_thread callers[2]; /* both find that the workers are gone; one starts them */
    for (int k = 0; k < 2; k++) CHECK(!system_thread_start(&callers[k], call, pool));
    for (int k = 0; k < 2; k++) system_thread_join(callers[k]);
    masume_pool_free(pool);
    _exit(0);
  }
  wait_for(child);
}

static void free_in_a_child(masume_pool *pool) {
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    masume_pool_free(pool); /* its workers are the parent's: there is nothing to join */
    _exit(0);
  }
  wait_for(child);
}

static _Atomic int is_slow_job_inside;

static void wait_in_rows(void *job_, int64_t begin, int64_t end, int32_t worker) {
  atomic_store(&is_slow_job_inside, 1);
  usleep(50000);
  add_rows(job_, begin, end, worker);
}

static system_result call_slowly(void *pool) {
  Job *job = calloc(1, sizeof *job);
  masume_pace pace = {0};
  CHECK(job);
  job->threads = masume_pool_threads(pool);
  job->add = 1;
  masume_pool_run(pool, wait_in_rows, job, 8, &pace);
  for (int64_t i = 0; i < 8; i++) CHECK(job->sums[i] == 1);
  free(job);
  return 0;
}

static void fork_children(masume_pool *pool) {
  system_thread caller;
  run_in_a_child(pool);
  free_in_a_child(pool);
  CHECK(!system_thread_start(&caller, call_slowly, pool));
  while (!atomic_load(&is_slow_job_inside)) usleep(1000);
  run_in_a_child(pool); /* which has the locks of a job that will never end */
  system_thread_join(caller);
  run_jobs(pool, 100, ROWS);
}
#endif

#ifdef __GLIBC__ /* glibc can be made to refuse threads: the caller does all the work */
static void run_without_threads(void) {
  pthread_attr_t attributes;
  size_t before;
  CHECK(!pthread_getattr_default_np(&attributes));
  CHECK(!pthread_attr_getstacksize(&attributes, &before));
  CHECK(!pthread_attr_setstacksize(&attributes, (size_t)1 << 52)); /* more than there are addresses */
  CHECK(!pthread_setattr_default_np(&attributes));
  masume_pool *pool = masume_pool_new(4);
  CHECK(pool && masume_pool_threads(pool) == 1);
  run_jobs(pool, 10, 64);
  masume_pool_free(pool);
  CHECK(!pthread_attr_setstacksize(&attributes, before));
  CHECK(!pthread_setattr_default_np(&attributes));
  CHECK(!pthread_attr_destroy(&attributes));
}
#endif

int main(void) {
  system_thread callers[3];
  masume_pace pace = {0};
  masume_pool *pool = masume_pool_new(4);
  CHECK(pool && masume_pool_threads(pool) == 4);
  run_jobs(pool, 20000, ROWS);
  run_jobs(pool, 100, 3);
  masume_pool_run(pool, add_rows, NULL, 0, &pace); /* nothing to do: fn is not called */
  CHECK(pace.row_ns == 0);
  for (int k = 0; k < 3; k++) CHECK(!system_thread_start(&callers[k], call, pool));
  for (int k = 0; k < 3; k++) system_thread_join(callers[k]);
#ifdef FORKS
  fork_children(pool);
#endif
  masume_pool_free(pool);
  for (int32_t threads = 0; threads < 200; threads++) {
    pool = masume_pool_new(threads % 9);
    CHECK(pool && masume_pool_threads(pool) == (threads % 9 ? threads % 9 : 1));
    if (threads % 2) run_jobs(pool, 3, 64);
    masume_pool_free(pool);
  }
  pool = masume_pool_new(64);
  run_jobs(pool, 50, 40);
  masume_pool_free(pool);
  masume_pool_free(NULL);
#ifdef __GLIBC__
  run_without_threads();
#endif
  puts("ok");
  return 0;
}
