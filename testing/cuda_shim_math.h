// The numbers of CUDA: bits, rounding, and functions, which are those of the C library.

#pragma once

template <class To, class From> static inline To vyre_shim_bits(From from)
{
    static_assert(sizeof(To) == sizeof(From), "a bit cast keeps the size");
    To to;
    __builtin_memcpy(&to, &from, sizeof(To));
    return to;
}

#define VYRE_CAST(NAME, TO, FROM)                                                           \
    static inline TO NAME(FROM value)                                                       \
    {                                                                                       \
        return vyre_shim_bits<TO>(value);                                                   \
    }
VYRE_CAST(__float_as_int, int, float)
VYRE_CAST(__float_as_uint, unsigned int, float)
VYRE_CAST(__int_as_float, float, int)
VYRE_CAST(__uint_as_float, float, unsigned int)
VYRE_CAST(__double_as_longlong, long long, double)
VYRE_CAST(__longlong_as_double, double, long long)

static inline int __popc(unsigned int value) { return __builtin_popcount(value); }
static inline int __popcll(unsigned long long value) { return __builtin_popcountll(value); }
static inline int __ffs(int value) { return __builtin_ffs(value); }
static inline int __ffsll(long long value) { return __builtin_ffsll(value); }
static inline int __clz(int value) { return value ? __builtin_clz(value) : 32; }
static inline int __clzll(long long value) { return value ? __builtin_clzll(value) : 64; }

static inline unsigned int __brev(unsigned int value)
{
    unsigned int result = 0;
    for (int bit = 0; bit < 32; ++bit)
        result |= (value >> bit & 1) << (31 - bit);
    return result;
}

static inline unsigned long long __brevll(unsigned long long value)
{
    const unsigned long long low = __brev(static_cast<unsigned int>(value));
    return low << 32 | __brev(static_cast<unsigned int>(value >> 32));
}

static inline int __mulhi(int a, int b)
{
    return static_cast<int>(static_cast<long long>(a) * b >> 32);
}
static inline unsigned int __umulhi(unsigned int a, unsigned int b)
{
    return static_cast<unsigned int>(static_cast<unsigned long long>(a) * b >> 32);
}
static inline long long __mul64hi(long long a, long long b)
{
    return static_cast<long long>(static_cast<__int128>(a) * b >> 64);
}
static inline unsigned long long __umul64hi(unsigned long long a, unsigned long long b)
{
    return static_cast<unsigned long long>(static_cast<unsigned __int128>(a) * b >> 64);
}

// Conversions towards zero are those of PTX: too large is the nearest, and NaN is 0 in 32
// bits, 2^63 in 64.
#define VYRE_TO_INTEGER(NAME, FROM, TO, LOW, HIGH, LEAST, MOST, NAN_IS)                     \
    static inline TO NAME(FROM value)                                                       \
    {                                                                                       \
        if (value != value)                                                                 \
            return NAN_IS;                                                                  \
        return value <= LOW ? LEAST : value >= HIGH ? MOST : static_cast<TO>(value);        \
    }
