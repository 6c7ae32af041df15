// Skip-gram with negative sampling: a warp a window, many warps at once, without locks.
//
// As on the CPU, one step is three small products of the window's words (inputs) and the centre with
// its negatives (outputs), which all pairs of the window share. The outputs and what is to be added
// to them stay in registers, OUTPUTS of them at a time; inputs pass by one after the other. A warp
// goes through a stretch of text from left to right; what is added to a row is added as a whole, so
// that no addition is lost, and rows are read past the first cache, which other processors do not
// keep up to date.
//
// Compiled for rows of ROW4 float4 and OUTPUTS of 2 to 8.

#define FULL_WARP 0xffffffffu
#define PARTS ((ROW4 + 31) / 32)
#define REACH 6.0f

__device__ __forceinline__ float dot(float4 a, float4 b)
{
    return fmaf(a.x, b.x, fmaf(a.y, b.y, fmaf(a.z, b.z, a.w * b.w)));
}

__device__ __forceinline__ void add_scaled(float4 &sum, float g, float4 x)
{
    sum.x = fmaf(g, x.x, sum.x);
    sum.y = fmaf(g, x.y, sum.y);
    sum.z = fmaf(g, x.z, sum.z);
    sum.w = fmaf(g, x.w, sum.w);
}

__device__ __forceinline__ void add_to_memory(float4 *place, float4 value)
{
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    asm volatile("red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};"
                 :: "l"(place), "f"(value.x), "f"(value.y), "f"(value.z), "f"(value.w) : "memory");
#else
    atomicAdd(&place->x, value.x);
    atomicAdd(&place->y, value.y);
    atomicAdd(&place->z, value.z);
    atomicAdd(&place->w, value.w);
#endif
}

// A random number for each place and purpose (splitmix64, Steele et al. 2014).
__device__ __forceinline__ unsigned long long draw(
    unsigned long long seed, unsigned long long place, unsigned long long purpose)
{
    unsigned long long x = seed + (place * 4096ull + purpose + 1ull) * 0x9e3779b97f4a7c15ull;
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
    return x ^ (x >> 31);
}

__device__ __forceinline__ int draw_word(
    unsigned long long bits, const float *threshold, const int *alias, int n_words)
{
    const int word = (int)(((bits & 0xffffffffull) * (unsigned long long)n_words) >> 32);
    const float uniform = (float)(bits >> 40) * (1.0f / 16777216.0f);
    return uniform >= threshold[word] ? alias[word] : word;
}

// Sums of up to eight values over the warp; lane l gets that of number (l >> 2), halves of the
// values being given away at every step.
__device__ __forceinline__ float sum_many(float *values)
{
    const int lane = threadIdx.x & 31;
#pragma unroll
    for (int step = 16, left = 4; left > 0; step /= 2, left /= 2) {
        const bool upper = lane & step;
#pragma unroll
        for (int k = 0; k < left; k++) {
            const float given = upper ? values[k] : values[k + left];
            const float kept = upper ? values[k + left] : values[k];
            values[k] = kept + __shfl_xor_sync(FULL_WARP, given, step);
        }
    }
    float sum = values[0];
    sum += __shfl_xor_sync(FULL_WARP, sum, 2);
    sum += __shfl_xor_sync(FULL_WARP, sum, 1);
    return sum;
}

__device__ __forceinline__ void read_row(const float4 *matrix, int row, float4 *x)
{
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + (threadIdx.x & 31);
        x[part] = d < ROW4 ? __ldcg(matrix + (long long)row * ROW4 + d)
                           : make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    }
}

__device__ __forceinline__ void add_row(float4 *matrix, int row, const float4 *x)
{
#pragma unroll
    for (int part = 0; part < PARTS; part++) {
        const int d = part * 32 + (threadIdx.x & 31);
        if (d < ROW4) add_to_memory(matrix + (long long)row * ROW4 + d, x[part]);
    }
}

