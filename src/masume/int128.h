/* 128-bit words: __int128, or _BitInt if a 32-bit compiler lacks it. MASUME_NO_INT128 simulates such a compiler. */
#ifndef MASUME_INT128_H
#define MASUME_INT128_H

#if defined(__SIZEOF_INT128__) && !defined(MASUME_NO_INT128)
__extension__ typedef unsigned __int128 masume_uint128;
#elif defined(__BITINT_MAXWIDTH__) && __BITINT_MAXWIDTH__ >= 128
__extension__ typedef unsigned _BitInt(128) masume_uint128;
#else
#error "masume: expected a compiler with __int128 or _BitInt(128), for example clang"
#endif
#endif
