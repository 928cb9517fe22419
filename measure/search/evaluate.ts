import { type Answered, gradeAnswer } from './figures.ts';
import type { LabelledQuery } from './labels.ts';
import type { System, Systems } from './systems.ts';

/** What each system answered, by the system's name. */
export type Evaluation = Record<string, Answered[]> & { ours: Answered[] };

/** Asks all systems all queries, one after the other. */
export async function evaluate(
  systems: Systems,
  labels: readonly LabelledQuery[],
): Promise<Evaluation> {
  const askAll = async (system: System) => {
    const answered: Answered[] = [];
    for (const label of labels) answered.push(gradeAnswer(label, await system(label.query)));
    return answered;
  };
  const evaluation: Evaluation = { ours: await askAll(systems.ours) };
  for (const [name, system] of Object.entries(systems)) {
    if (name !== 'ours') evaluation[name] = await askAll(system);
  }
  return evaluation;
}
