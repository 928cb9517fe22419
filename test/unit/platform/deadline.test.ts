import { getEventListeners } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  DeadlineExceeded,
  inTime,
  orAbort,
  unlessLate,
  withAbort,
} from '../../../shared/platform/concurrency/deadline.ts';

const never = new Promise<never>(() => {});

describe('orAbort', () => {
  it('settles like the work and leaves no listener behind', async () => {
    const { signal } = new AbortController();
    expect(await orAbort(Promise.resolve(7), signal)).toBe(7);
    await expect(orAbort(Promise.reject(new Error('no')), signal)).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  it("rejects with the signal's reason, whether it fires later or already has", async () => {
    const controller = new AbortController();
    const waiting = orAbort(never, controller.signal);
    controller.abort(new Error('the process goes'));
    await expect(waiting).rejects.toThrow('the process goes');
    await expect(orAbort(never, controller.signal)).rejects.toThrow('the process goes');
  });

  it('leaves no unhandled rejection when the work fails afterwards', async () => {
    const controller = new AbortController();
    controller.abort(new Error('gone'));
    const failing = Promise.reject(new Error('too late to matter'));
    await expect(orAbort(failing, controller.signal)).rejects.toThrow('gone');
  });
});

describe('a deadline', () => {
  it('rejects from inTime and makes unlessLate return undefined', async () => {
    await expect(inTime(never, 5)).rejects.toBeInstanceOf(DeadlineExceeded);
    expect(await unlessLate(never, 5)).toBeUndefined();
  });

  it('does not affect work that finishes in time', async () => {
    expect(await unlessLate(Promise.resolve('there'), 10_000)).toBe('there');
    await expect(unlessLate(Promise.reject(new Error('no')), 10_000)).rejects.toThrow('no');
  });
});

describe('abortable work', () => {
  const untilAborted = (signal: AbortSignal) => orAbort(never, signal);

  it('gets the reason: a deadline or a signal, whether fired now or earlier', async () => {
    await expect(withAbort({ deadlineMs: 5 }, untilAborted)).rejects.toBeInstanceOf(
      DeadlineExceeded,
    );
    const late = () => new Error('too late');
    await expect(withAbort({ deadlineMs: 5, late }, untilAborted)).rejects.toThrow('too late');

    const controller = new AbortController();
    const { signal } = controller;
    const waiting = withAbort({ signals: [[undefined], [signal]] }, untilAborted);
    controller.abort(new Error('the process goes'));
    await expect(waiting).rejects.toThrow('the process goes');
    const named = () => new Error('the caller left');
    await expect(withAbort({ signals: [[signal, named]] }, untilAborted)).rejects.toThrow(
      'the caller left',
    );
  });

  it('leaves no listener behind, however it ends', async () => {
    const { signal } = new AbortController();
    const rules = { deadlineMs: 10_000, signals: [[signal]] } as const;
    expect(await withAbort(rules, async () => 7)).toBe(7);
    await expect(withAbort(rules, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});
