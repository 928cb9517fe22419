import { readFileSync } from 'node:fs';

export type SetName = 'tuning' | 'held-out';
export const SETS: readonly SetName[] = ['tuning', 'held-out'];

/** 3: just what the buyer wants; 2: good; 1: acceptable; 0: off. */
export type Grade = 0 | 1 | 2 | 3;

/** A query with a buyer's grade for each domain of the inventory; domains left out have grade 0. */
export interface LabelledQuery {
  query: string;
  kind: string;
  grades: ReadonlyMap<string, Grade>;
  /** A real need that no listing serves: results are fine, and so are none. */
  outOfInventory?: boolean;
}

interface Line {
  query: string;
  kind: string;
  /** Domains as people write them, by grade. */
  answers: Partial<Record<'1' | '2' | '3', string[]>>;
}

/** Reads the queries of one set, in the order of its file. */
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
