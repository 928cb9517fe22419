import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { foldName } from '../../../shared/people/screening/name-form.ts';
import { screenParties } from '../../../shared/people/screening/screen-parties.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { buyerNamed, givenList, type NameCase, nameCases } from '../../support/screening.ts';

let runtime: TestRuntime;
const seen = nameCases('screening-names');
const unseen = nameCases('screening-names-unseen');

beforeAll(async () => {
  runtime = await createTestRuntime();
  const rows = [...seen, ...unseen].map(({ kind, name }, at) => ({ id: `E-${at}`, kind, name }));
  await givenList(runtime, 'evaluation', rows);
});
afterAll(() => runtime.stop());

/** Whether a buyer with this name is held because of the case's list entry. */
async function holds({ name: entry }: NameCase, name: string): Promise<boolean> {
  const matches = await screenParties(runtime.db.knex, [buyerNamed(name)]);
  return matches.some(({ entryName }) => entryName === entry);
}

async function figuresOf(
  cases: readonly NameCase[],
  finds: (of: NameCase, name: string) => Promise<boolean>,
) {
  const figures = { same: 0, missed: [] as string[], others: 0, falseHits: [] as string[] };
  for (const each of cases) {
    for (const name of each.same) {
      figures.same += 1;
      if (!(await finds(each, name))) figures.missed.push(name);
    }
    for (const name of each.others) {
      figures.others += 1;
      if (await finds(each, name)) figures.falseHits.push(name);
    }
  }
  return figures;
}

const counts = ({ same, missed, others, falseHits }: Awaited<ReturnType<typeof figuresOf>>) => ({
  same,
  missed: missed.length,
  others,
  falseHits: falseHits.length,
});

const exact = async ({ name: entry }: NameCase, name: string) => foldName(entry) === foldName(name);

describe('screening made-up names', () => {
  it('finds variants with few false hits, as docs/screening.md states', async () => {
    const found = await figuresOf(seen, holds);
    expect(counts(found)).toEqual({ same: 267, missed: 9, others: 236, falseHits: 9 });
  });

  it('does so for names that it was not tuned on', async () => {
    const found = await figuresOf(unseen, holds);
    expect(counts(found)).toEqual({ same: 73, missed: 4, others: 60, falseHits: 3 });
  });

  it('finds far more than exact word matching', async () => {
    expect(counts(await figuresOf(seen, exact))).toEqual({
      same: 267,
      missed: 228,
      others: 236,
      falseHits: 0,
    });
    expect(counts(await figuresOf(unseen, exact))).toEqual({
      same: 73,
      missed: 57,
      others: 60,
      falseHits: 0,
    });
  });
});
