// Leading eigenpairs of Gram matrices: tridiagonal form, bisection, inverse iteration, as on the CPU
// (see eigen.py there for the sources).
//
// Compiled for matrices of WIDTH rows and RANK pairs; rows beyond a context's words are zeros. What
// one thread cannot hold in registers would go through memory again and again, so a matrix is made
// tridiagonal by several threads, and everything after that, which is small, by one. Loops are
// unrolled: only arrays whose places are known beforehand stay in registers. Gram matrices that were
// summed in single precision are solved in single precision, but for the bisection.

#define TRIANGLE(i, j) ((i) * ((i) + 1) / 2 + (j))
#define N_PAIRS TRIANGLE(WIDTH, 0)
#define FULL_WARP 0xffffffffu

#if WIDTH <= 20
#define LANES 4
#else
#define LANES 8
#endif
#define OWN ((WIDTH + LANES - 1) / LANES)        // rows that a lane holds: lane, lane + LANES, ...
#define REDUCE_THREADS 128
#define SOLVE_THREADS 64

#define BISECTIONS 60
#define BISECTION_WIDTH 9.313225746154785e-10    // 2^-30 of the eigenvalue
#define NEGLIGIBLE 1.4210854715202004e-14        // 2^-46 of the trace
#define INVERSE_ITERATIONS 3

// ---------------------------------------------------------------------------------------------
// Tridiagonal form

template <typename Real> __device__ __forceinline__ Real sum_over_lanes(Real value)
{
    for (int step = LANES / 2; step > 0; step /= 2)
        value += __shfl_xor_sync(FULL_WARP, value, step);
    return value;
}

// all[j] for j >= from: what the lane that holds row j has of its own.
template <typename Real>
__device__ __forceinline__ void share_rows(const Real *own, int from, Real *all)
{
    const int base = threadIdx.x & 31 & ~(LANES - 1);
#pragma unroll
    for (int j = 0; j < WIDTH; j++)
        if (j >= from) all[j] = __shfl_sync(FULL_WARP, own[j / LANES], base + j % LANES);
}

// Divide a matrix by a power of two, so that its trace is at most 1 and more than a quarter: matrices
// of all sizes go the same way.
template <typename Real>
__device__ __forceinline__ void scale_rows(Real (*a)[WIDTH], double trace)
{
    const bool usable = trace - trace == 0.0 && trace > 0.0;
    const Real scale = usable ? (Real)ldexp(1.0, -ilogb(trace) - 1) : (Real)1;
#pragma unroll
    for (int r = 0; r < OWN; r++)
#pragma unroll
        for (int j = 0; j < WIDTH; j++) a[r][j] *= scale;
}

// One step of Householder's reduction: makes column k tridiagonal. Writes its reflector to
// reduced[TRIANGLE(i, k) * count + context] for i > k + 1, its factor, and what stands beside the
// diagonal.
template <typename Real>
__device__ __forceinline__ void reduce_column(
    Real (*a)[WIDTH], int k, int lane, int count, int context, Real *reduced, Real *taus)
{
    const int base = threadIdx.x & 31 & ~(LANES - 1);
    const bool there = context < count;
    Real own[OWN], product[OWN], v[WIDTH], w[WIDTH], s = 0;
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        own[r] = r * LANES + lane > k + 1 ? a[r][k] : (Real)0;
        s += own[r] * own[r];
    }
    s = sum_over_lanes(s);
    const Real alpha = __shfl_sync(FULL_WARP, a[(k + 1) / LANES][k], base + (k + 1) % LANES);
    const Real norm = sqrt(alpha * alpha + s);
    const Real beta = alpha > 0 ? -norm : norm;  // the sign that cancels no digits
    const bool turned = s > 0;
    const Real tau = turned ? (beta - alpha) / beta : (Real)0;
    const Real scale = turned ? 1 / (alpha - beta) : (Real)0;
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        const int i = r * LANES + lane;
        own[r] = i == k + 1 ? (Real)1 : own[r] * scale;
        if (there && i > k + 1 && i < WIDTH)
            reduced[(long long)TRIANGLE(i, k) * count + context] = own[r];
    }
    if (there && lane == 0) {
        reduced[(long long)TRIANGLE(k + 1, k) * count + context] = turned ? beta : alpha;
        taus[(long long)k * count + context] = tau;
    }
    share_rows(own, k + 1, v);
    Real along = 0;
