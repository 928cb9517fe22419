import { describe, expect, it } from '@jest/globals';
import { pino } from 'pino';
import { limitRepeatedLines } from '../../../shared/platform/observability/repeated-lines.ts';

/** A logger whose lines are read, and whose windows end, when the test says so. */
function scene() {
  const lines: string[] = [];
  const windows: (() => void)[] = [];
  const logMethod = limitRepeatedLines((end) => windows.push(end));
  const log = pino({ hooks: { logMethod } }, { write: (line) => lines.push(line) });
  return {
    log,
    read: () => lines.splice(0).map((line) => JSON.parse(line)),
    endWindows: () => {
      for (const end of windows.splice(0)) end();
    },
  };
}

describe('a warning or error that repeats', () => {
  const refused = () => new Error('MISCONF Redis is configured to save RDB snapshots');

  it('is written five times in ten seconds, then once with how often it was left out', () => {
    const { log, read, endWindows } = scene();
    const fail = () => log.error({ err: refused(), route: '/v1/orders' }, 'request failed');
    for (let count = 0; count < 10_000; count += 1) fail();
    expect(read()).toHaveLength(5);
    endWindows();
    expect(read()).toEqual([
      expect.objectContaining({
        level: 50,
        msg: 'request failed',
        route: '/v1/orders',
        error: expect.stringMatching(/^MISCONF/),
        repeated: 9_995,
      }),
    ]);
    fail();
    expect(read()).toHaveLength(1);
  });

  it('is counted by logger and its children together, but apart from others', () => {
    const { log, read } = scene();
    const child = log.child({ part: 'relay' });
    for (let count = 0; count < 3; count += 1) {
      log.warn('away');
      child.warn('away');
      log.error('away');
      log.warn({ err: refused() }, 'away');
      log.warn({ job: 'send-mail' }, 'away');
    }
    expect(read()).toHaveLength(5 + 3 + 3 + 3);
  });

  it('is written for every payment and domain that staff must look after', () => {
    const { log, read } = scene();
    for (let count = 0; count < 20; count += 1) {
      log.warn({ payment_id: `pay_${count}` }, 'a payment was given back at the provider');
      log.error({ domain: `name${count}.com`, reason: 'refused' }, 'a domain was not renewed');
    }
    expect(read()).toHaveLength(40);
  });

  it('leaves lines of other levels alone', () => {
    const { log, read, endWindows } = scene();
    for (let count = 0; count < 20; count += 1) log.info('request');
    expect(read()).toHaveLength(20);
    endWindows();
    expect(read()).toEqual([]);
  });
});
