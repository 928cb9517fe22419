import { setImmediate as nextTurn } from 'node:timers/promises';
import { describe, expect, it } from '@jest/globals';
import { batchCalls, batchCallsByKey } from '../../../shared/platform/concurrency/call-batcher.ts';

/** A `run` whose groups finish when the test ends them. */
function heldGroups() {
  const groups: { items: readonly number[]; end(error?: Error): void }[] = [];
  const run = (items: readonly number[]) =>
    new Promise<number[]>((resolve, reject) => {
      const end = (error?: Error) =>
        error ? reject(error) : resolve(items.map((item) => 10 * item));
      groups.push({ items, end });
    });
  return { run, groups };
}

describe('batching calls', () => {
  it('runs the calls of one tick together and gives each its own result', async () => {
    const { run, groups } = heldGroups();
    const load = batchCalls(run, 10);
    const answers = Promise.all([load(1), load(2), load(3)]);
    await nextTurn();
    expect(groups.map(({ items }) => items)).toEqual([[1, 2, 3]]);
    groups[0]?.end();
    expect(await answers).toEqual([10, 20, 30]);
  });

  it('never adds a call to a group that has already started', async () => {
    const { run, groups } = heldGroups();
    const load = batchCalls(run, 10);
    const first = load(1);
    await nextTurn();
    expect(groups).toHaveLength(1);
    const later = [load(1), load(2)];
    groups[0]?.end();
    await first;
    await nextTurn();
    expect(groups.map(({ items }) => items)).toEqual([[1], [1, 2]]);
    groups[1]?.end();
    expect(await Promise.all(later)).toEqual([10, 20]);
  });

  it('runs as many groups at once as allowed, each within the maximum size', async () => {
    const { run, groups } = heldGroups();
    const load = batchCalls(run, 2, 2);
    const first = load(1);
    await nextTurn();
    expect(groups).toHaveLength(1);
    const second = load(2);
    await nextTurn();
    expect(groups).toHaveLength(2);
    const waiting = Promise.all([load(3), load(4), load(5)]);
    groups[1]?.end();
    expect(await second).toBe(20);
    await nextTurn();
    expect(groups.map(({ items }) => items)).toEqual([[1], [2], [3, 4]]);
    groups[0]?.end();
    groups[2]?.end();
    expect(await first).toBe(10);
    await nextTurn();
    expect(groups.at(-1)?.items).toEqual([5]);
    groups.at(-1)?.end();
    expect(await waiting).toEqual([30, 40, 50]);
  });

  it('passes an error to every call of its group and to no others', async () => {
    const { run, groups } = heldGroups();
    const load = batchCalls(run, 10);
    const failed = Promise.allSettled([load(1), load(2)]);
    await nextTurn();
    expect(groups).toHaveLength(1);
    const well = load(3);
    const away = new Error('away');
    groups[0]?.end(away);
    const rejection = { status: 'rejected', reason: away };
    expect(await failed).toEqual([rejection, rejection]);
    await nextTurn();
    expect(groups).toHaveLength(2);
    groups[1]?.end();
    expect(await well).toBe(30);
  });
});

describe('batching calls by key', () => {
  it('groups calls by key and never waits for another key', async () => {
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const load = batchCallsByKey(
      (item: string) => item.charAt(0),
      async (key, items) => {
        begun.push(items.join());
        await new Promise<void>((resolve) => ends.set(key, resolve));
        return items.map((item) => item.toUpperCase());
      },
      10,
    );
    const slow = Promise.all([load('a1'), load('a2')]);
    const quick = load('b1');
    await nextTurn();
    expect(begun).toEqual(['a1,a2', 'b1']);
    const late = load('a3');
    ends.get('b')?.();
    expect(await quick).toBe('B1');
    await nextTurn();
    expect(begun).toEqual(['a1,a2', 'b1']);
    ends.get('a')?.();
    expect(await slow).toEqual(['A1', 'A2']);
    await nextTurn();
    ends.get('a')?.();
    expect(await late).toBe('A3');
  });
});