#pragma unroll
    for (int r = 0; r < OWN; r++) {
        product[r] = 0;
#pragma unroll
        for (int j = 0; j < WIDTH; j++)
            if (j > k) product[r] += a[r][j] * v[j];
        along += product[r] * own[r];
    }
    const Real half = tau * sum_over_lanes(along) / 2;
#pragma unroll
    for (int r = 0; r < OWN; r++)
        product[r] = r * LANES + lane > k ? tau * (product[r] - half * own[r]) : (Real)0;
    share_rows(product, k + 1, w);
#pragma unroll
    for (int r = 0; r < OWN; r++)
        if (r * LANES + LANES - 1 > k)
#pragma unroll
            for (int j = 0; j < WIDTH; j++)
                if (j > k) a[r][j] -= own[r] * w[j] + product[r] * v[j];
}

// Writes reduced[TRIANGLE(i, j) * count + context]: the diagonal, the one below it, and under these
// the reflectors, whose factors are taus[k * count + context].
template <typename Real>
__device__ __forceinline__ void reduce_rows(
    Real (*a)[WIDTH], int lane, int count, int context, Real *reduced, Real *taus)
{
    if constexpr (sizeof(Real) == 4) {
#pragma unroll
        for (int k = 0; k < WIDTH - 2; k++)
            reduce_column(a, k, lane, count, context, reduced, taus);
    } else {  // too large for registers in any case
#pragma unroll 1
        for (int k = 0; k < WIDTH - 2; k++)
            reduce_column(a, k, lane, count, context, reduced, taus);
    }
    const bool there = context < count;
#pragma unroll
    for (int i = 0; i < WIDTH; i++)
        if (there && i % LANES == lane) {
            reduced[(long long)TRIANGLE(i, i) * count + context] = a[i / LANES][i];
            if (i == WIDTH - 1)
                reduced[(long long)TRIANGLE(i, i - 1) * count + context] = a[i / LANES][i - 1];
        }
}

// Of windows of running text, from the band; a window with fewer than `fewest` words counts as empty.
// Threads beyond the last context go along, because lanes wait for each other.
extern "C" __global__ void __launch_bounds__(REDUCE_THREADS, 3) reduce_windows(
    const float *band, int n_kept, const int *firsts, const int *ends, const int *centres, int count,
    int fewest, float *reduced, float *taus, int *sizes, double *totals)
{
    const int context = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    int first = 0, centre = 0, n_words = 0;
    if (context < count) {
        first = firsts[context];
        centre = centres[context];
        n_words = ends[context] - first - (centre <= WIDTH);
        if (n_words < fewest) n_words = 0;
    }
    float a[OWN][WIDTH];
    double trace = 0.0;
#pragma unroll
    for (int r = 0; r < OWN; r++)
#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const int i = r * LANES + lane, high = i > j ? i : j, low = i > j ? j : i;
            const int to = high + (high >= centre), from = low + (low >= centre);
            a[r][j] = high < n_words ? band[(long long)(to - from) * n_kept + first + from] : 0.0f;
            if (i == j) trace += a[r][j];
        }
    trace = sum_over_lanes(trace);
    scale_rows(a, trace);
    if (context < count && lane == 0) {
        totals[context] = trace;
        sizes[context] = n_words;
    }
    reduce_rows(a, lane, count, context, reduced, taus);
}

