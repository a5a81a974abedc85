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

/* Measurements of jobs of one kind; initially zeros. */
typedef struct {
  double row_ns;  /* time of a row on one thread */
  uint32_t small; /* number of jobs near the limit for sharing */
} masume_pace;

/* Create a pool of `threads`, including the caller of run; fewer if the system refuses some; NULL without memory. */
masume_pool *masume_pool_new(int32_t threads);
/* Free a pool; not during a run. */
void masume_pool_free(masume_pool *);
/* Number of threads, including the caller. */
int32_t masume_pool_threads(const masume_pool *);
/* Call fn over [0, n) in chunks, also on the calling thread; return when everything is done. Callers on several
 * threads take turns. fn must not run the same pool.
 *
 * pace: measurements of jobs like this one. They decide whether the job is too small to share, and the size of the
 * chunks; the first job uses all threads. */
void masume_pool_run(masume_pool *, masume_range_fn fn, void *job, int64_t n, masume_pace *pace);

#ifdef __cplusplus
}
#endif
#endif
