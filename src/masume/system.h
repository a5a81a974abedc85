/* Differences between systems: threads, locks, processes, the clock and aligned memory. */
#ifndef MASUME_SYSTEM_H
#define MASUME_SYSTEM_H
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#if UINTPTR_MAX < UINT64_MAX
#error "masume: expected a 64-bit target, got a 32-bit one"
#elif __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
#error "masume: expected a little-endian target, got a big-endian one"
#endif

#define SYSTEM_ALIGNMENT 64 /* a cache line */

#ifdef _WIN32
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#include <malloc.h>

typedef HANDLE system_thread;
typedef SRWLOCK system_lock;
typedef CONDITION_VARIABLE system_signal;
typedef DWORD system_result; /* a thread's return value: 0 */

/* Start fn(argument) on a new thread; return nonzero if the system refuses. */
static inline int system_thread_start(system_thread *thread, system_result (*fn)(void *), void *argument) {
  *thread = CreateThread(NULL, 0, fn, argument, 0, NULL);
  return !*thread;
}

/* Wait until the thread has returned. */
static inline void system_thread_join(system_thread thread) {
  WaitForSingleObject(thread, INFINITE);
  CloseHandle(thread);
}

static inline void system_yield(void) { SwitchToThread(); }

static inline void system_lock_init(system_lock *lock) { InitializeSRWLock(lock); }
static inline void system_lock_free(system_lock *lock) { (void)lock; }
static inline void system_lock_take(system_lock *lock) { AcquireSRWLockExclusive(lock); }
static inline void system_lock_give(system_lock *lock) { ReleaseSRWLockExclusive(lock); }

static inline void system_signal_init(system_signal *signal) { InitializeConditionVariable(signal); }
static inline void system_signal_free(system_signal *signal) { (void)signal; }
static inline void system_signal_all(system_signal *signal) { WakeAllConditionVariable(signal); }

/* Release the lock, sleep until signalled (or spuriously woken), take the lock again. */
static inline void system_signal_wait(system_signal *signal, system_lock *lock) {
  SleepConditionVariableSRW(signal, lock, INFINITE, 0);
}

/* A positive number that differs between a process and its forked children: nothing forks here. */
static inline int32_t system_process(void) { return 1; }

/* Nanoseconds of a monotonic clock. */
static inline double system_now_ns(void) {
  LARGE_INTEGER now, each_second;
  QueryPerformanceCounter(&now);
  QueryPerformanceFrequency(&each_second);
  return (double)now.QuadPart * (1e9 / (double)each_second.QuadPart);
}

/* Memory aligned to SYSTEM_ALIGNMENT, to be freed by system_free; NULL if there is none. */
static inline void *system_alloc(size_t size) { return _aligned_malloc(size, SYSTEM_ALIGNMENT); }
static inline void system_free(void *memory) { _aligned_free(memory); }

#else
#include <pthread.h>
#include <sched.h>
#include <time.h>
#include <unistd.h>

typedef pthread_t system_thread;
typedef pthread_mutex_t system_lock;
typedef pthread_cond_t system_signal;
typedef void *system_result;

static inline int system_thread_start(system_thread *thread, system_result (*fn)(void *), void *argument) {
  return pthread_create(thread, NULL, fn, argument);
}

static inline void system_thread_join(system_thread thread) { pthread_join(thread, NULL); }
static inline void system_yield(void) { sched_yield(); }

static inline void system_lock_init(system_lock *lock) { pthread_mutex_init(lock, NULL); }
static inline void system_lock_free(system_lock *lock) { pthread_mutex_destroy(lock); }
static inline void system_lock_take(system_lock *lock) { pthread_mutex_lock(lock); }
static inline void system_lock_give(system_lock *lock) { pthread_mutex_unlock(lock); }

static inline void system_signal_init(system_signal *signal) { pthread_cond_init(signal, NULL); }
static inline void system_signal_free(system_signal *signal) { pthread_cond_destroy(signal); }
static inline void system_signal_all(system_signal *signal) { pthread_cond_broadcast(signal); }
static inline void system_signal_wait(system_signal *signal, system_lock *lock) { pthread_cond_wait(signal, lock); }

static inline int32_t system_process(void) { return getpid(); }

static inline double system_now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

static inline void *system_alloc(size_t size) {
  void *memory;
  return posix_memalign(&memory, SYSTEM_ALIGNMENT, size) ? NULL : memory;
}

static inline void system_free(void *memory) { free(memory); }
#endif
#endif