// Of Gram matrices grams[TRIANGLE(i, j) * count + context].
template <typename Real>
__device__ __forceinline__ void reduce_grams(
    const Real *grams, int count, Real *reduced, Real *taus, double *totals)
{
    const int context = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    Real a[OWN][WIDTH];
    double trace = 0.0;
#pragma unroll
    for (int r = 0; r < OWN; r++)
#pragma unroll
        for (int j = 0; j < WIDTH; j++) {
            const int i = r * LANES + lane, high = i > j ? i : j, low = i > j ? j : i;
            const bool there = context < count && high < WIDTH;
            a[r][j] = there ? grams[(long long)TRIANGLE(high, low) * count + context] : (Real)0;
            if (i == j) trace += a[r][j];
        }
    trace = sum_over_lanes(trace);
    scale_rows(a, trace);
    if (context < count && lane == 0) totals[context] = trace;
    reduce_rows(a, lane, count, context, reduced, taus);
}

extern "C" __global__ void __launch_bounds__(REDUCE_THREADS, 3) reduce_single(
    const float *grams, int count, float *reduced, float *taus, double *totals)
{
    reduce_grams(grams, count, reduced, taus, totals);
}

extern "C" __global__ void __launch_bounds__(REDUCE_THREADS) reduce_double(
    const double *grams, int count, double *reduced, double *taus, double *totals)
{
    reduce_grams(grams, count, reduced, taus, totals);
}

// ---------------------------------------------------------------------------------------------
// Eigenpairs of the tridiagonal form, a thread a matrix

// The RANK largest eigenvalues. The leading principal minors of T - x I change their sign as often
// as T has eigenvalues below x (Sturm); they need no division. T has a trace of at most 1, so
// that they do not overflow.
template <typename Real>
__device__ __forceinline__ void bisect_eigenvalues(
    const Real *diagonal, const Real *off, double *values)
{
    double low[RANK], high[RANK], squares[WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH; i++) squares[i] = (double)off[i] * off[i];
#pragma unroll
    for (int n = 0; n < RANK; n++) {
        low[n] = 0.0;
        high[n] = (1.0 + 9.1e-13) / (n + 1);  // n + 1 eigenvalues are at least as large
    }
    for (int step = 0; step < BISECTIONS; step++) {
        bool done = true;
        double middle[RANK], minor[RANK], before[RANK];
        int above[RANK];
#pragma unroll
        for (int n = 0; n < RANK; n++) {
            done &= high[n] - low[n] <= BISECTION_WIDTH * low[n] + NEGLIGIBLE;
            middle[n] = 0.5 * (low[n] + high[n]);
            minor[n] = diagonal[0] - middle[n];
            before[n] = 1.0;
            above[n] = minor[n] > 0.0;
        }
        if (done) break;
#pragma unroll
        for (int i = 1; i < WIDTH; i++)
#pragma unroll
            for (int n = 0; n < RANK; n++) {
                const double next = (diagonal[i] - middle[n]) * minor[n] - squares[i - 1] * before[n];
                above[n] += (next > 0.0) == (minor[n] > 0.0);
                before[n] = minor[n];
                minor[n] = next;
            }
#pragma unroll
        for (int n = 0; n < RANK; n++) {
            if (above[n] > n) low[n] = middle[n];
            else high[n] = middle[n];
        }
    }
#pragma unroll
    for (int n = 0; n < RANK; n++) values[n] = 0.5 * (low[n] + high[n]);
}

template <typename Real> struct Factors {
    Real multiplier[WIDTH], inverse[WIDTH], first[WIDTH], second[WIDTH];
    unsigned swaps;
};

// LU factors, with row exchanges, of T - shift I.
template <typename Real>
__device__ __forceinline__ void factorise_shifted(
    const Real *diagonal, const Real *off, double shift, Factors<Real> &f)
{
    const Real floor = sizeof(Real) == 4 ? (Real)1.1920928955078125e-07 : (Real)2.220446049250313e-16;
    Real p = (Real)(diagonal[0] - shift), q = off[0];
    f.swaps = 0;
#pragma unroll
    for (int i = 0; i < WIDTH - 1; i++) {
        const Real e = off[i], d = (Real)(diagonal[i + 1] - shift);
        const Real following = i + 1 < WIDTH - 1 ? off[i + 1] : (Real)0;
        const bool swap = fabs(e) > fabs(p);
        Real pivot = swap ? e : p;
        pivot = fabs(pivot) < floor ? floor : pivot;
        const Real inverse = 1 / pivot, multiplier = (swap ? p : e) * inverse;
        f.multiplier[i] = multiplier;
        f.swaps |= (unsigned)swap << i;
        f.inverse[i] = inverse;
        f.first[i] = swap ? d : q;
        f.second[i] = swap ? following : (Real)0;
        p = swap ? q - multiplier * d : d - multiplier * q;
        q = swap ? -multiplier * following : following;
    }
    f.inverse[WIDTH - 1] = 1 / (fabs(p) < floor ? floor : p);
}