// One window: lane l has the word of input l and of output l, where the masks say so.
__device__ __forceinline__ void update_window(
    float4 *inputs, float4 *outputs, int input, unsigned is_input, unsigned is_free_input,
    int output, unsigned is_output, unsigned is_free_output, bool has_centre, float rate)
{
    const int lane = threadIdx.x & 31, mine = lane >> 2;
    float4 y[OUTPUTS][PARTS], added[OUTPUTS][PARTS], x[PARTS], next[PARTS];
    const float label = has_centre && mine == 0 ? 1.0f : 0.0f;
    const bool counts = mine < OUTPUTS && (is_output >> mine & 1);
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        read_row(outputs, __shfl_sync(FULL_WARP, output, j), y[j]);
#pragma unroll
        for (int part = 0; part < PARTS; part++) added[j][part] = make_float4(0.f, 0.f, 0.f, 0.f);
    }
    unsigned left = is_input;
    int i = __ffs(left) - 1;
    read_row(inputs, __shfl_sync(FULL_WARP, input, i), next);
    while (left) {
        const int row = __shfl_sync(FULL_WARP, input, i);
        const bool is_free = is_free_input >> i & 1;
#pragma unroll
        for (int part = 0; part < PARTS; part++) x[part] = next[part];
        left &= left - 1;
        if (left) {
            i = __ffs(left) - 1;
            read_row(inputs, __shfl_sync(FULL_WARP, input, i), next);
        }
        float sums[8];
#pragma unroll
        for (int j = 0; j < 8; j++) sums[j] = 0.0f;
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++)
#pragma unroll
            for (int part = 0; part < PARTS; part++) sums[j] += dot(x[part], y[j][part]);
        const float sum = sum_many(sums);
        float probability = 1.0f / (1.0f + __expf(-sum));
        probability = sum >= REACH ? 1.0f : sum <= -REACH ? 0.0f : probability;
        const float error = counts ? (label - probability) * rate : 0.0f;
        float4 change[PARTS];
#pragma unroll
        for (int part = 0; part < PARTS; part++) change[part] = make_float4(0.f, 0.f, 0.f, 0.f);
#pragma unroll
        for (int j = 0; j < OUTPUTS; j++) {
            const float g = __shfl_sync(FULL_WARP, error, 4 * j);
#pragma unroll
            for (int part = 0; part < PARTS; part++) {
                add_scaled(change[part], g, y[j][part]);
                add_scaled(added[j][part], g, x[part]);
            }
        }
        if (is_free) add_row(inputs, row, change);
    }
#pragma unroll
    for (int j = 0; j < OUTPUTS; j++) {
        const int row = __shfl_sync(FULL_WARP, output, j);
        if ((is_output & is_free_output) >> j & 1) add_row(outputs, row, added[j]);
    }
}

// Words that were kept, and which text each stands in; warp w takes the places from w * stretch on.
extern "C" __global__ void train_windows(
    const int *kept, const int *texts, int n_kept, int stretch, float4 *inputs, float4 *outputs,
    const unsigned char *frozen_inputs, const unsigned char *frozen_outputs, const float *threshold,
    const int *alias, int n_words, int window, int negative, float first_rate, float last_rate,
    unsigned long long seed)
{
    const int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x & 31;
    const long long begin = (long long)warp * stretch;
    const int end = (int)(begin + stretch < n_kept ? begin + stretch : n_kept);
    for (int place = (int)(begin < n_kept ? begin : n_kept); place < end; place++) {
        const int centre = kept[place], text = texts[place];
        const int reach = window - (int)((draw(seed, place, 0) >> 33) % (unsigned long long)window);
        const float rate = first_rate + (last_rate - first_rate) * ((float)place / (float)n_kept);
        for (int from = 0; from < 2 * reach; from += 32) {
            const int number = from + lane;
            const int other = place + number - reach + (number >= reach);
            const bool inside =
                number < 2 * reach && other >= 0 && other < n_kept && texts[other] == text;
            const int input = inside ? kept[other] : centre;
            const unsigned is_input = __ballot_sync(FULL_WARP, inside);
            const unsigned is_free_input = __ballot_sync(FULL_WARP, inside && !frozen_inputs[input]);
            if (!is_input) continue;
            for (int first = 0; first <= negative; first += OUTPUTS) {
                const int j = first + lane;
                int output = centre;
                if (j > 0 && lane < OUTPUTS && j <= negative)
                    output = draw_word(draw(seed, place, j), threshold, alias, n_words);
                const bool counts =
                    lane < OUTPUTS && j <= negative && (j == 0 || output != centre);
                const unsigned is_output = __ballot_sync(FULL_WARP, counts);
                const unsigned is_free_output =
                    __ballot_sync(FULL_WARP, counts && !frozen_outputs[output]);
                update_window(inputs, outputs, input, is_input, is_free_input, output, is_output,
                              is_free_output, first == 0, rate);
            }
        }
    }
}
