import { describe, expect, it } from '@jest/globals';
import { createSharedRead } from '../../../shared/platform/concurrency/shared-read.ts';

const DAY_MS = 86_400_000;

/** A read that the test completes by hand; `reads` lists those started. */
function readByHand() {
  const reads: { resolve(value: number): void; reject(error: Error): void }[] = [];
  return {
    reads,
    read: () => new Promise<number>((resolve, reject) => reads.push({ resolve, reject })),
  };
}

describe('a shared read', () => {
  it('shares one result among all callers within the maximum age', async () => {
    let begun = 0;
    const share = createSharedRead(async () => {
      begun += 1;
      return begun;
    }, DAY_MS);
    expect(await Promise.all([share(DAY_MS), share(DAY_MS), share(DAY_MS)])).toEqual([1, 1, 1]);
    expect(await share(DAY_MS)).toBe(1);
    expect(await share(0)).toBe(2);
  });

  it('never starts another read while one is pending', async () => {
    const { read, reads } = readByHand();
    const share = createSharedRead(read, DAY_MS);
    const asked = [share(0), share(0), share(0)];
    expect(reads).toHaveLength(1);
    reads[0]?.resolve(7);
    expect(await Promise.all(asked)).toEqual([7, 7, 7]);
    const later = share(0);
    expect(reads).toHaveLength(2);
    reads[1]?.resolve(8);
    expect(await later).toBe(8);
  });

  it('fails when it takes too long and restarts only after the slow read ends', async () => {
    const { read, reads } = readByHand();
    const share = createSharedRead(read, 5);
    await expect(share(0)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(share(0)).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(reads).toHaveLength(1);
    reads[0]?.resolve(7);
    await new Promise(setImmediate);
    const again = share(0);
    expect(reads).toHaveLength(2);
    reads[1]?.resolve(8);
    expect(await again).toBe(8);
  });

  it('caches a failure as long as a result', async () => {
    let begun = 0;
    const share = createSharedRead(async () => {
      begun += 1;
      throw new Error(`failure ${begun}`);
    }, DAY_MS);
    await expect(share(DAY_MS)).rejects.toThrow('failure 1');
    await expect(share(DAY_MS)).rejects.toThrow('failure 1');
    await expect(share(0)).rejects.toThrow('failure 2');
  });
});
