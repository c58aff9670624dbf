/* In builds with AddressSanitizer, free and unused memory of the heap is poisoned, and a redzone lies
 * behind each block; in others these do nothing. */
#ifndef RELAY_SANITIZERS_H
#define RELAY_SANITIZERS_H

#ifdef __SANITIZE_ADDRESS__
void __asan_poison_memory_region(const volatile void *memory, __SIZE_TYPE__ bytes);
void __asan_unpoison_memory_region(const volatile void *memory, __SIZE_TYPE__ bytes);
#define REDZONE 64
#define POISON(memory, bytes) __asan_poison_memory_region(memory, bytes)
#define UNPOISON(memory, bytes) __asan_unpoison_memory_region(memory, bytes)
#else
#define REDZONE 0
#define POISON(memory, bytes) ((void)(memory), (void)(bytes))
#define UNPOISON(memory, bytes) ((void)(memory), (void)(bytes))
#endif

#endif
