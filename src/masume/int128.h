/* Words of 128 bits: __int128, or _BitInt where a compiler for 32 bits lacks it. MASUME_NO_INT128 stands for such a one. */
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
