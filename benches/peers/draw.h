/* SplitMix64, as the games' rules define it: a draw below n, one step of the generator. */
#include <stdint.h>

static inline uint32_t below(uint64_t *rng, uint32_t n) {
  uint64_t z = (*rng += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  z ^= z >> 31;
  return (uint32_t)(((z >> 32) * n) >> 32);
}