#define VYRE_TO_INTEGERS(OF, FROM)                                                          \
    VYRE_TO_INTEGER(__##OF##2int_rz, FROM, int, -0x1p31, 0x1p31, -__INT_MAX__ - 1,          \
                    __INT_MAX__, 0)                                                         \
    VYRE_TO_INTEGER(__##OF##2uint_rz, FROM, unsigned int, 0, 0x1p32, 0, ~0u, 0)             \
    VYRE_TO_INTEGER(__##OF##2ll_rz, FROM, long long, -0x1p63, 0x1p63,                       \
                    -__LONG_LONG_MAX__ - 1, __LONG_LONG_MAX__, -__LONG_LONG_MAX__ - 1)      \
    VYRE_TO_INTEGER(__##OF##2ull_rz, FROM, unsigned long long, 0, 0x1p64, 0, ~0ull,         \
                    1ull << 63)
VYRE_TO_INTEGERS(float, float)
VYRE_TO_INTEGERS(double, double)

static inline float __int2float_rn(int value) { return static_cast<float>(value); }
static inline float __uint2float_rn(unsigned int value) { return static_cast<float>(value); }
static inline float __ll2float_rn(long long value) { return static_cast<float>(value); }
static inline float __ull2float_rn(unsigned long long value)
{
    return static_cast<float>(value);
}
static inline double __ll2double_rn(long long value) { return static_cast<double>(value); }
static inline double __ull2double_rn(unsigned long long value)
{
    return static_cast<double>(value);
}
static inline float __double2float_rn(double value) { return static_cast<float>(value); }

static inline float __fadd_rn(float a, float b) { return a + b; }
static inline float __fsub_rn(float a, float b) { return a - b; }
static inline float __fmul_rn(float a, float b) { return a * b; }
static inline float __fdiv_rn(float a, float b) { return a / b; }
static inline float __frcp_rn(float a) { return 1.0f / a; }
static inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }
static inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
static inline double __dadd_rn(double a, double b) { return a + b; }
static inline double __dsub_rn(double a, double b) { return a - b; }
static inline double __dmul_rn(double a, double b) { return a * b; }
static inline double __ddiv_rn(double a, double b) { return a / b; }
static inline double __drcp_rn(double a) { return 1.0 / a; }
static inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
static inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }

#define VYRE_MIN_MAX(TYPE)                                                                  \
    static inline TYPE min(TYPE a, TYPE b) { return b < a ? b : a; }                        \
    static inline TYPE max(TYPE a, TYPE b) { return a < b ? b : a; }
VYRE_MIN_MAX(int)
VYRE_MIN_MAX(unsigned int)
VYRE_MIN_MAX(long long)
VYRE_MIN_MAX(unsigned long long)

#define VYRE_MATH_1(NAME)                                                                   \
    extern "C" double NAME(double) noexcept;                                                \
    extern "C" float NAME##f(float) noexcept;                                               \
    static inline float NAME(float a) { return NAME##f(a); }
#define VYRE_MATH_2(NAME)                                                                   \
    extern "C" double NAME(double, double) noexcept;                                        \
    extern "C" float NAME##f(float, float) noexcept;                                        \
    static inline float NAME(float a, float b) { return NAME##f(a, b); }
VYRE_MATH_1(acos)
VYRE_MATH_1(acosh)
VYRE_MATH_1(asin)
VYRE_MATH_1(asinh)
VYRE_MATH_1(atan)
VYRE_MATH_1(atanh)
VYRE_MATH_1(cbrt)
VYRE_MATH_1(ceil)
VYRE_MATH_1(cos)
VYRE_MATH_1(cosh)
VYRE_MATH_1(erf)
VYRE_MATH_1(erfc)
VYRE_MATH_1(exp)
VYRE_MATH_1(exp2)
VYRE_MATH_1(expm1)
VYRE_MATH_1(fabs)
VYRE_MATH_1(floor)
VYRE_MATH_1(log)
VYRE_MATH_1(log10)
VYRE_MATH_1(log1p)
VYRE_MATH_1(log2)
VYRE_MATH_1(nearbyint)
VYRE_MATH_1(rint)
VYRE_MATH_1(round)
VYRE_MATH_1(sin)
VYRE_MATH_1(sinh)
VYRE_MATH_1(sqrt)
VYRE_MATH_1(tan)
VYRE_MATH_1(tanh)
VYRE_MATH_1(trunc)
VYRE_MATH_2(atan2)
VYRE_MATH_2(copysign)
VYRE_MATH_2(fmax)
VYRE_MATH_2(fmin)
VYRE_MATH_2(fmod)
VYRE_MATH_2(pow)
extern "C" double fma(double, double, double) noexcept;
extern "C" float fmaf(float, float, float) noexcept;
static inline float fma(float a, float b, float c) { return fmaf(a, b, c); }
static inline double rsqrt(double a) { return 1.0 / __builtin_sqrt(a); }
static inline float rsqrtf(float a) { return 1.0f / __builtin_sqrtf(a); }
#define isnan(value) __builtin_isnan(value)
#define isinf(value) __builtin_isinf(value)
#define isfinite(value) __builtin_isfinite(value)
#define signbit(value) __builtin_signbit(value)
