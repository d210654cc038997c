// What instructions that approximate a function of f32 may give, as badly as PTX allows.
#pragma once

namespace simulator {

/// 2^x, off by up to 2^-22 of it; subnormal arguments are taken for zero, and subnormal results are zero
/// (PTX: 9.7.3, ex2.approx.ftz).
float approximateExp2(float x);
/// Off by up to 2^-11 of it (PTX: 9.7.3, tanh.approx).
float approximateTanh(float x);
/// a / b, off by up to two units in the last place (PTX: 9.7.3, div.full).
float approximateQuotient(float a, float b);
/// The same by the reciprocal of b. Divisors above 2^126 are taken for infinite, where an infinite a gives
/// NaN; subnormal numbers are zero (PTX: 9.7.3, div.approx.ftz).
float approximateFastQuotient(float a, float b);

} // namespace simulator
