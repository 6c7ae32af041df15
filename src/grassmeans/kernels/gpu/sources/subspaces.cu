// Subspaces of contexts: Gram matrices, their leading eigenpairs, and what is made of these.
//
// Compiled for one shape: WIDTH words a context at most, RANK eigenpairs, ROW4 float4 a row of the
// vectors (rows are filled up with zeros). Contexts come as ids (n, WIDTH) with -1 for padding, or
// as windows of running text.

#define TRIANGLE(i, j) ((i) * ((i) + 1) / 2 + (j))
#define N_PAIRS TRIANGLE(WIDTH, 0)
#define ENTRY(i, j) a[TRIANGLE(i, j)]
#define FULL_WARP 0xffffffffu
#define PARTS ((ROW4 + 31) / 32)

// Word j of a context of running text: the occurrence itself is no part of it.
__device__ __forceinline__ int word_of_window(const int *kept_rows, int first, int centre, int j)
{
    return kept_rows[first + j + (j >= centre)];
}

__device__ __forceinline__ float sum_over_warp(float value)
{
    for (int step = 16; step > 0; step /= 2) value += __shfl_xor_sync(FULL_WARP, value, step);
    return value;
}

__device__ __forceinline__ float dot(float4 a, float4 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, a.w * b.w)));
}

// ---------------------------------------------------------------------------------------------
// Inner products

#define BAND_ROWS 64
#define BAND_COLUMNS ((WIDTH + 1 + 3) / 4)       // groups of four words that a group of four meets
#define BAND_GROUPS (BAND_ROWS / 4)
#define BAND_TILE (BAND_ROWS + 4 * (BAND_COLUMNS + 1))
#define BAND_DIMS 8                              // float4 of each row that are on chip at a time
#define BAND_STRIDE (BAND_DIMS + 1)              // odd: rows begin in different banks

// band[o * n_kept + i] = <x_i, x_(i+o)> for o = 0 .. WIDTH, of the words of running text.
// A block takes 64 words; a thread four of them against four that follow.
extern "C" __global__ void multiply_band(
    const float4 *vectors, const int *kept_rows, int n_kept, float *band)
{
    __shared__ float4 tile[BAND_TILE * BAND_STRIDE];
    __shared__ int rows[BAND_TILE];
    const int start = blockIdx.x * BAND_ROWS;
    const int group = threadIdx.x % BAND_GROUPS, column = threadIdx.x / BAND_GROUPS;
    for (int i = threadIdx.x; i < BAND_TILE; i += blockDim.x)
        rows[i] = start + i < n_kept ? kept_rows[start + i] : -1;
    float sums[4][4];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sums[a][b] = 0.0f;
    for (int first = 0; first < ROW4; first += BAND_DIMS) {
        __syncthreads();
        for (int i = threadIdx.x; i < BAND_TILE * BAND_DIMS; i += blockDim.x) {
            const int row = rows[i / BAND_DIMS], d = first + i % BAND_DIMS;
            const bool there = row >= 0 && d < ROW4;
            tile[(i / BAND_DIMS) * BAND_STRIDE + i % BAND_DIMS] =
                there ? vectors[(long long)row * ROW4 + d] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();
        for (int d = 0; d < BAND_DIMS; d++) {
            float4 x[4], y[4];
            for (int a = 0; a < 4; a++) x[a] = tile[(4 * group + a) * BAND_STRIDE + d];
            for (int b = 0; b < 4; b++) y[b] = tile[(4 * (group + column) + b) * BAND_STRIDE + d];
            for (int a = 0; a < 4; a++)
                for (int b = 0; b < 4; b++) {
                    sums[a][b] = fmaf(x[a].x, y[b].x, sums[a][b]);
                    sums[a][b] = fmaf(x[a].y, y[b].y, sums[a][b]);
                    sums[a][b] = fmaf(x[a].z, y[b].z, sums[a][b]);
                    sums[a][b] = fmaf(x[a].w, y[b].w, sums[a][b]);
                }
        }
    }
    for (int b = 0; b < 4; b++)
        for (int a = 0; a < 4; a++) {
            const int i = start + 4 * group + a, offset = 4 * column + b - a;
            if (i < n_kept && offset >= 0 && offset <= WIDTH)
                band[(long long)offset * n_kept + i] = sums[a][b];
        }
}

#define GRAM_TILES ((WIDTH + 3) / 4)
#define GRAM_ROWS (4 * GRAM_TILES)
#define GRAM_THREADS TRIANGLE(GRAM_TILES, 0)     // tiles of 4 x 4 on and below the diagonal
#define GRAM_DIMS 5
#define GRAM_STRIDE 5

// grams[TRIANGLE(i, j) * n + context] = <x_i, x_j>; a block takes a context, a thread a tile.
extern "C" __global__ void multiply_contexts(
    const float4 *vectors, const int *ids, int n, float *grams)
{
    __shared__ float4 tile[GRAM_ROWS * GRAM_STRIDE];
    __shared__ int rows[GRAM_ROWS];
    const int context = blockIdx.x;
    for (int i = threadIdx.x; i < GRAM_ROWS; i += blockDim.x)
        rows[i] = i < WIDTH ? ids[(long long)context * WIDTH + i] : -1;
    int low = 0, high = threadIdx.x;  // the tile: row low, column high
    while (high > low) { low++; high -= low; }
    float sums[4][4];
    for (int a = 0; a < 4; a++)
        for (int b = 0; b < 4; b++) sums[a][b] = 0.0f;
    for (int first = 0; first < ROW4; first += GRAM_DIMS) {
        __syncthreads();
        for (int i = threadIdx.x; i < GRAM_ROWS * GRAM_DIMS; i += blockDim.x) {
            const int row = rows[i / GRAM_DIMS], d = first + i % GRAM_DIMS;
            const bool there = row >= 0 && d < ROW4;
            tile[(i / GRAM_DIMS) * GRAM_STRIDE + i % GRAM_DIMS] =
                there ? vectors[(long long)row * ROW4 + d] : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
        }
        __syncthreads();
        if (threadIdx.x < GRAM_THREADS)
            for (int d = 0; d < GRAM_DIMS; d++) {
                float4 x[4], y[4];
                for (int a = 0; a < 4; a++) x[a] = tile[(4 * low + a) * GRAM_STRIDE + d];
                for (int b = 0; b < 4; b++) y[b] = tile[(4 * high + b) * GRAM_STRIDE + d];
                for (int a = 0; a < 4; a++)
                    for (int b = 0; b < 4; b++) sums[a][b] += dot(x[a], y[b]);
            }
    }
    if (threadIdx.x < GRAM_THREADS)
        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++) {
                const int i = 4 * low + a, j = 4 * high + b;
                if (i < WIDTH && j <= i) grams[(long long)TRIANGLE(i, j) * n + context] = sums[a][b];
            }
}

