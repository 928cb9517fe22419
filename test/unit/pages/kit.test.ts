import { describe, expect, it } from '@jest/globals';
import type { ErrorRequestHandler } from 'express';
import fc from 'fast-check';
import { errorPage, errorWords, PageError } from '../../../api/pages/kit/error-page.ts';
import { checkboxes, inputField, parseAmount, selectField } from '../../../api/pages/kit/form.ts';
import {
  formatDay,
  formatInstant,
  longDuration,
  percent,
  relativeTime,
} from '../../../api/pages/kit/format.ts';
import { badge, descriptionList, emptyState, notice } from '../../../api/pages/kit/page-parts.ts';
import { realPageNow } from '../../../api/pages/kit/page-time.ts';
import { numberColumn, table } from '../../../api/pages/kit/table.ts';
import { showPrice } from '../../../shared/market/inventory/masked-price.ts';
import { DAY, HOUR, MINUTE } from '../../../shared/platform/clock.ts';
import { CURRENCIES } from '../../../shared/platform/currencies.ts';
import { fail } from '../../../shared/platform/errors.ts';
import { attributes, html } from '../../../shared/platform/html.ts';
import {
  decimalAmount,
  formatMoney,
  formatMoneyWithCode,
  MAX_PRICE_CENTS,
  Money,
} from '../../../shared/platform/money.ts';
import { createLogger } from '../../../shared/platform/observability/logger.ts';

const HOSTILE = `"><script>alert(1)</script>'&`;
const NOON = new Date('2026-11-22T09:30:00.000Z');

describe('a form field', () => {
  it('is linked to its hint and error and marked as invalid', () => {
    const { markup } = inputField({
      name: 'email',
      label: 'Email address',
      hint: 'For questions.',
      error: 'Enter your email address.',
      required: true,
      value: 'a',
    });
    expect(markup).toContain('<label for="email">Email address</label>');
    expect(markup).toContain(
      '<input id="email" name="email" type="text" required value="a" aria-invalid="true" aria-describedby="email-hint email-error">',
    );
    expect(markup).toContain('<p class="hint" id="email-hint">For questions.</p>');
    expect(markup).toContain('<p class="error" id="email-error">Enter your email address.</p>');
  });

  it('has no attributes for a missing hint or error', () => {
    const { markup } = inputField({ id: 'filter-q', name: 'q', label: 'Search' });
    expect(markup).toContain('<input id="filter-q" name="q" type="text">');
    expect(markup).not.toMatch(/aria-|class="(hint|error)"/);
  });

  it('shows all input as plain text', () => {
    const text = inputField({ name: 'a', label: HOSTILE, value: HOSTILE, error: HOSTILE });
    const choice = { value: HOSTILE, text: HOSTILE };
    const select = selectField({ name: 'b', label: 'B', choices: [choice], chosen: HOSTILE });
    const boxes = checkboxes({ name: 'c', label: 'C', choices: [choice], chosen: [HOSTILE] });
    for (const { markup } of [text, select, boxes]) expect(markup).not.toContain('<script');
    expect(select.markup).toContain(' selected>');
    expect(boxes.markup).toContain(' checked>');
  });
});

describe('parsing a typed amount', () => {
  it.each([
    ['6000', 'USD', 600_000],
    ['$6,000.50', 'USD', 600_050],
    ['6 000 usd', 'USD', 600_000],
    ['600,000', 'JPY', 600_000],
    ['¥600,000', 'JPY', 600_000],
    ['￥600,000', 'JPY', 600_000],
    ['JP¥ 600,000', 'JPY', 600_000],
    ['$6,000', 'CAD', 600_000],
  ])('reads %j in %s as %i minor units', (typed, currency, cents) => {
    expect(parseAmount(typed, currency)).toBe(cents);
  });

  it.each(['', '-1', '6.000,00', '6,00', '1e9', '6000.123', 'lots'])('rejects %j', (typed) => {
    expect(parseAmount(typed, 'USD')).toBeUndefined();
  });

  it.each([
    ['$300,000', 'JPY'],
    ['€700,000', 'JPY'],
    ['¥6000', 'USD'],
    ['CA$6000', 'USD'],
    ['6000 EUR', 'USD'],
  ])('rejects %j in %s, which has another sign', (typed, currency) => {
    expect(parseAmount(typed, currency)).toBeUndefined();
  });

  it.each(CURRENCIES)('in %s reads back every amount that pages show', (currency) => {
    fc.assert(
      fc.property(fc.nat({ max: MAX_PRICE_CENTS }), (amount) => {
        const money = new Money(amount, currency);
        for (const text of [
          decimalAmount(money),
          formatMoney(money),
          formatMoneyWithCode(money),
          showPrice(amount, currency),
        ]) {
          expect([text, parseAmount(text, currency)]).toEqual([text, amount]);
        }
      }),
      { numRuns: 20 },
    );
  });
});

