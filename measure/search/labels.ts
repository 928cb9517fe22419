import { readFileSync } from 'node:fs';

export type SetName = 'tuning' | 'held-out';
export const SETS: readonly SetName[] = ['tuning', 'held-out'];

/** 3: wanted at once; 2: good; 1: acceptable; 0: off. */
export type Grade = 0 | 1 | 2 | 3;

/** A query with what a buyer thinks of each domain of the inventory; who is not named is graded 0. */
export interface LabelledQuery {
  query: string;
  kind: string;
  grades: ReadonlyMap<string, Grade>;
  /** A real need that nothing listed serves: neither silence nor an answer is wrong. */
  outOfInventory?: boolean;
}

interface Line {
  query: string;
  kind: string;
  /** Domains as people write them, by grade. */
  answers: Partial<Record<'1' | '2' | '3', string[]>>;
}

/** The queries of one set, in the order of its file. */
export function readLabels(set: SetName): LabelledQuery[] {
  const file = new URL(`queries-${set}.ndjson`, import.meta.url);
  return readFileSync(file, 'utf8')
    .trim()
    .split('\n')
    .map((line) => {
      const { query, kind, answers } = JSON.parse(line) as Line;
      const grades = new Map<string, Grade>();
      for (const grade of [1, 2, 3] as const) {
        for (const domain of answers[grade] ?? []) grades.set(domain, grade);
      }
      return { query, kind, grades };
    });
}
