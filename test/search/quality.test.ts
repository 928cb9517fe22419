import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedInventory } from '../../db/seeds/inventory.ts';
import { type Evaluation, evaluate } from '../../measure/search/evaluate.ts';
import { figuresOf } from '../../measure/search/figures.ts';
import { readLabels, SETS } from '../../measure/search/labels.ts';
import { ENVIRONMENT, prepareSystems, type Systems } from '../../measure/search/systems.ts';
import { MINUTE } from '../../shared/platform/clock.ts';
import { refreshAllEmbeddings } from '../support/embeddings.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

/** What docs/search-evaluation.md promises of search, on the tuning set and on the held-out one alike. */
const PROMISED = {
  ndcg: 0.8,
  ndcgOverFullText: 0.25,
  ndcgOverTrigrams: 0.12,
  nonsenseEmpty: 0.7,
  offTop: 0.16,
};
/** Long enough for every query to get its vector, even on a busy machine. */
const PATIENT_MS = 60_000;
/** Timeout for embedding all names in the inventory. */
const ENCODING_MS = 15 * MINUTE;

let runtime: TestRuntime;
let systems: Systems;
beforeAll(async () => {
  runtime = await createTestRuntime({ SEARCH_ENCODER: 'on', embeddingsBudgetMs: PATIENT_MS });
  await seedInventory(runtime, [ENVIRONMENT]);
  await refreshAllEmbeddings(runtime);
  systems = await prepareSystems(runtime, ['full-text OR', 'trigrams']);
}, ENCODING_MS);
afterAll(() => runtime.stop());

describe.each(SETS)('search quality on the %s set', (set) => {
  let evaluation: Evaluation;
  beforeAll(async () => {
    evaluation = await evaluate(systems, readLabels(set));
  });

  it('reaches the promised nDCG', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.ndcg).toBeGreaterThanOrEqual(PROMISED.ndcg);
  });

  it('is far better than full-text search and trigrams', () => {
    const ours = figuresOf(evaluation.ours).ndcg;
    const { 'full-text OR': fullText = [], trigrams = [] } = evaluation;
    expect(ours - figuresOf(fullText).ndcg).toBeGreaterThanOrEqual(PROMISED.ndcgOverFullText);
    expect(ours - figuresOf(trigrams).ndcg).toBeGreaterThanOrEqual(PROMISED.ndcgOverTrigrams);
  });

  it('returns nothing for most nonsense queries', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.nonsenseEmpty).toBeGreaterThanOrEqual(PROMISED.nonsenseEmpty);
  });

  it('rarely shows an off-topic name among the first three', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.offTop).toBeLessThanOrEqual(PROMISED.offTop);
  });
});