template <typename Real>
__device__ __forceinline__ void solve_factorised(const Factors<Real> &f, Real *x)
{
#pragma unroll
    for (int i = 0; i < WIDTH - 1; i++) {
        const bool swap = f.swaps >> i & 1;
        const Real first = swap ? x[i + 1] : x[i], second = swap ? x[i] : x[i + 1];
        x[i] = first;
        x[i + 1] = second - f.multiplier[i] * first;
    }
    x[WIDTH - 1] *= f.inverse[WIDTH - 1];
    x[WIDTH - 2] = (x[WIDTH - 2] - f.first[WIDTH - 2] * x[WIDTH - 1]) * f.inverse[WIDTH - 2];
#pragma unroll
    for (int i = WIDTH - 3; i >= 0; i--)
        x[i] = (x[i] - f.first[i] * x[i + 1] - f.second[i] * x[i + 2]) * f.inverse[i];
}

// Take the earlier vectors out of x, and scale it to unit length.
template <typename Real>
__device__ __forceinline__ void orthonormalise(const Real (*vectors)[WIDTH], int n, Real *x)
{
    Real largest = (Real)1e-30, square = (Real)1e-30;
#pragma unroll
    for (int i = 0; i < WIDTH; i++) largest = fmax(largest, fabs(x[i]));
    const Real scale = 1 / largest;
#pragma unroll
    for (int i = 0; i < WIDTH; i++) x[i] *= scale;
#pragma unroll
    for (int earlier = 0; earlier < n; earlier++) {
        Real product = 0;
#pragma unroll
        for (int i = 0; i < WIDTH; i++) product += vectors[earlier][i] * x[i];
#pragma unroll
        for (int i = 0; i < WIDTH; i++) x[i] -= product * vectors[earlier][i];
    }
#pragma unroll
    for (int i = 0; i < WIDTH; i++) square += x[i] * x[i];
    const Real inverse = 1 / sqrt(square);
#pragma unroll
    for (int i = 0; i < WIDTH; i++) x[i] *= inverse;
}

// Eigenpairs of the tridiagonal form; values are those of the bisection, made better.
template <typename Real>
__device__ __forceinline__ void find_tridiagonal_pairs(
    const Real *diagonal, const Real *off, double *values, Real (*vectors)[WIDTH])
{
    bisect_eigenvalues(diagonal, off, values);
#pragma unroll
    for (int n = 0; n < RANK; n++) {
        Factors<Real> f;
        Real x[WIDTH];
        factorise_shifted(diagonal, off, values[n], f);
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            const double start = (i + 1) * (n + 1) * 0.6180339887498949 + 0.25 * n;
            x[i] = (Real)(start - (long long)start - 0.4142);
        }
#pragma unroll 1
        for (int again = 0; again < INVERSE_ITERATIONS; again++) {
            solve_factorised(f, x);
            orthonormalise(vectors, n, x);
        }
        double value = 0.0, square = 0.0;  // of the Rayleigh quotient
#pragma unroll
        for (int i = 0; i < WIDTH; i++) {
            value += (double)diagonal[i] * x[i] * x[i];
            if (i + 1 < WIDTH) value += 2.0 * off[i] * x[i] * x[i + 1];
            square += (double)x[i] * x[i];
            vectors[n][i] = x[i];
        }
        values[n] = fmax(value / square, 0.0);
    }
}

