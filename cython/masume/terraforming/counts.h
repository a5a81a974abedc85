/* Numbers of robots and Material as bytes, whole vectors of 16 at a time. */
#ifndef MASUME_TERRAFORMING_COUNTS_H
#define MASUME_TERRAFORMING_COUNTS_H
#include <stdint.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Write counts[i] - less[i], which is not negative, at most 255, for each i below n rounded up to 16; `less` may be
 * NULL. */
static inline void counts_pack(const int32_t *counts, const int32_t *less, int32_t n, uint8_t *out) {
#ifdef __SSE2__
  for (int32_t i = 0; i < n; i += 16) {
    __m128i found[4];
    for (int32_t k = 0; k < 4; k++) {
      found[k] = _mm_loadu_si128((const __m128i *)(counts + i) + k);
      if (less) found[k] = _mm_sub_epi32(found[k], _mm_loadu_si128((const __m128i *)(less + i) + k));
    }
    found[0] = _mm_packs_epi32(found[0], found[1]); /* 32,767 at most, then 255 */
    found[2] = _mm_packs_epi32(found[2], found[3]);
    _mm_storeu_si128((__m128i *)(out + i), _mm_packus_epi16(found[0], found[2]));
  }
#else
  for (int32_t i = 0; i < n; i++) {
    const int32_t count = counts[i] - (less ? less[i] : 0);
    out[i] = (uint8_t)(count > 255 ? 255 : count);
  }
#endif
}

/* Write worth[i] where lands[i] is `land`, else 0, for each i below n rounded up to 16. */
static inline void counts_keep(const uint8_t *worth, const uint8_t *lands, uint8_t land, int32_t n, uint8_t *out) {
#ifdef __SSE2__
  /* of a word: gcc stores a byte and loads a word for a vector of bytes, which waits for all earlier stores */
  const __m128i same = _mm_set1_epi32((int32_t)(land * 0x01010101u));
  for (int32_t i = 0; i < n; i += 16) {
    const __m128i found = _mm_cmpeq_epi8(_mm_loadu_si128((const __m128i *)(lands + i)), same);
    _mm_storeu_si128((__m128i *)(out + i), _mm_and_si128(found, _mm_loadu_si128((const __m128i *)(worth + i))));
  }
#else
  for (int32_t i = 0; i < n; i++) out[i] = lands[i] == land ? worth[i] : 0;
#endif
}
#endif
