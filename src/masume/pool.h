/* A small thread pool that survives fork. */
#ifndef MASUME_POOL_H
#define MASUME_POOL_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

/* Work on [begin, end) of a job; worker is 0 for the calling thread, else 1..threads-1. */
typedef void (*masume_range_fn)(void *job, int64_t begin, int64_t end, int32_t worker);
typedef struct masume_pool masume_pool;

/* What a pool has found out about jobs of a kind; zeros before the first. */
typedef struct {
  double row_ns;  /* what a row takes one thread */
  uint32_t small; /* jobs that were hardly worth sharing, or not */
} masume_pace;

/* A pool of `threads`, the caller of run being one of them; fewer where the system refuses; NULL without memory. */
masume_pool *masume_pool_new(int32_t threads);
/* Not while a run is under way. */
void masume_pool_free(masume_pool *);
/* How many work, the caller included. */
int32_t masume_pool_threads(const masume_pool *);
/* fn over [0, n) in chunks; the calling thread works too; returns when all is done. Callers on several threads take
 * turns. fn must not run the same pool.
 *
 * pace: of jobs like this one. By it the pool tells what is too small to be shared, and how large chunks are; the
 * first job takes all threads. */
void masume_pool_run(masume_pool *, masume_range_fn fn, void *job, int64_t n, masume_pace *pace);

#ifdef __cplusplus
}
#endif
#endif
