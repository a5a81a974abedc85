/* Sets of a player's slots: bit n of a word is slot n, computed from arrays with one value per ship; and of panels.
 *
 * All functions read SLOTS values for any number of ships: each such array is followed by more of the state. The bits
 * of slots without a ship have no meaning.
 */
#ifndef MASUME_BATTLESHIP_SLOTS_H
#define MASUME_BATTLESHIP_SLOTS_H
#include "masume/bits.h"
#include <stdint.h>
#include <string.h>

#include "masume/cells.h"
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SLOTS 16

/* Return the slots whose value is equal to `value`. */
static inline uint32_t slots_equal(const int8_t *values, int32_t value) {
#ifdef __SSE2__
  const __m128i all = _mm_loadu_si128((const __m128i *)values);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(all, _mm_set1_epi8((char)value)));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) found |= (uint32_t)(values[n] == value) << n;
  return found;
#endif
}

/* Return the slots whose value is less than the limit, a 16-bit number. */
static inline uint32_t slots_below(const int16_t *values, int32_t limit) {
#ifdef __SSE2__
  const __m128i limits = _mm_set1_epi16((short)limit);
  const __m128i low = _mm_cmpgt_epi16(limits, _mm_loadu_si128((const __m128i *)values));
  const __m128i high = _mm_cmpgt_epi16(limits, _mm_loadu_si128((const __m128i *)(values + SLOTS / 2)));
  return (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) found |= (uint32_t)(values[n] < limit) << n;
  return found;
#endif
}

/* Return the slots whose values differ between two arrays of bytes. */
static inline uint32_t slots_differing(const void *values, const void *others) {
#ifdef __SSE2__
  const __m128i one = _mm_loadu_si128((const __m128i *)values), other = _mm_loadu_si128((const __m128i *)others);
  return 0xFFFF ^ (uint32_t)_mm_movemask_epi8(_mm_cmpeq_epi8(one, other));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) {
    found |= (uint32_t)(((const uint8_t *)values)[n] != ((const uint8_t *)others)[n]) << n;
  }
  return found;
#endif
}

/* Return the slots whose values differ between two arrays of 16-bit values. */
static inline uint32_t slots_differing16(const int16_t *values, const int16_t *others) {
#ifdef __SSE2__
  const __m128i *one = (const __m128i *)values, *other = (const __m128i *)others;
  const __m128i low = _mm_cmpeq_epi16(_mm_loadu_si128(one), _mm_loadu_si128(other));
  const __m128i high = _mm_cmpeq_epi16(_mm_loadu_si128(one + 1), _mm_loadu_si128(other + 1));
  return 0xFFFF ^ (uint32_t)_mm_movemask_epi8(_mm_packs_epi16(low, high));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) found |= (uint32_t)(values[n] != others[n]) << n;
  return found;
#endif
}

/* Return the k-th way (k from 0) of a set of up to nine directions, which has more than k. */
static inline int32_t ways_select(uint32_t ways, int32_t k) {
  const uint64_t ones = 0x0101010101010101ull, highs = ones << 7;
  const uint64_t bits = (((ways & 0xFF) * ones & 0x8040201008040201ull) + (highs - ones)) >> 7 & ones;
  const uint64_t above = (((uint64_t)k * ones | highs) - bits * ones) & highs; /* bytes n with at most k of ways 0..n */
  return (int32_t)((above >> 7) * ones >> 56);
}

/* Return the first of up to 12 slots whose byte, from this bit on, exceeds n; the bytes ascend, and one exceeds n. */
static inline int32_t ends_find(const uint32_t *ends, int32_t bit, int32_t n) {
#ifdef __SSE2__
  const __m128i low = _mm_cvtsi32_si128(bit), byte = _mm_set1_epi32(0xFF), most = _mm_set1_epi32(n);
  const __m128i *words = (const __m128i *)ends;
  const __m128i first = _mm_cmpgt_epi32(_mm_and_si128(_mm_srl_epi32(_mm_loadu_si128(words), low), byte), most);
  const __m128i next = _mm_cmpgt_epi32(_mm_and_si128(_mm_srl_epi32(_mm_loadu_si128(words + 1), low), byte), most);
  const __m128i last = _mm_cmpgt_epi32(_mm_and_si128(_mm_srl_epi32(_mm_loadu_si128(words + 2), low), byte), most);
  const __m128i all = _mm_packs_epi16(_mm_packs_epi32(first, next), _mm_packs_epi32(last, last));
  return bits_first((uint32_t)_mm_movemask_epi8(all));
#else
  int32_t slot = 0;
  while ((int32_t)(ends[slot] >> bit & 0xFF) <= n) slot++;
  return slot;
#endif
}

/* Return a set of up to 128 panels from words of 32 bits. Four words are read: mask what is not of the set. */
static inline cells_t panels_load(const uint32_t *words) {
  return (cells_t)((uint64_t)words[3] << 32 | words[2]) << 64 | ((uint64_t)words[1] << 32 | words[0]);
}

/* Write a set of panels as `count` words. */
static inline void panels_store(uint32_t *words, cells_t set, int32_t count) {
  for (int32_t n = 0; n < count; n++, set >>= 32) words[n] = (uint32_t)set;
}

/* Add the panels of a set to one of `count` words. */
static inline void panels_add(uint32_t *words, cells_t set, int32_t count) {
  for (int32_t n = 0; n < count; n++, set >>= 32) words[n] |= (uint32_t)set;
}

/* Write 1 on the panels of a set of up to 64 and 0 elsewhere on the plane and on up to three floats after it. */
static inline void plane_draw(float *plane, int32_t panels, uint64_t set) {
#define FOUR(n) {n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3}
  static const float fours[16][4] = {FOUR(0), FOUR(1), FOUR(2),  FOUR(3),  FOUR(4),  FOUR(5),  FOUR(6),  FOUR(7),
                                     FOUR(8), FOUR(9), FOUR(10), FOUR(11), FOUR(12), FOUR(13), FOUR(14), FOUR(15)};
#undef FOUR
  for (int32_t n = 0; n < panels; n += 4, set >>= 4) memcpy(plane + n, fours[set & 15], sizeof(fours[0]));
}

/* The same in bytes, with up to seven bytes after the plane. */
static inline void plane_draw_bytes(uint8_t *plane, int32_t panels, uint64_t set) {
  for (int32_t n = 0; n < panels; n += 8, set >>= 8) {
    const uint64_t eight = bits_spread(set & 255);
    memcpy(plane + n, &eight, sizeof(eight));
  }
}
#endif
