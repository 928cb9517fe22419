import { readFileSync } from 'node:fs';
import type { Vector } from './embeddings/vector.ts';

interface Gate {
  bias: number;
  /** One weight per encoder number: little-endian floats as base64. */
  weights: string;
}

let loaded: { bias: number; weights: Float32Array } | undefined;

/**
 * Returns the likelihood that a text asks for nothing a name could be for, 0 to 1: general knowledge, account help,
 * small talk, code. Trained by `npm run eval:search -- --train` from `measure/search/training`.
 */
export function offTopic(vector: Vector): number {
  loaded ??= load();
  let sum = loaded.bias;
  for (let at = 0; at < vector.length; at += 1) {
    sum += (loaded.weights[at] ?? 0) * (vector[at] as number);
  }
  return 1 / (1 + Math.exp(-sum));
}

function load(): { bias: number; weights: Float32Array } {
  const file = new URL('./topic-gate.json', import.meta.url);
  const { bias, weights } = JSON.parse(readFileSync(file, 'utf8')) as Gate;
  const bytes = Buffer.from(weights, 'base64');
  return {
    bias,
    weights: Float32Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(4 * at)),
  };
}
