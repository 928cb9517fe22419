import type { ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  AdmissionControl,
  AT_WORK,
  AT_WORK_MS,
  BURST,
  SAMPLE_MS,
  WAIT_MS,
} from '../../../api/http/load-shedding.ts';

const TARGET_MS = 150;

/** A process with its own clock, which answers when the test says so. */
function givenProcess({ saturated = true, targetMs = TARGET_MS } = {}) {
  let clock = 0;
  const begun: Request[] = [];
  const refused: Request[] = [];
  const state = { saturated };
  const admission = new AdmissionControl({
    targetMs,
    isSaturated: () => state.saturated,
    now: () => clock,
  });
  interface Request {
    res: ServerResponse;
    since: number;
  }
  const send = (count = 1): Request[] =>
    Array.from({ length: count }, () => {
      const request = { res: { headersSent: false } as ServerResponse, since: clock };
      admission.add(
        request.res,
        () => begun.push(request),
        () => refused.push(request),
      );
      return request;
    });
  /** Answers the oldest running requests and returns how long each took. */
  const answer = (count = 1): number[] =>
    Array.from({ length: count }).flatMap(() => {
      const request = begun.shift();
      if (!request) return [];
      Object.assign(request.res, { headersSent: true });
      admission.end(request.res);
      return [clock - request.since];
    });
  const pass = (milliseconds: number) => {
    for (let passed = 0; passed < milliseconds; passed += 1) {
      clock += 1;
      if (clock % SAMPLE_MS === 0) admission.sample();
      admission.advance();
    }
  };
  return { admission, begun, refused, state, send, answer, pass };
}

describe('admission control', () => {
  it('starts every request while the process is not saturated', () => {
    const { begun, send } = givenProcess({ saturated: false });
    send(1_000);
    expect(begun).toHaveLength(1_000);
  });

  it('runs a few requests when saturated and queues the others in order', () => {
    const { begun, send, answer } = givenProcess();
    const sent = send(AT_WORK + 3);
    expect(begun).toEqual(sent.slice(0, AT_WORK));
    answer(2);
    expect(begun).toEqual(sent.slice(2, AT_WORK + 2));
  });

  it('accepts a whole burst and refuses what exceeds it', () => {
    const { refused, send } = givenProcess();
    send(BURST);
    expect(refused).toEqual([]);
    const beyond = send(2);
    expect(refused).toEqual(beyond);
  });

  it('runs as many requests at once as it can answer within the target time', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 40 }),
        fc.integer({ min: 20, max: 1_000 }),
        (perSample, targetMs) => {
          const { admission, send, answer, pass } = givenProcess({ targetMs });
          send(BURST);
          for (let sample = 0; sample < 10; sample += 1) {
            for (let at = 0; at < perSample; at += 1) {
              answer();
              send();
            }
            pass(SAMPLE_MS);
          }
          const limit = Math.round((perSample / SAMPLE_MS) * targetMs);
          expect(admission.limit).toBe(Math.min(BURST, Math.max(2 * AT_WORK, limit)));
        },
      ),
    );
  });

  it('answers at capacity and within about the target time, however many arrive', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 2, max: 6 }),
        fc.integer({ min: 2, max: 10 }),
        (answerMs, times) => {
          const { refused, send, answer, pass } = givenProcess();
          const taken: number[] = [];
          for (let at = 0; at < 3_000; at += answerMs) {
            send(times);
            pass(answerMs);
            const took = answer();
            if (at >= 1_000) taken.push(...took);
          }
          expect(taken.length).toBeGreaterThanOrEqual(Math.floor(2_000 / answerMs));
          expect(Math.max(...taken)).toBeLessThan(1.5 * TARGET_MS);
          expect(refused.length).toBeGreaterThan(0);
        },
      ),
    );
  });

  it('refuses nothing if each burst is done before the next', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: BURST }), (size) => {
        const { refused, send, answer, pass } = givenProcess();
        for (let burst = 0; burst < 5; burst += 1) {
          send(size);
          for (let at = 0; at < size; at += 1) {
            pass(5);
            answer();
          }
          pass(SAMPLE_MS);
        }
        expect(refused).toEqual([]);
      }),
    );
  });

  it('accepts another burst as soon as the queue has been empty', () => {
    const { admission, send, answer, pass } = givenProcess();
    send(60);
    pass(3 * SAMPLE_MS);
    expect(admission.limit).toBe(2 * AT_WORK);
    answer(60);
    pass(SAMPLE_MS);
    expect(admission.limit).toBe(BURST);
  });

  it('does not block on streams or on requests that wait for others', () => {
    const { begun, send, pass } = givenProcess();
    const long = send(AT_WORK);
    const [next] = send();
    expect(begun).not.toContain(next);
    Object.assign(long[0]?.res ?? {}, { headersSent: true });
    pass(1);
    expect(begun).toContain(next);
    const others = send(AT_WORK);
    pass(AT_WORK_MS);
    expect(begun).toEqual(expect.arrayContaining(others));
  });

  it('starts waiting requests one by one when the process is no longer saturated', () => {
    const { begun, state, send, pass } = givenProcess();
    send(AT_WORK + 20);
    state.saturated = false;
    pass(1);
    expect(begun).toHaveLength(AT_WORK + 1);
    pass(19);
    expect(begun).toHaveLength(AT_WORK + 20);
  });

  it('forgets clients that disconnect and refuses those that waited too long', () => {
    const { admission, begun, refused, send, pass } = givenProcess();
    const sent = send(BURST);
    const gone = sent[BURST - 1] as (typeof sent)[number];
    admission.end(gone.res);
    expect(admission.waiting).toBe(BURST - 1 - AT_WORK);
    pass(WAIT_MS + 1);
    expect(admission.waiting).toBe(0);
    expect(begun.length + refused.length).toBe(BURST - 1);
    expect(refused.length).toBeGreaterThan(0);
    expect([...begun, ...refused]).not.toContain(gone);
  });
});
