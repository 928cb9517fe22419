// Universal Sentence Encoder lite (Cer et al., 2018), a transformer of two layers, on the weights of its package. The
// package runs a graph of 317 steps, most of which compute shapes that are already known here.
import { fused, reshape, tensor2d } from '@energetic-ai/core';

const EMBEDDING = 256;
const WIDTH = 512;
const HEADS = 4;
/** The rest of a longer text is ignored. */
const MOST_TOKENS = 128;
/** Avoids a division by zero for a row of identical numbers. */
const EPSILON = 1e-6;

const ENCODER = 'module_apply_default/Encoder_en/KonaTransformer/Encode';
const MERGED = '/ConcatPartitions/concat';

/**
 * Creates the encoder (512 numbers per text, not scaled to length 1) from the result of `initModel` of
 * `@energetic-ai/embeddings`. A text without tokens has no vector.
 */
export function createUniversalSentenceEncoder({ tokenizer, model }) {
  const weight = (name) => model.weights[name][0];
  const numbers = (name) => weight(name).dataSync();

  const embeddings = numbers('module/Embeddings_en');
  const frequencies = numbers(
    `${ENCODER}/TransformerStack/Layer_0/AddTimingSignal/TimingSignal/ExpandDims_1`,
  );
  const widening = {
    kernel: weight(`${ENCODER}/Layer_0/TransformerLayer/dense/kernel${MERGED}`),
    bias: weight(`${ENCODER}/Layer_0/TransformerLayer/dense/bias${MERGED}`),
  };
  const layers = [readLayer(weight, 0), readLayer(weight, 1)];
  const last = {
    kernel: weight('module/Encoder_en/hidden_layers/tanh_layer_0/weights'),
    bias: weight('module/Encoder_en/hidden_layers/tanh_layer_0/bias'),
  };

  /** Returns a row per token of all texts: its embedding plus its position in the text. */
  function embed(tokensOfTexts) {
    const rows = new Float32Array(tokensOfTexts.flat().length * EMBEDDING);
    const half = EMBEDDING / 2;
    let row = 0;
    for (const tokens of tokensOfTexts) {
      for (const [position, token] of tokens.entries()) {
        for (let at = 0; at < half; at += 1) {
          const angle = position * frequencies[at];
          const from = token * EMBEDDING + at;
          rows[row + at] = 2 * embeddings[from] + Math.sin(angle);
          rows[row + half + at] = 2 * embeddings[from + half] + Math.cos(angle);
        }
        row += EMBEDDING;
      }
    }
    return rows;
  }

  return (texts) => {
    const tokens = texts.map((text) => tokenizer.encode(text).slice(0, MOST_TOKENS));
    const lengths = tokens.map(({ length }) => length);
    const [first, second] = layers;
    const embedded = embed(tokens);
    const afterFirst = sum(linear(embedded, widening), attention(embedded, first, lengths));
    const between = sum(afterFirst, linear(hidden(afterFirst, first), first.shrinking));
    const rows = sum(between, attention(between, second, lengths));
    // A linear layer of a mean equals the mean of the linear layer: one row per text instead of one per token.
    const feedForward = linear(means(hidden(rows, second), lengths), second.shrinking);
    const vectors = linear(sum(means(rows, lengths), feedForward), last).map(Math.tanh);
    return texts.map((_, text) => vectors.slice(text * WIDTH, (text + 1) * WIDTH));
  };
}

function readLayer(weight, index) {
  const layer = `${ENCODER}/Layer_${index}/TransformerLayer`;
  const kernels = `module/Encoder_en/KonaTransformer/Encode/Layer_${index}/TransformerLayer`;
  const folded = `${ENCODER}/TransformerStack/Layer_${index}/TransformerLayer`;
  const matrix = (tensor) => reshape(tensor, tensor.shape.slice(-2));
  const norm = (name) => ({
    scale: weight(`${name}/layer_norm/layer_norm_scale${MERGED}`).dataSync(),
    shift: weight(`${name}/layer_norm/layer_norm_bias${MERGED}`).dataSync(),
  });
  const transform = (name) => ({
    kernel: matrix(weight(`${kernels}/MultiheadAttention/${name}_transform_single/kernel/part_0`)),
    bias: weight(`${layer}/MultiheadAttention/${name}_transform_single/bias${MERGED}`),
  });
  const convolution = (name) => ({
    kernel: weight(`${folded}/FFN/${name}/Tensordot/Reshape_1`),
    bias: weight(`${layer}/FFN/${name}/bias${MERGED}`),
  });
  return {
    attentionNorm: norm(`${layer}/layer_prepostprocess`),
    queriesKeysValues: transform('qkv'),
    output: transform('output'),
    feedForwardNorm: norm(`${layer}/FFN/layer_prepostprocess`),
    growing: convolution('conv1'),
    shrinking: convolution('conv2'),
  };
}

