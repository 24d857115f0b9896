// exp and cos as polynomials that compilers vectorise. A part of loops.cpp, compiled with it once for each instruction set; nobody else
// includes it.
#pragma once

#include <cstdint>
#include <cstring>

namespace hinge::HINGE_ISA {

namespace {

// exp(x) for x <= 0: x = k ln 2 + r with |r| <= ln 2 / 2, a polynomial for exp(r), and k put into the exponent bits.
inline float exp_of(float x) {
  x = x < -87.0f ? -87.0f : x;
  const float shifter = 12582912.0f;  // 1.5 * 2^23: adding it rounds to an integer that sits in the low bits
  const float shifted = x * 1.44269504088896341f + shifter;
  const float k = shifted - shifter;
  const float r = (x - k * 0.693145751953125f) - k * 1.42860682030941723e-6f;
  float p = 1.3888889e-3f;
  p = p * r + 8.3333337e-3f;
  p = p * r + 4.1666668e-2f;
  p = p * r + 1.6666667e-1f;
  p = p * r + 5.0e-1f;
  p = (p * r) * r + r;
  std::int32_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const std::int32_t scale_bits = (bits << 23) + 0x3f800000;
  float scale;
  std::memcpy(&scale, &scale_bits, sizeof scale);
  return p * scale + scale;
}

inline double exp_of(double x) {
  x = x < -708.0 ? -708.0 : x;
  const double shifter = 6755399441055744.0;  // 1.5 * 2^52
  const double shifted = x * 1.4426950408889634074 + shifter;
  const double k = shifted - shifter;
  const double r = (x - k * 6.93147180369123816490e-1) - k * 1.90821492927058770002e-10;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = (p * r) * r + r;
  std::int64_t bits;
  std::memcpy(&bits, &shifted, sizeof bits);
  const std::int64_t scale_bits = (bits << 52) + 0x3ff0000000000000;
  double scale;
  std::memcpy(&scale, &scale_bits, sizeof scale);
  return p * scale + scale;
}

// cos(x): x = k pi + r with |r| <= pi / 2, a polynomial for cos(r), and the sign of k's parity. Arguments too large for that, which have no
// digits left after the point anyway, give some value between -1 and 1.
inline float cos_of(float x) {
  const float shifter = 12582912.0f;
  const float shifted = x * 0.318309886183790672f + shifter;
  const float k = shifted - shifter;
  float r = ((x - k * 3.140625f) - k * 9.67502593994140625e-4f) - k * 1.509957990978376432e-7f;
  r = r > -1.6f ? r : -1.6f;  // NaN as well
  r = r < 1.6f ? r : 1.6f;
  const float square = r * r;
  float p = 1.0f / 479001600.0f;
  p = p * square - 1.0f / 3628800.0f;
  p = p * square + 1.0f / 40320.0f;
  p = p * square - 1.0f / 720.0f;
  p = p * square + 1.0f / 24.0f;
  p = p * square - 0.5f;
  p = p * square + 1.0f;
  std::uint32_t parity, bits;
  std::memcpy(&parity, &shifted, sizeof parity);
  std::memcpy(&bits, &p, sizeof bits);
  bits ^= parity << 31;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

inline double cos_of(double x) {
  const double shifter = 6755399441055744.0;
  const double shifted = x * 0.31830988618379067154 + shifter;
  const double k = shifted - shifter;
  double r = ((x - k * 3.1415926218032836914) - k * 3.1786509424591713469e-8) - k * 1.2246467991473532e-16;
  r = r > -1.6 ? r : -1.6;
  r = r < 1.6 ? r : 1.6;
  const double square = r * r;
  double p = 1.0 / 2432902008176640000.0;
  p = p * square - 1.0 / 6402373705728000.0;
  p = p * square + 1.0 / 20922789888000.0;
  p = p * square - 1.0 / 87178291200.0;
  p = p * square + 1.0 / 479001600.0;
  p = p * square - 1.0 / 3628800.0;
  p = p * square + 1.0 / 40320.0;
  p = p * square - 1.0 / 720.0;
  p = p * square + 1.0 / 24.0;
  p = p * square - 0.5;
  p = p * square + 1.0;
  std::uint64_t parity, bits;
  std::memcpy(&parity, &shifted, sizeof parity);
  std::memcpy(&bits, &p, sizeof bits);
  bits ^= parity << 63;
  std::memcpy(&p, &bits, sizeof p);
  return p;
}

}  // namespace

}  // namespace hinge::HINGE_ISA
