// The only loops over blocks of data, so that all strategies are equal in this.
#include "runner.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace {

using Bytes = const unsigned char *;

uint64_t touch(Bytes bytes, size_t count, size_t first) {
    uint64_t total = 0;
    for (size_t at = first; at < count; at += CACHE_LINE) total += bytes[at];
    return total;
}

// In lanes of 16 bits, which compilers vectorise.
uint64_t plain_sum(Bytes bytes, size_t count) {
    uint64_t total = 0;
    for (; count >= 256; bytes += 256, count -= 256) {
        uint16_t lanes[16] = {};
        for (int row = 0; row < 16; row++)
            for (int lane = 0; lane < 16; lane++) lanes[lane] += bytes[16 * row + lane];
        for (uint16_t lane : lanes) total += lane;
    }
    for (size_t at = 0; at < count; at++) total += bytes[at];
    return total;
}

#if defined(__x86_64__)
// The processor's own sum of bytes, which compilers do not find by themselves.
__attribute__((target("avx2"))) uint64_t sum_avx2(Bytes bytes, size_t count) {
    const __m256i zero = _mm256_setzero_si256();
    __m256i a = zero, b = zero, c = zero, d = zero;
    for (; count >= 128; bytes += 128, count -= 128) {
        auto words = reinterpret_cast<const __m256i *>(bytes);
        a = _mm256_add_epi64(a, _mm256_sad_epu8(_mm256_loadu_si256(words), zero));
        b = _mm256_add_epi64(b, _mm256_sad_epu8(_mm256_loadu_si256(words + 1), zero));
        c = _mm256_add_epi64(c, _mm256_sad_epu8(_mm256_loadu_si256(words + 2), zero));
        d = _mm256_add_epi64(d, _mm256_sad_epu8(_mm256_loadu_si256(words + 3), zero));
    }
    uint64_t lanes[4];
    a = _mm256_add_epi64(_mm256_add_epi64(a, b), _mm256_add_epi64(c, d));
    _mm256_storeu_si256(reinterpret_cast<__m256i *>(lanes), a);
    return lanes[0] + lanes[1] + lanes[2] + lanes[3] + plain_sum(bytes, count);
}

uint64_t sum_sse2(Bytes bytes, size_t count) {
    const __m128i zero = _mm_setzero_si128();
    __m128i a = zero, b = zero;
    for (; count >= 32; bytes += 32, count -= 32) {
        auto words = reinterpret_cast<const __m128i *>(bytes);
        a = _mm_add_epi64(a, _mm_sad_epu8(_mm_loadu_si128(words), zero));
        b = _mm_add_epi64(b, _mm_sad_epu8(_mm_loadu_si128(words + 1), zero));
    }
    uint64_t lanes[2];
    _mm_storeu_si128(reinterpret_cast<__m128i *>(lanes), _mm_add_epi64(a, b));
    return lanes[0] + lanes[1] + plain_sum(bytes, count);
}

const auto sum = __builtin_cpu_supports("avx2") ? sum_avx2 : sum_sse2;
#else
const auto sum = plain_sum;
#endif

uint64_t consumed(const Tally *tally, const void *bytes, size_t count, uint64_t position) {
    auto data = static_cast<Bytes>(bytes);
    if (tally->kind == CONSUME_SUM) return sum(data, count);
    return tally->kind == CONSUME_TOUCH ? touch(data, count, -position & (CACHE_LINE - 1)) : 0;
}

} // namespace

void tally_block(Tally *tally, const void *bytes, size_t count) { tally_access(tally, bytes, count, tally->offset); }

void tally_access(Tally *tally, const void *bytes, size_t count, uint64_t position) {
    tally->sum += consumed(tally, bytes, count, position);
    tally->offset += count;
}