function linear(rows, { kernel, bias }, activation = 'linear') {
  const [width] = kernel.shape;
  const input = tensor2d(rows, [rows.length / width, width]);
  const output = fused.matMul({ a: input, b: kernel, bias, activation });
  const result = output.dataSync();
  input.dispose();
  output.dispose();
  return result;
}

function hidden(rows, { feedForwardNorm, growing }) {
  return linear(normalize(rows, feedForwardNorm), growing, 'relu');
}

/** Normalizes each row to mean 0 and variance 1, then applies the learned scale and shift. */
function normalize(rows, { scale, shift }) {
  const width = scale.length;
  const result = new Float32Array(rows.length);
  for (let row = 0; row < rows.length; row += width) {
    let mean = 0;
    for (let at = 0; at < width; at += 1) mean += rows[row + at] / width;
    let variance = 0;
    for (let at = 0; at < width; at += 1) variance += (rows[row + at] - mean) ** 2 / width;
    const factor = 1 / Math.sqrt(variance + EPSILON);
    for (let at = 0; at < width; at += 1) {
      result[row + at] = (rows[row + at] - mean) * factor * scale[at] + shift[at];
    }
  }
  return result;
}

/** Computes each token's attention over the tokens of its text. */
function attention(rows, { attentionNorm, queriesKeysValues, output }, lengths) {
  const width = attentionNorm.scale.length;
  const projected = linear(normalize(rows, attentionNorm), queriesKeysValues);
  const taken = new Float32Array(rows.length);
  let row = 0;
  for (const length of lengths) {
    for (let head = 0; head < HEADS; head += 1)
      attend(projected, taken, { row, length, width, head });
    row += length;
  }
  return linear(taken, output);
}

/** Computes one head for one text. Rows of `projected` hold query, key and value, `width` numbers each. */
function attend(projected, taken, { row, length, width, head }) {
  const size = width / HEADS;
  const scale = 1 / Math.sqrt(size);
  const weights = new Float32Array(length);
  for (let one = row; one < row + length; one += 1) {
    const query = 3 * one * width + head * size;
    let most = Number.NEGATIVE_INFINITY;
    for (let other = 0; other < length; other += 1) {
      const key = (3 * (row + other) + 1) * width + head * size;
      let product = 0;
      for (let at = 0; at < size; at += 1) product += projected[query + at] * projected[key + at];
      weights[other] = product * scale;
      most = Math.max(most, weights[other]);
    }
    let total = 0;
    for (let other = 0; other < length; other += 1) {
      weights[other] = Math.exp(weights[other] - most);
      total += weights[other];
    }
    const to = one * width + head * size;
    for (let other = 0; other < length; other += 1) {
      const value = (3 * (row + other) + 2) * width + head * size;
      const share = weights[other] / total;
      for (let at = 0; at < size; at += 1) taken[to + at] += share * projected[value + at];
    }
  }
}

/** Returns the mean row of each text. */
function means(rows, lengths) {
  const width = rows.length / lengths.reduce((total, length) => total + length, 0);
  const result = new Float32Array(lengths.length * width);
  let from = 0;
  for (const [text, length] of lengths.entries()) {
    for (const end = from + length * width; from < end; from += width) {
      for (let at = 0; at < width; at += 1) result[text * width + at] += rows[from + at] / length;
    }
  }
  return result;
}

function sum(one, other) {
  return one.map((value, at) => value + other[at]);
}