// ---------------------------------------------------------------------------------------------
// Leading eigenpairs, a thread a matrix: tridiagonal form, bisection, inverse iteration, as on the
// CPU (see eigen.py there for the sources). Gram matrices that were summed in single precision are
// made tridiagonal in single precision, too: most of the time goes there, for reading and writing.
// Everything else is in double precision. Matrices are divided by a power of two beforehand, so
// that their trace is at most 1, and more than a quarter.

#define BISECTIONS 60
#define BISECTION_WIDTH 9.313225746154785e-10    // 2^-30 of the eigenvalue
#define NEGLIGIBLE 1.4210854715202004e-14        // 2^-46 of the trace
#define SMALLEST_PIVOT 2.220446049250313e-16     // 2^-52 of the trace
#define INVERSE_ITERATIONS 3

struct Tridiagonal {
    double diagonal[WIDTH], off[WIDTH], tau[WIDTH];
};

template <typename Real> __device__ void reduce_to_tridiagonal(Real *a, int m, Tridiagonal &t)
{
    Real v[WIDTH], w[WIDTH];
    for (int k = 0; k < m - 2; k++) {
        Real s = 0;
        for (int i = k + 2; i < m; i++) {
            v[i] = ENTRY(i, k);
            s += v[i] * v[i];
        }
        const Real alpha = ENTRY(k + 1, k), norm = sqrt(alpha * alpha + s);
        t.off[k] = alpha;
        t.tau[k] = 0.0;
        if (!(s > 0)) continue;
        const Real beta = alpha > 0 ? -norm : norm;  // the sign that cancels no digits
        const Real tau = (beta - alpha) / beta, scale = 1 / (alpha - beta);
        t.off[k] = beta;
        t.tau[k] = tau;
        v[k + 1] = 1;
        for (int i = k + 2; i < m; i++) {
            v[i] *= scale;
            ENTRY(i, k) = v[i];
        }
        Real product = 0;
        for (int i = k + 1; i < m; i++) {
            Real sum = 0;
            for (int j = k + 1; j <= i; j++) sum += ENTRY(i, j) * v[j];
            for (int j = i + 1; j < m; j++) sum += ENTRY(j, i) * v[j];
            w[i] = sum;
            product += sum * v[i];
        }
        const Real half = tau * product / 2;
        for (int i = k + 1; i < m; i++) w[i] = tau * (w[i] - half * v[i]);
        for (int i = k + 1; i < m; i++)
            for (int j = k + 1; j <= i; j++) ENTRY(i, j) -= v[i] * w[j] + w[i] * v[j];
    }
    for (int i = 0; i < m; i++) t.diagonal[i] = ENTRY(i, i);
    if (m > 1) t.off[m - 2] = ENTRY(m - 1, m - 2);
    t.off[m - 1] = 0.0;
}

