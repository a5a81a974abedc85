/* Writes that pass the caches by: of more than they hold, read later, if at all. */
#ifndef MASUME_STREAM_H
#define MASUME_STREAM_H
#include <stdint.h>
#include <string.h>
#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Copy bytes. A processor reads no line of the cache that is written whole, and keeps none. */
static inline void stream_copy(void *out, const void *bytes, int64_t size) {
#ifdef __SSE2__
  char *to = out;
  const char *from = bytes;
  int64_t done = -(intptr_t)to & 63;
  if (done > size) done = size;
  memcpy(to, from, (size_t)done);
  for (; done + 64 <= size; done += 64)
    for (int64_t k = done; k < done + 64; k += 16)
      _mm_stream_si128((__m128i *)(to + k), _mm_loadu_si128((const __m128i *)(from + k)));
  memcpy(to + done, from + done, (size_t)(size - done));
  _mm_sfence(); /* before another thread reads them */
#else
  memcpy(out, bytes, (size_t)size);
#endif
}
#endif
