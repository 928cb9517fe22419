import { readFileSync } from 'node:fs';
import { cosine, unitLength, type Vector } from './embeddings/vector.ts';
import { businessKinds } from './kinds/kinds.ts';
import { VECTOR_SIZE } from './kinds/kinds-table.ts';

/** The number of examples that a text must resemble: one alone may share a name or a number with it. */
const NEAREST = 3;

let examples: readonly Vector[] | undefined;

/**
 * Returns how much nearer a text is to requests that no name answers (general knowledge, account help, small talk, code)
 * than to business as a whole, 0 to 1. The requests are the lines of `measure/search/training/off-topic.txt`, encoded by
 * `npm run eval:search -- --train`.
 */
export function offTopic(vector: Vector): number {
  examples ??= load();
  const near = examples.map((example) => cosine(vector, example));
  const nearest = near.sort((a, b) => b - a).slice(0, NEAREST);
  const mean = nearest.reduce((sum, each) => sum + each, 0) / NEAREST;
  return Math.min(1, Math.max(0, mean - cosine(vector, businessKinds().middle)));
}

function load(): Vector[] {
  const bytes = new Int8Array(readFileSync(new URL('./off-topic.bin', import.meta.url)));
  return Array.from({ length: bytes.length / VECTOR_SIZE }, (_, at) =>
    unitLength(bytes.subarray(at * VECTOR_SIZE, (at + 1) * VECTOR_SIZE)),
  );
}
