/* The floor of observation planes: writes the same number of bytes, view after view, without reading a position. */
#include <stdint.h>
#include <string.h>

int64_t fill(uint8_t *out, int64_t views, int64_t bytes) {
  for (int64_t i = 0; i < views; i++) memset(out + i * bytes, 1 + (int)(i & 1), (size_t)bytes);
  return views;
}
