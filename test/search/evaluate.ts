import { type Answered, gradeAnswer } from './figures.ts';
import { readLabels, type SetName } from './labels.ts';
import type { System, Systems } from './systems.ts';

/** What each system answered to a set. */
export type Evaluation = Record<keyof Systems, Answered[]>;

/** Asks all systems all queries of a set. */
export async function evaluate(systems: Systems, set: SetName): Promise<Evaluation> {
  const labels = readLabels(set);
  const askAll = async (system: System) => {
    const answered: Answered[] = [];
    for (const label of labels) answered.push(gradeAnswer(label, await system(label.query)));
    return answered;
  };
  return {
    engine: await askAll(systems.engine),
    fullText: await askAll(systems.fullText),
    trigrams: await askAll(systems.trigrams),
  };
}