// The RANK largest eigenvalues. The leading principal minors of T - x I change their sign as often
// as T has eigenvalues below x (Sturm); they need no division. T has a trace of at most 1, so
// that they do not overflow.
__device__ void bisect_eigenvalues(const Tridiagonal &t, int m, double *values)
{
    double low[RANK], high[RANK], squares[WIDTH];
    for (int i = 0; i < m; i++) squares[i] = t.off[i] * t.off[i];
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
            minor[n] = t.diagonal[0] - middle[n];
            before[n] = 1.0;
            above[n] = minor[n] > 0.0;
        }
        if (done) break;
        for (int i = 1; i < m; i++) {
            const double d = t.diagonal[i], e = squares[i - 1];
#pragma unroll
            for (int n = 0; n < RANK; n++) {
                const double next = (d - middle[n]) * minor[n] - e * before[n];
                above[n] += (next > 0.0) == (minor[n] > 0.0);
                before[n] = minor[n];
                minor[n] = next;
            }
        }
#pragma unroll
        for (int n = 0; n < RANK; n++) {
            if (above[n] > n) low[n] = middle[n];
            else high[n] = middle[n];
        }
    }
    for (int n = 0; n < RANK; n++) values[n] = 0.5 * (low[n] + high[n]);
}

struct Factors {
    double multiplier[WIDTH], inverse[WIDTH], first[WIDTH], second[WIDTH];
    unsigned swaps;
};

// LU factors, with row exchanges, of T - shift I.
__device__ void factorise_shifted(
    const Tridiagonal &t, int m, double shift, double floor, Factors &f)
{
    double p = t.diagonal[0] - shift, q = t.off[0];
    f.swaps = 0;
    for (int i = 0; i < m - 1; i++) {
        const double e = t.off[i], d = t.diagonal[i + 1] - shift;
        const double following = i + 1 < m - 1 ? t.off[i + 1] : 0.0;
        const bool swap = fabs(e) > fabs(p);
        double pivot = swap ? e : p;
        pivot = fabs(pivot) < floor ? floor : pivot;
        const double multiplier = (swap ? p : e) / pivot;
        f.multiplier[i] = multiplier;
        f.swaps |= (unsigned)swap << i;
        f.inverse[i] = 1.0 / pivot;
        f.first[i] = swap ? d : q;
        f.second[i] = swap ? following : 0.0;
        p = swap ? q - multiplier * d : d - multiplier * q;
        q = swap ? -multiplier * following : following;
    }
    f.inverse[m - 1] = 1.0 / (fabs(p) < floor ? floor : p);
}

__device__ void solve_factorised(const Factors &f, int m, double *x)
{
    for (int i = 0; i < m - 1; i++) {
        const bool swap = f.swaps >> i & 1;
        const double first = swap ? x[i + 1] : x[i], second = swap ? x[i] : x[i + 1];
        x[i] = first;
        x[i + 1] = second - f.multiplier[i] * first;
    }
    x[m - 1] *= f.inverse[m - 1];
    if (m > 1) x[m - 2] = (x[m - 2] - f.first[m - 2] * x[m - 1]) * f.inverse[m - 2];
    for (int i = m - 3; i >= 0; i--)
        x[i] = (x[i] - f.first[i] * x[i + 1] - f.second[i] * x[i + 2]) * f.inverse[i];
}

