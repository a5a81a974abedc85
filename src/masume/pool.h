/* A small fork-safe thread pool. */
#ifndef MASUME_POOL_H
#define MASUME_POOL_H
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif

typedef void (*masume_range_fn)(void *job, int64_t begin, int64_t end, int32_t worker);
typedef struct masume_pool masume_pool;

masume_pool *masume_pool_new(int32_t threads);
void masume_pool_free(masume_pool *);
int32_t masume_pool_threads(const masume_pool *);
/* fn over [0, n) in chunks of `grain`; the calling thread works too; returns when all is done. */
void masume_pool_run(masume_pool *, masume_range_fn fn, void *job, int64_t n, int64_t grain);

#ifdef __cplusplus
}
#endif
#endif
