import { describe, expect, it } from '@jest/globals';
import { dayOf } from '../../../shared/platform/clock.ts';
import { createVisitorHasher } from '../../../shared/sales/referral/visitor.ts';

const marks = createVisitorHasher({ secretsKey: Buffer.alloc(32, 1) });

describe('the visitor hash', () => {
  it('is the same all day in every process and different the next day', () => {
    const first = marks('2026-11-20', '192.0.2.1', 'Firefox');
    const elsewhere = createVisitorHasher({ secretsKey: Buffer.alloc(32, 1) });
    expect(elsewhere('2026-11-20', '192.0.2.1', 'Firefox')).toBe(first);
    expect(marks('2026-11-21', '192.0.2.1', 'Firefox')).not.toBe(first);
    expect(marks('2026-11-20', '192.0.2.1', 'Firefox')).toBe(first);
  });

  it('differs by address, by browser, and by installation', () => {
    const other = createVisitorHasher({ secretsKey: Buffer.alloc(32, 2) });
    const all = [
      marks('2026-11-20', '192.0.2.1', 'Firefox'),
      marks('2026-11-20', '192.0.2.2', 'Firefox'),
      marks('2026-11-20', '192.0.2.1', 'Safari'),
      other('2026-11-20', '192.0.2.1', 'Firefox'),
    ];
    expect(new Set(all).size).toBe(4);
  });

  it('uses days in UTC', () => {
    expect(dayOf(new Date('2026-11-20T23:59:59.999Z'))).toBe('2026-11-20');
  });
});
