// Subspaces of contexts: Gram matrices, their leading eigenpairs (eigenpairs.cu), and what is made of
// these.
//
// Compiled for one shape: WIDTH words a context at most, RANK eigenpairs, ROW4 float4 a row of the
// vectors (rows are filled up with zeros). Contexts come as ids (n, WIDTH) with -1 for padding, or
// as windows of running text.

#include "eigenpairs.cu"

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