// Apply the reflectors: eigenvectors of the tridiagonal form become those of the matrix.
template <typename Real>
__device__ __forceinline__ void turn_back(
    const Real *reduced, const Real *taus, int count, int context, Real (*vectors)[WIDTH])
{
#pragma unroll
    for (int k = WIDTH - 3; k >= 0; k--) {
        Real reflector[WIDTH], products[RANK];
        reflector[k + 1] = 1;
#pragma unroll
        for (int i = k + 2; i < WIDTH; i++)
            reflector[i] = reduced[(long long)TRIANGLE(i, k) * count + context];
        const Real tau = taus[(long long)k * count + context];
#pragma unroll
        for (int n = 0; n < RANK; n++) {
            products[n] = 0;
#pragma unroll
            for (int i = k + 1; i < WIDTH; i++) products[n] += reflector[i] * vectors[n][i];
            products[n] *= tau;
#pragma unroll
            for (int i = k + 1; i < WIDTH; i++) vectors[n][i] -= products[n] * reflector[i];
        }
    }
}

// What counts as dependent, and what single precision cannot tell (poor), as on the CPU. Writes
// coefficients[(n * WIDTH + i) * count + context] = c_i / sigma_n, values[n * count + context]; an
// empty context has values of 0 and nothing else.
template <typename Real>
__device__ __forceinline__ void solve_reduced(
    const Real *reduced, const Real *taus, const int *sizes, const double *totals, int count,
    double tolerance, float *coefficients, double *values, unsigned char *poor)
{
    const int context = blockIdx.x * blockDim.x + threadIdx.x;
    if (context >= count) return;
    const int n_words = sizes[context];
    const double trace = totals[context];
    const bool usable = trace - trace == 0.0 && trace > 0.0;
    if (n_words < 1) {
        for (int n = 0; n < RANK; n++) values[(long long)n * count + context] = 0.0;
        poor[context] = 0;
        return;
    }
    double found[RANK];
    Real diagonal[WIDTH], off[WIDTH], vectors[RANK][WIDTH];
#pragma unroll
    for (int i = 0; i < WIDTH; i++) {
        diagonal[i] = usable ? reduced[(long long)TRIANGLE(i, i) * count + context] : (Real)0;
        const bool inside = usable && i + 1 < WIDTH;
        off[i] = inside ? reduced[(long long)TRIANGLE(i + 1, i) * count + context] : (Real)0;
    }
    find_tridiagonal_pairs(diagonal, off, found, vectors);
    turn_back(reduced, taus, count, context, vectors);
    const double unit = usable ? ldexp(1.0, ilogb(trace) + 1) : 0.0, largest = found[0];
    double smallest = 0.0;
#pragma unroll
    for (int n = 0; n < RANK; n++)
        if (n < n_words) smallest = found[n];
    const bool good = smallest > 1e-2 * largest && trace > 1e-25 && trace < 1e25;
    poor[context] = !good;
    bool used = usable;
#pragma unroll
    for (int n = 0; n < RANK; n++) {
        used = used && n < n_words && found[n] > tolerance * largest;
        const double inverse = used ? 1.0 / sqrt(found[n] * unit) : 0.0;
        values[(long long)n * count + context] = used ? found[n] * unit : 0.0;
#pragma unroll
        for (int i = 0; i < WIDTH; i++)
            coefficients[((long long)n * WIDTH + i) * count + context] =
                used ? (float)(vectors[n][i] * inverse) : 0.0f;
    }
}

extern "C" __global__ void __launch_bounds__(SOLVE_THREADS) solve_single(
    const float *reduced, const float *taus, const int *sizes, const double *totals, int count,
    double tolerance, float *coefficients, double *values, unsigned char *poor)
{
    solve_reduced(reduced, taus, sizes, totals, count, tolerance, coefficients, values, poor);
}

extern "C" __global__ void __launch_bounds__(SOLVE_THREADS) solve_double(
    const double *reduced, const double *taus, const int *sizes, const double *totals, int count,
    double tolerance, float *coefficients, double *values, unsigned char *poor)
{
    solve_reduced(reduced, taus, sizes, totals, count, tolerance, coefficients, values, poor);
}
