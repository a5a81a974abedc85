/* A hash of many words: a sum with one product per two words (NH, of the UMAC message authentication code).
 *
 * With random keys, two different sequences of words have the same sum with a probability of 2^-64.
 */
#ifndef MASUME_HASH_H
#define MASUME_HASH_H
#include <stdint.h>
#include "masume/int128.h"
#include "masume/rng.h"

/* Hash 2 * pairs words; there must be as many keys. */
static inline uint64_t hash_words(const uint64_t *words, const uint64_t *keys, int32_t pairs) {
  masume_uint128 sum = 0;
  for (int32_t i = 0; i < 2 * pairs; i += 2)
    sum += (masume_uint128)(words[i] + keys[i]) * (words[i + 1] + keys[i + 1]);
  return masume_mix(masume_mix((uint64_t)(sum >> 64)) + (uint64_t)sum);
}
#endif
