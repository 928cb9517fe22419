import { describe, expect, it } from '@jest/globals';
import { readInTurn } from '../../../shared/market/search/search-turns.ts';

/** A database whose reads the test completes by hand. */
function slowDatabase() {
  const ends: (() => void)[] = [];
  const read = (query: (sql: unknown) => Promise<string>) =>
    new Promise<void>((resolve) => ends.push(resolve)).then(() => query(undefined));
  const db = { read } as unknown as Parameters<typeof readInTurn>[0];
  return { db, ends };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

describe('reads of the search index', () => {
  it('run three at a time, the others in order of arrival', async () => {
    const { db, ends } = slowDatabase();
    const answers: string[] = [];
    const ask = (name: string) =>
      readInTurn(db, async () => name).then((answer) => answers.push(answer));
    const all = ['a', 'b', 'c', 'd', 'e'].map(ask);
    await turn();
    expect(ends).toHaveLength(3);
    ends[0]?.();
    await turn();
    expect(ends).toHaveLength(4);
    for (const end of ends) end();
    await turn();
    ends[4]?.();
    await Promise.all(all);
    expect(answers).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('free their slot when they fail', async () => {
    const { db, ends } = slowDatabase();
    const fails = [1, 2, 3].map(() => readInTurn(db, () => Promise.reject(new Error('no'))));
    await turn();
    for (const end of ends) end();
    await Promise.allSettled(fails);
    const next = readInTurn(db, async () => 'found');
    await turn();
    ends[3]?.();
    expect(await next).toBe('found');
  });

  it('are refused once the queue is full', async () => {
    const { db, ends } = slowDatabase();
    const asked = Array.from({ length: 68 }, () => readInTurn(db, async () => 'found'));
    await expect(asked[67]).rejects.toMatchObject({ code: 'service_unavailable' });
    const settled = Promise.allSettled(asked.slice(0, 67));
    let ended = 0;
    for (; ended < 67; await turn()) for (; ended < ends.length; ended += 1) ends[ended]?.();
    expect((await settled).every(({ status }) => status === 'fulfilled')).toBe(true);
  });
});