// Take the earlier vectors out of the n-th, and scale it to unit length.
__device__ void orthonormalise_last(double (*vectors)[WIDTH], int n, int m)
{
    double largest = 1e-300;
    for (int i = 0; i < m; i++) largest = fmax(largest, fabs(vectors[n][i]));
    const double scale = 1.0 / largest;
    for (int i = 0; i < m; i++) vectors[n][i] *= scale;
    for (int earlier = 0; earlier < n; earlier++) {
        double product = 0.0;
        for (int i = 0; i < m; i++) product += vectors[earlier][i] * vectors[n][i];
        for (int i = 0; i < m; i++) vectors[n][i] -= product * vectors[earlier][i];
    }
    double square = 1e-300;
    for (int i = 0; i < m; i++) square += vectors[n][i] * vectors[n][i];
    const double inverse = 1.0 / sqrt(square);
    for (int i = 0; i < m; i++) vectors[n][i] *= inverse;
}

// Eigenpairs of a (lower triangle, overwritten) with a trace of at most 1: m is RANK or more.
template <typename Real>
__device__ void find_leading_pairs(Real *a, int m, double *values, double (*vectors)[WIDTH])
{
    Tridiagonal t;
    Factors f;
    reduce_to_tridiagonal(a, m, t);
    bisect_eigenvalues(t, m, values);
    const double floor = SMALLEST_PIVOT;
    for (int n = 0; n < RANK; n++) {
        factorise_shifted(t, m, values[n], floor, f);
        for (int i = 0; i < m; i++) {
            const double start = (i + 1) * (n + 1) * 0.6180339887498949 + 0.25 * n;
            vectors[n][i] = start - (long long)start - 0.4142;
        }
        for (int again = 0; again < INVERSE_ITERATIONS; again++) {
            solve_factorised(f, m, vectors[n]);
            orthonormalise_last(vectors, n, m);
        }
        double value = 0.0;  // the Rayleigh quotient
        for (int i = 0; i < m; i++) value += t.diagonal[i] * vectors[n][i] * vectors[n][i];
        for (int i = 0; i + 1 < m; i++) value += 2.0 * t.off[i] * vectors[n][i] * vectors[n][i + 1];
        values[n] = fmax(value, 0.0);
    }
    for (int n = 0; n < RANK; n++)
        for (int k = m - 3; k >= 0; k--) {
            double s = vectors[n][k + 1];
            for (int i = k + 2; i < m; i++) s += ENTRY(i, k) * vectors[n][i];
            s *= t.tau[k];
            vectors[n][k + 1] -= s;
            for (int i = k + 2; i < m; i++) vectors[n][i] -= s * ENTRY(i, k);
        }
}

// What counts as dependent, and what single precision cannot tell, as on the CPU. Writes
// coefficients[(n * WIDTH + i) * count + context] = c_i / sigma_n, values[n * count + context].
template <typename Real>
__device__ void finish_pairs(
    Real *a, int m, int n_words, double tolerance, int count, int context,
    float *coefficients, double *values, double *totals, unsigned char *poor)
{
    double trace = 0.0, found[RANK], vectors[RANK][WIDTH];
    for (int i = 0; i < m; i++) trace += ENTRY(i, i);
    totals[context] = trace;
    const bool finite = trace - trace == 0.0;
    if (!finite || !(trace > 0.0)) {
        for (int n = 0; n < RANK; n++) {
            values[(long long)n * count + context] = 0.0;
            for (int i = 0; i < WIDTH; i++)
                coefficients[((long long)n * WIDTH + i) * count + context] = 0.0f;
        }
        poor[context] = n_words > 0;
        return;
    }
    const int exponent = ilogb(trace) + 1;
    const double unit = ldexp(1.0, exponent);
    const Real scale = (Real)ldexp(1.0, -exponent);
    for (int i = 0; i < TRIANGLE(m, 0); i++) a[i] *= scale;
    find_leading_pairs(a, m, found, vectors);
    const int last = (RANK < n_words ? RANK : n_words) - 1;
    const double smallest = last >= 0 ? found[last] : 0.0, largest = found[0];
    const bool good = smallest > 1e-2 * largest && trace > 1e-25 && trace < 1e25;
    poor[context] = !good && n_words > 0;
    bool used = true;
    for (int n = 0; n < RANK; n++) {
        used = used && n < n_words && found[n] > tolerance * largest;
        const double inverse = used ? 1.0 / sqrt(found[n] * unit) : 0.0;
        values[(long long)n * count + context] = used ? found[n] * unit : 0.0;
        for (int i = 0; i < WIDTH; i++)
            coefficients[((long long)n * WIDTH + i) * count + context] =
                used && i < m ? (float)(vectors[n][i] * inverse) : 0.0f;
    }
}

