/* Ships of a player as a set of slots: bit n of a word = slot n, from arrays of one value a ship.
 *
 * All functions read SLOTS values, however many ships there are: more of the state lies behind each such array. What
 * they say of slots that there are not means nothing.
 */
#ifndef MASUME_BATTLESHIP_SLOTS_H
#define MASUME_BATTLESHIP_SLOTS_H
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

#define SLOTS 16

/* The slots whose value is this one. */
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

/* The slots whose value is more than 0. */
static inline uint32_t slots_positive(const int8_t *values) {
#ifdef __SSE2__
  const __m128i all = _mm_loadu_si128((const __m128i *)values);
  return (uint32_t)_mm_movemask_epi8(_mm_cmpgt_epi8(all, _mm_setzero_si128()));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) found |= (uint32_t)(values[n] > 0) << n;
  return found;
#endif
}

/* The slots whose flags have bit number `bit`, 0..7. */
static inline uint32_t slots_flagged(const uint8_t *flags, int32_t bit) {
#ifdef __SSE2__
  return (uint32_t)_mm_movemask_epi8(_mm_slli_epi16(_mm_loadu_si128((const __m128i *)flags), 7 - bit));
#else
  uint32_t found = 0;
  for (int32_t n = 0; n < SLOTS; n++) found |= (uint32_t)(flags[n] >> bit & 1) << n;
  return found;
#endif
}

/* The slots whose value is less than the limit, which has 16 bits. */
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

/* The slots whose values in two arrays are not the same. */
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

/* The same of values of 16 bits. */
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

/* Ones on the panels of a set of up to 64, zeros on all others of the plane and on up to three floats behind it. */
static inline void plane_draw(float *plane, int32_t panels, uint64_t set) {
#define FOUR(n) {n & 1, n >> 1 & 1, n >> 2 & 1, n >> 3}
  static const float fours[16][4] = {FOUR(0), FOUR(1), FOUR(2),  FOUR(3),  FOUR(4),  FOUR(5),  FOUR(6),  FOUR(7),
                                     FOUR(8), FOUR(9), FOUR(10), FOUR(11), FOUR(12), FOUR(13), FOUR(14), FOUR(15)};
#undef FOUR
  for (int32_t n = 0; n < panels; n += 4, set >>= 4) memcpy(plane + n, fours[set & 15], sizeof(fours[0]));
}
#endif
