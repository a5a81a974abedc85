/* glibc 2.34 changed the version of some functions without changing the functions. Request the version that older
 * systems also have, so that a wheel built on a new system runs on them. Include after a header of the C library. */
#ifndef MASUME_GLIBC_H
#define MASUME_GLIBC_H
#ifdef __GLIBC__
#if defined(__x86_64__)
#define MASUME_OLDEST "GLIBC_2.2.5"
#elif defined(__aarch64__)
#define MASUME_OLDEST "GLIBC_2.17"
#endif
#endif
#ifdef MASUME_OLDEST
__asm__(".symver pthread_create,pthread_create@" MASUME_OLDEST);
__asm__(".symver pthread_join,pthread_join@" MASUME_OLDEST);
#endif
#endif