// Of windows of running text, from the band; a window with fewer than `fewest` words is left out.
extern "C" __global__ void solve_windows(
    const float *band, int n_kept, const int *firsts, const int *ends, const int *centres, int count,
    int fewest, double tolerance, float *coefficients, double *values, double *totals,
    unsigned char *poor)
{
    const int context = blockIdx.x * blockDim.x + threadIdx.x;
    if (context >= count) return;
    const int first = firsts[context], centre = centres[context];
    const int n_words = ends[context] - first - (centre <= WIDTH);
    float a[N_PAIRS];
    poor[context] = 0;
    values[context] = 0.0;
    if (n_words < fewest || n_words < 1) return;
    const int m = n_words < RANK ? RANK : n_words;
    for (int i = 0; i < m; i++)
        for (int j = 0; j <= i; j++) {
            const int high = first + i + (i >= centre), low = first + j + (j >= centre);
            ENTRY(i, j) =
                i < n_words ? band[(long long)(high - low) * n_kept + low] : 0.0f;
        }
    finish_pairs(a, m, n_words, tolerance, count, context, coefficients, values, totals, poor);
}

// Of contexts given by their Gram matrices, in single or double precision.
template <typename Real>
__device__ void solve_grams(
    const Real *grams, const int *n_words, int count, double tolerance, float *coefficients,
    double *values, double *totals, unsigned char *poor)
{
    const int context = blockIdx.x * blockDim.x + threadIdx.x;
    if (context >= count) return;
    Real a[N_PAIRS];
    for (int i = 0; i < N_PAIRS; i++) a[i] = grams[(long long)i * count + context];
    finish_pairs(
        a, WIDTH, n_words[context], tolerance, count, context, coefficients, values, totals, poor);
}

extern "C" __global__ void solve_single(
    const float *grams, const int *n_words, int count, double tolerance, float *coefficients,
    double *values, double *totals, unsigned char *poor)
{
    solve_grams(grams, n_words, count, tolerance, coefficients, values, totals, poor);
}

extern "C" __global__ void solve_double(
    const double *grams, const int *n_words, int count, double tolerance, float *coefficients,
    double *values, double *totals, unsigned char *poor)
{
    solve_grams(grams, n_words, count, tolerance, coefficients, values, totals, poor);
}

// ---------------------------------------------------------------------------------------------
// Bases and distances, a warp a context: lane l holds the float4 l, l + 32, ... of every row.

__device__ __forceinline__ void add_word(
    const float4 *vectors, int row, const float *coefficients, long long place, long long step,
    float4 (*basis)[PARTS])
{
    const int lane = threadIdx.x & 31;
    float weights[RANK];
#pragma unroll
    for (int n = 0; n < RANK; n++) weights[n] = coefficients[place + n * step];
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + lane;
        if (d < ROW4) {
            const float4 x = vectors[(long long)row * ROW4 + d];
#pragma unroll
            for (int n = 0; n < RANK; n++) {
                basis[n][part].x = fmaf(weights[n], x.x, basis[n][part].x);
                basis[n][part].y = fmaf(weights[n], x.y, basis[n][part].y);
                basis[n][part].z = fmaf(weights[n], x.z, basis[n][part].z);
                basis[n][part].w = fmaf(weights[n], x.w, basis[n][part].w);
            }
        }
    }
}

__device__ __forceinline__ void clear_basis(float4 (*basis)[PARTS])
{
#pragma unroll
    for (int n = 0; n < RANK; n++)
#pragma unroll
        for (int part = 0; part < PARTS; part++) basis[n][part] = make_float4(0.f, 0.f, 0.f, 0.f);
}

