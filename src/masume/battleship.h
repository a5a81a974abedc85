/* Ships of a player as a set of slots: bit n of a word = slot n, from arrays of one value a ship.
 *
 * All functions read SLOTS values, however many ships there are: more of the state lies behind each such array. What
 * they say of slots that there are not means nothing.
 */
#ifndef MASUME_BATTLESHIP_H
#define MASUME_BATTLESHIP_H
#include <stdint.h>
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
#endif