describe('dates and numbers on pages', () => {
  it('are formatted for people', () => {
    expect(formatInstant(NOON)).toBe('Nov 22, 2026, 09:30 UTC');
    expect(formatDay(NOON)).toBe('Nov 22, 2026');
    expect(formatInstant(new Date('2026-11-22T00:05:00Z'))).toBe('Nov 22, 2026, 00:05 UTC');
    const at = (ms: number) => realPageNow({ clock: { now: () => new Date(NOON.getTime() + ms) } });
    expect(relativeTime(NOON, at(3 * HOUR))).toBe('3 hours ago');
    expect(relativeTime(NOON, at(-46 * DAY - HOUR))).toBe('in 46 days');
    expect(relativeTime(NOON, at(-1))).toBe('now');
    expect(longDuration(6 * DAY + 23 * HOUR + 5 * MINUTE)).toBe('6 days 23 hours');
    expect(longDuration(1)).toBe('less than a minute');
    expect(percent(1_250)).toBe('12.5%');
  });

  it('are right-aligned in tables', () => {
    const { markup } = table('Sums', ['Name', numberColumn('Amount')], [['a', '$1.00']], 'None.');
    expect(markup).toContain('<th scope="col" role="columnheader" class="number">Amount</th>');
    expect(markup).toContain(
      '<td role="cell" data-label="Amount" class="number"><div>$1.00</div></td>',
    );
    expect(table('Sums', ['Name'], [], 'No sums.').markup).toBe(emptyState('No sums.').markup);
  });
});

describe('description lists and notices', () => {
  it('omit facts without a value and attributes that are off', () => {
    const list = descriptionList([
      ['Kept', 0],
      ['Gone', null],
      ['Gone, too', false],
    ]);
    expect(list.markup).toBe('<dl class="facts"><div><dt>Kept</dt><dd>0</dd></div></dl>');
    expect(attributes({ a: true, b: false, c: undefined, d: 0 }).markup).toBe(' a d="0"');
  });

  it('announce errors as alerts and successes as status', () => {
    expect(notice({ tone: 'bad', content: 'No.' }).markup).toContain('role="alert"');
    expect(notice({ tone: 'good', content: 'Yes.' }).markup).toContain('role="status"');
    expect(notice({ tone: 'neutral', content: 'Hm.' }).markup).not.toContain('role=');
  });
});

describe('an error page', () => {
  /** A handler's response to a thrown error. */
  const answerOf = async (handler: ErrorRequestHandler, thrown: unknown) => {
    const answer = { status: 0, body: '' };
    const res = {
      locals: {},
      headersSent: false,
      set: () => res,
      type: () => res,
      status: (status: number) => Object.assign(answer, { status }) && res,
      send: (body: string) => Object.assign(answer, { body }) && res,
    };
    await handler(thrown, { method: 'GET' } as never, res as never, () => {});
    return answer;
  };
  const log = createLogger({ level: 'silent', name: 'test' });
  const render = ({ title, text }: { title: string; text: string }) =>
    html`${title}|${text}`.markup;

  it('has a text for every status', async () => {
    const handler = errorPage({ log, render });
    expect((await answerOf(handler, fail('not_found'))).body).toContain(errorWords(404).title);
    expect(await answerOf(handler, new Error('secret'))).toEqual({
      status: 500,
      body: render(errorWords(500)),
    });
    expect(errorWords(418)).toEqual(errorWords(400));
    expect(errorWords(599)).toEqual(errorWords(500));
  });

  it('takes its text from the page, the error, or a translated library error', async () => {
    const gone = new PageError(410, { title: 'Gone', text: 'Ask for a new link.' });
    const handler = errorPage({
      log,
      render,
      words: ({ status }) => (status === 404 ? { title: 'Ours', text: '' } : undefined),
      translate: (thrown) => (thrown === 'lost' ? gone : undefined),
    });
    expect((await answerOf(handler, fail('not_found'))).body).toBe('Ours|');
    const said = { status: 410, body: 'Gone|Ask for a new link.' };
    expect(await answerOf(handler, gone)).toEqual(said);
    expect(await answerOf(handler, 'lost')).toEqual(said);
  });
});

describe('an icon in a badge', () => {
  it('is hidden from screen readers next to its text', () => {
    const { markup } = badge('good', 'Paid');
    expect(markup).toMatch(
      /^<span class="badge good"><svg class="icon" viewBox="0 0 24 24" aria-hidden="true">(<(path|circle) [^<>]*\/>)+<\/svg>Paid<\/span>$/,
    );
  });
});
