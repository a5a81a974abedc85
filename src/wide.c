/* Kernels, compiled for each CPU level: those of the header KERNELS, else those for all rooms.
 *
 * The header declares a type, <room>_level, and <room>_pick, which returns the level of a name. Where LEVEL is defined, it
 * defines ROOM(name) (the name with the room's prefix) and a constant LEVEL(level): with vectors of VECTOR_BYTES
 * (wide_vectors.h) or, if that is not defined, in plain C for compilers without GNU C vectors, which MASUME_NO_VECTORS
 * simulates. */
#ifndef KERNELS
#define KERNELS "wide_kernels.h"
#endif
#include "masume/wide.h"
#include KERNELS
#include <string.h>

#if defined(__GNUC__) && !defined(MASUME_NO_VECTORS)
#define HAS_VECTORS
#endif
#if defined(HAS_VECTORS) && defined(__x86_64__)
#define HAS_LEVELS
#include <immintrin.h>
#endif

#ifdef __aarch64__ /* every aarch64 has NEON, with vectors of 16 bytes */
#define LEVEL_NAME "neon"
#else
#define LEVEL_NAME "v2"
#endif
#define LEVEL(name) name##_v2

#ifndef HAS_VECTORS
static inline int32_t wide_ones(uint64_t x) {
#ifdef __aarch64__
  return __builtin_popcountll(x);
#else /* without a popcount instruction */
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return (int32_t)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
#endif
}

#include KERNELS

#else
/* Planes are one stream of writes; gcc would turn a loop into a call of memcpy, which breaks the stream. */
#ifndef __clang__
#pragma GCC optimize("no-tree-loop-distribute-patterns")
#endif

typedef uint32_t wide_quad __attribute__((vector_size(16)));
typedef uint32_t wide_eight __attribute__((vector_size(32)));
typedef uint64_t wide_words __attribute__((vector_size(16)));
typedef long long wide_long __attribute__((vector_size(32)));
typedef int32_t wide_four __attribute__((vector_size(16)));
typedef int32_t wide_dwords __attribute__((vector_size(32)));
typedef char wide_few_chars __attribute__((vector_size(16)));
typedef char wide_chars __attribute__((vector_size(32)));

#if __has_builtin(__builtin_shufflevector)
#define SHUFFLE(v, w, ...) __builtin_shufflevector(v, w, __VA_ARGS__)
#define JOIN(v, w) SHUFFLE(v, w, 0, 1, 2, 3, 4, 5, 6, 7)
#define LOW_HALF(v) SHUFFLE(v, v, 0, 1, 2, 3)
#define HIGH_HALF(v) SHUFFLE(v, v, 4, 5, 6, 7)
#else /* gcc 11 cannot change the number of lanes */
#define SHUFFLE(v, w, ...) __builtin_shuffle(v, w, (__typeof__(v)){__VA_ARGS__})
#define JOIN(v, w) ((wide_eight){(v)[0], (v)[1], (v)[2], (v)[3], (w)[0], (w)[1], (w)[2], (w)[3]})
#define LOW_HALF(v) ((wide_quad){(v)[0], (v)[1], (v)[2], (v)[3]})
#define HIGH_HALF(v) ((wide_quad){(v)[4], (v)[5], (v)[6], (v)[7]})
#endif

#define TARGET
#define VECTOR_BYTES 16
#define ANY(v) ((((wide_words)(v))[0] | ((wide_words)(v))[1]) != 0)
#ifdef __x86_64__
#define SIGNS(v) __builtin_ia32_pmovmskb128((wide_few_chars)(v))
#endif
#include "wide_vectors.h"
#include KERNELS
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET
#undef VECTOR_BYTES
#undef ANY
#undef SIGNS

#ifdef HAS_LEVELS
#define VECTOR_BYTES 32
#define ANY(v) (!__builtin_ia32_ptestz256((wide_long)(v), (wide_long)(v)))
#define SIGNS(v) __builtin_ia32_pmovmskb256((wide_chars)(v))
#define LOOK_UP(table, v) (BYTES) __builtin_ia32_pshufb256((wide_chars)(table), (wide_chars)(v))
#if __has_builtin(__builtin_elementwise_min) /* clang lacks the other one */
#define AT_MOST(v, n) __builtin_elementwise_min(v, (BYTES){0} + (n))
#else
#define AT_MOST(v, n) (BYTES) __builtin_ia32_pminub256((wide_chars)(v), (wide_chars)((BYTES){0} + (n)))
#endif
#if __has_builtin(__builtin_elementwise_max)
#define HIGHER(v, w) __builtin_elementwise_max(v, w)
#else
#define HIGHER(v, w) (INTS) __builtin_ia32_pmaxsd256((wide_dwords)(v), (wide_dwords)(w))
#endif
#define PRODUCTS(v, w) __builtin_ia32_pmaddubsw256((wide_chars)(v), (wide_chars)(w))

#define LEVEL(name) name##_v3
#define LEVEL_NAME "v3"
#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt")))
#include "wide_vectors.h"
#include KERNELS
#undef LEVEL
#undef LEVEL_NAME
#undef TARGET

#define LEVEL(name) name##_v4
#define LEVEL_NAME "v4"
#define WHERE(word, v) (BYTES) _mm256_maskz_mov_epi8(word, (__m256i)(v))
#define TARGET __attribute__((target("avx2,bmi,bmi2,popcnt,avx512f,avx512vl,avx512bw,avx512dq")))
#include "wide_vectors.h"
#include KERNELS
#endif
#endif

const ROOM(level) *ROOM(pick)(const char *name) {
  const ROOM(level) *best = &level_v2;
  if (name && !strcmp(name, best->name)) return best;
#ifdef HAS_LEVELS
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2") &&
      __builtin_cpu_supports("popcnt"))
    best = &level_v3;
  if (name && !strcmp(name, best->name)) return best;
  if (best == &level_v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq"))
    best = &level_v4;
#endif
  return !name || !strcmp(name, best->name) ? best : NULL;
}
