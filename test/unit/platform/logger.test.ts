import { describe, expect, it } from '@jest/globals';
import { symbols } from 'pino';
import { createLogger } from '../../../shared/platform/observability/logger.ts';

describe('the loggers of a process', () => {
  it('share one standard output destination, since each has an endless timer', () => {
    const [one, other] = ['web', 'web-supervisor'].map((name) =>
      createLogger({ level: 'silent', name }),
    );
    const destination = (logger: object | undefined) =>
      (logger as Record<symbol, unknown>)[symbols.streamSym];
    expect(destination(one)).toBeDefined();
    expect(destination(one)).toBe(destination(other));
  });
});
