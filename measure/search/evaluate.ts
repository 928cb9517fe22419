import pMap from 'p-map';
import { type Answered, gradeAnswer } from './figures.ts';
import type { LabelledQuery } from './labels.ts';
import type { Systems } from './systems.ts';

/** The graded answers by system name. */
export type Evaluation = Record<string, Answered[]> & { ours: Answered[] };

const CONCURRENCY = 8;

/** Runs all queries against the systems, one system after the other. */
export async function evaluate(
  systems: Systems,
  labels: readonly LabelledQuery[],
): Promise<Evaluation> {
  const evaluation: Evaluation = { ours: [] };
  for (const [name, system] of Object.entries(systems)) {
    const ask = async (label: LabelledQuery) => gradeAnswer(label, await system(label.query));
    evaluation[name] = await pMap(labels, ask, { concurrency: CONCURRENCY });
  }
  return evaluation;
}