// Distances of occurrences to the senses of their words, and the nearest of these (-1: none).
extern "C" __global__ void measure_distances(
    const float4 *vectors, const int *kept_rows, const int *firsts, const int *ends,
    const int *centres, const int *words, int count, const float *coefficients,
    const double *values, const float4 *directions, const int *sense_offsets, int most, int fewest,
    int singular, float *distances, int *nearest)
{
    const int context = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (context >= count) return;
    const int first = firsts[context], centre = centres[context];
    const int n_words = ends[context] - first - (centre <= WIDTH);
    float best = 2.0f;
    int found = -1;
    float *mine = distances + (long long)context * most;
    const bool said = n_words >= fewest && n_words > 0;
    if (!said) {
        for (int k = lane; k < most; k += 32) mine[k] = __int_as_float(0x7fc00000);
        if (lane == 0 && nearest) nearest[context] = -1;
        return;
    }
    float4 basis[RANK][PARTS];
    clear_basis(basis);
    for (int j = 0; j < n_words; j++)
        add_word(
            vectors, word_of_window(kept_rows, first, centre, j), coefficients,
            (long long)j * count + context, (long long)WIDTH * count, basis);
    float shares[RANK];
    const double largest = values[context];
#pragma unroll
    for (int n = 0; n < RANK; n++)
        shares[n] = singular ? (float)(values[(long long)n * count + context] / largest) : 1.0f;
    const int from = sense_offsets[words[context]], n_senses = sense_offsets[words[context] + 1] - from;
    for (int k = 0; k < n_senses; k++) {
        float sums[RANK];
#pragma unroll
        for (int n = 0; n < RANK; n++) sums[n] = 0.0f;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const int d = part * 32 + lane;
            if (d < ROW4) {
                const float4 u = directions[(long long)(from + k) * ROW4 + d];
#pragma unroll
                for (int n = 0; n < RANK; n++) sums[n] += dot(basis[n][part], u);
            }
        }
        float inside = 0.0f;
#pragma unroll
        for (int n = 0; n < RANK; n++) {
            const float sum = sum_over_warp(sums[n]);
            inside = fmaf(sum * shares[n], sum, inside);
        }
        const float distance = sqrtf(fminf(fmaxf(1.0f - inside, 0.0f), 1.0f));
        if (lane == 0) mine[k] = inside == inside ? distance : inside;
        if (distance < best) { best = distance; found = k; }
    }
    for (int k = n_senses + lane; k < most; k += 32) mine[k] = __int_as_float(0x7fc00000);
    if (lane == 0 && nearest) nearest[context] = found;
}

// Orthonormal bases of contexts; each row's component of largest magnitude is positive.
extern "C" __global__ void write_bases(
    const float4 *vectors, const int *ids, int count, const float *coefficients,
    const double *values, float4 *bases)
{
    const int context = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    if (context >= count) return;
    float4 basis[RANK][PARTS];
    clear_basis(basis);
    for (int j = 0; j < WIDTH; j++) {
        const int row = ids[(long long)context * WIDTH + j];
        if (row >= 0)
            add_word(vectors, row, coefficients, (long long)j * count + context,
                     (long long)WIDTH * count, basis);
    }
#pragma unroll
    for (int n = 0; n < RANK; n++) {
        const bool used = values[(long long)n * count + context] > 0.0;
#pragma unroll
        for (int earlier = 0; earlier < n; earlier++) {
            float product = 0.0f;
#pragma unroll
            for (int part = 0; part < PARTS; part++)
                product += dot(basis[n][part], basis[earlier][part]);
            product = sum_over_warp(product);
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                basis[n][part].x = fmaf(-product, basis[earlier][part].x, basis[n][part].x);
                basis[n][part].y = fmaf(-product, basis[earlier][part].y, basis[n][part].y);
                basis[n][part].z = fmaf(-product, basis[earlier][part].z, basis[n][part].z);
                basis[n][part].w = fmaf(-product, basis[earlier][part].w, basis[n][part].w);
            }
        }
        float square = 0.0f, largest = 0.0f, smallest = 0.0f;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const float4 b = basis[n][part];
            square += dot(b, b);
            largest = fmaxf(fmaxf(fmaxf(b.x, b.y), fmaxf(b.z, b.w)), largest);
            smallest = fminf(fminf(fminf(b.x, b.y), fminf(b.z, b.w)), smallest);
        }
        square = sum_over_warp(square);
        for (int step = 16; step > 0; step /= 2) {
            largest = fmaxf(largest, __shfl_xor_sync(FULL_WARP, largest, step));
            smallest = fminf(smallest, __shfl_xor_sync(FULL_WARP, smallest, step));
        }
        float scale = used ? 1.0f / sqrtf(square) : 0.0f;
        if (-smallest > largest) scale = -scale;
#pragma unroll
        for (int part = 0; part < PARTS; part++) {
            const int d = part * 32 + lane;
            basis[n][part].x *= scale;
            basis[n][part].y *= scale;
            basis[n][part].z *= scale;
            basis[n][part].w *= scale;
            if (d < ROW4) bases[((long long)context * RANK + n) * ROW4 + d] = basis[n][part];
        }
    }
}
