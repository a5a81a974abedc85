/* SplitMix64, and the 48-bit generator of Terraforming's maps.
 *
 * SplitMix64: one addition and two multiplications per draw; every 64-bit value is a valid state.
 */
#ifndef MASUME_RNG_H
#define MASUME_RNG_H
#include <stdint.h>

static inline uint64_t masume_next(uint64_t *rng) {
  uint64_t z = (*rng += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

/* Uniform in [0, n): multiply-shift without rejection, so always one draw (bias < n / 2^32). */
static inline uint32_t masume_below(uint64_t *rng, uint32_t n) {
  return (uint32_t)(((masume_next(rng) >> 32) * (uint64_t)n) >> 32);
}

/* The first output of a generator in state x. */
static inline uint64_t masume_mix(uint64_t x) { return masume_next(&x); }

/* The initial state of the i-th generator of a seed. */
static inline uint64_t masume_stream(uint64_t seed, uint64_t i) { return masume_mix(masume_mix(seed) + i); }

/* The state of the Java library's linear congruential generator after seeding. */
static inline uint64_t masume_lcg(uint64_t seed) { return (seed ^ 0x5DEECE66Dull) & 0xFFFFFFFFFFFFull; }

/* Its next 31 bits. */
static inline int32_t masume_lcg_next(uint64_t *lcg) {
  *lcg = (*lcg * 0x5DEECE66Dull + 0xB) & 0xFFFFFFFFFFFFull;
  return (int32_t)(*lcg >> 17);
}

/* Uniform in [0, n) for n >= 1; draws again in the last, incomplete range of n values. */
static inline int32_t masume_lcg_below(uint64_t *lcg, int32_t n) {
  int32_t r = masume_lcg_next(lcg);
  if ((n & (n - 1)) == 0) return (int32_t)((int64_t)n * r >> 31);
  while (r - r % n > INT32_MAX - (n - 1)) r = masume_lcg_next(lcg);
  return r % n;
}
#endif
