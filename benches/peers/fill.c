/* The floor of observation planes: as many bytes are written, view after view. No position is looked at. */
#include <stdint.h>
#include <string.h>

int64_t fill(uint8_t *out, int64_t views, int64_t bytes) {
  for (int64_t i = 0; i < views; i++) memset(out + i * bytes, 1 + (int)(i & 1), (size_t)bytes);
  return views;
}
