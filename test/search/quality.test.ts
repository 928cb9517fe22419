import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { seedInventory } from '../../db/seeds/inventory.ts';
import { type Evaluation, evaluate } from '../../measure/search/evaluate.ts';
import { figuresOf } from '../../measure/search/figures.ts';
import { readLabels, SETS } from '../../measure/search/labels.ts';
import { prepareSystems, type Systems } from '../../measure/search/systems.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';

/** What docs/search-evaluation.md promises of search, on the tuning set and on the held-out one alike. */
const PROMISED = {
  ndcg: 0.8,
  ndcgOverFullText: 0.25,
  ndcgOverTrigrams: 0.12,
  nonsenseEmpty: 0.95,
  offTop: 0.05,
};

let runtime: TestRuntime;
let systems: Systems;
beforeAll(async () => {
  runtime = await createTestRuntime();
  await seedInventory(runtime);
  systems = await prepareSystems(runtime, ['full-text OR', 'trigrams']);
});
afterAll(() => runtime.stop());

describe.each(SETS)('search, asked the queries of the %s set,', (set) => {
  let evaluation: Evaluation;
  beforeAll(async () => {
    evaluation = await evaluate(systems, readLabels(set));
  });

  it('puts what a buyer wants first', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.ndcg).toBeGreaterThanOrEqual(PROMISED.ndcg);
  });

  it('is far better than full-text search and trigrams', () => {
    const ours = figuresOf(evaluation.ours).ndcg;
    const { 'full-text OR': fullText = [], trigrams = [] } = evaluation;
    expect(ours - figuresOf(fullText).ndcg).toBeGreaterThanOrEqual(PROMISED.ndcgOverFullText);
    expect(ours - figuresOf(trigrams).ndcg).toBeGreaterThanOrEqual(PROMISED.ndcgOverTrigrams);
  });

  it('answers nonsense with nothing', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.nonsenseEmpty).toBeGreaterThanOrEqual(PROMISED.nonsenseEmpty);
  });

  it('rarely shows anything off among the first three', () => {
    const ours = figuresOf(evaluation.ours);
    expect(ours.offTop).toBeLessThanOrEqual(PROMISED.offTop);
  });
});
