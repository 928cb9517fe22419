import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { formatAnswer } from '../../../api/ops/cli/command-output.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';
import { sanitizeForTerminal, terminalJson } from '../../../shared/platform/terminal-text.ts';

const order = (at: number) => ({
  public_id: `ord_01m7yg4ev0e89rzq0ngjrt467${at}`,
  domain: 'neatsofa.net',
  sale_price_cents: 153_500,
  amount_owed_cents: null,
  currency: 'USD',
  buyer: { email: 'ada@example.com', name: 'Ada Lovelace', country: 'GB' },
  return_url: `https://shop.example/${'long/'.repeat(40)}`,
  created_at: '2026-11-22T09:30:00.000Z',
  review_reasons: ['price', 'country'],
});
/** Terminal control characters and bidi controls. */
const STEERS = /[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u;
const columns = ['public_id', 'domain', 'sale_price', 'review_reasons'];
const widest = (text: string) => Math.max(...text.split('\n').map((line) => line.length));

describe('human-readable command output', () => {
  it.each([80, 100, 132])('fits a terminal of width %i', (width) => {
    const answer = { orders: [order(1), order(2)] };
    expect(widest(formatAnswer(answer, { width, columns }))).toBeLessThanOrEqual(width);
    expect(widest(formatAnswer(answer, { width }))).toBeLessThanOrEqual(width);
    expect(widest(formatAnswer(order(1), { width }))).toBeLessThanOrEqual(width);
  });

  it('is a table if one fits, with only the key columns if necessary', () => {
    const few = { jobs: [{ job: 41, queue: 'webhooks' }] };
    expect(formatAnswer(few)).toBe('jobs\n  job  queue\n  41   webhooks');
    expect(formatAnswer({ orders: [order(1)] }, { columns })).toBe(
      [
        'orders',
        '  public_id                       domain        sale_price  review_reasons',
        '  ord_01m7yg4ev0e89rzq0ngjrt4671  neatsofa.net  $1,535.00   price, country',
        '',
        '--json shows every field.',
      ].join('\n'),
    );
  });

  it('has one block per row if no table fits, wrapping long values', () => {
    const text = formatAnswer({ orders: [order(1), order(2)] });
    expect(text).toMatch(/^orders 1 of 2\npublic_id {7}ord_/);
    expect(text).toContain('\n\norders 2 of 2\n');
    expect(text.replace(/\n +/g, '')).toContain('long/'.repeat(40));
  });

  it('formats amounts and times, each amount in its own currency', () => {
    const text = formatAnswer({ ...order(1), currency: 'JPY', sale_price_cents: 48_500 });
    expect(text).toMatch(/^sale_price +¥48,500$/m);
    expect(text).toMatch(/^amount_owed +-$/m);
    expect(text).toMatch(/^created_at +Nov 22, 2026, 09:30 UTC$/m);
    expect(text).not.toContain('cents');
    expect(formatAnswer({ fee_cents: 5 })).toBe('fee_cents  5');
    const run = { partners: [{ statements: [{ owed_cents: 100, currency: 'EUR' }] }] };
    expect(formatAnswer(run)).toContain('owed €1.00');
  });

  it('never passes control sequences to the terminal', () => {
    const name = '\u001b[2J\u001b]0;title\u0007Ada\r\nGrace\u009b31m \u202egro.live\u2066\u061c';
    for (const answer of [{ name }, { orders: [{ name, note: null }] }, { names: [name] }]) {
      expect(formatAnswer(answer).replaceAll('\n', '')).not.toMatch(STEERS);
      expect(formatAnswer(answer)).toContain('[2J]0;titleAda  Grace31m gro.live');
    }
  });

  it('leaves no control sequences in the log, either', () => {
    const lines: string[] = [];
    const log = createLogger(
      { level: 'info', name: 'test' },
      { write: (line) => lines.push(line) },
    );
    log.info({ domain: 'a\u009b31m\u202e' }, 'seen');
    expect(lines).toHaveLength(1);
    expect(lines[0]?.trimEnd()).not.toMatch(STEERS);
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ domain: 'a\u009b31m\u202e' });
  });

  it('keeps JSON content but escapes control characters', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const json = terminalJson(JSON.stringify({ text }));
        expect(JSON.parse(json)).toEqual({ text });
        expect(json).not.toMatch(STEERS);
        expect(sanitizeForTerminal(text)).not.toMatch(STEERS);
      }),
    );
    fc.assert(
      fc.property(fc.constantFrom('\u001b', '\u007f', '\u009b', '\u202e', '\u2028'), (sign) => {
        expect(JSON.parse(terminalJson(JSON.stringify([sign])))).toEqual([sign]);
        expect(terminalJson(JSON.stringify([sign]))).toMatch(/^\["\\u[0-9a-f]{4}"\]$/);
      }),
    );
  });
});
