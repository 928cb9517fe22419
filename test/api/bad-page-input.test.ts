import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { progressUrl } from '../../shared/sales/brokerage/progress-link.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { givenCase } from '../support/brokerage.ts';
import { buyerWith, CARDS, fetchPage, givenSession, type PageAnswer } from '../support/checkout.ts';

const NASTY_TEXT = [
  '',
  ' ',
  '\u0000',
  '%',
  '%zz',
  '%ff%fe',
  '%00',
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' or 1=1 --",
  '=1+1',
  '\r\nSet-Cookie: a=b',
  '__proto__',
  'constructor',
  '4242 4242 4242 4242',
  '99/99',
  '00/0000',
  '１２/３９',
  '1e309',
  '-5',
  '$6,000.00',
  '999999999999.99',
  '\u202e\u0645\u0635\u0631',
  'x'.repeat(9_000),
  'x'.repeat(20_000),
];
const nastyText = fc.oneof(
  fc.constantFrom(...NASTY_TEXT),
  fc.string({ unit: 'binary', maxLength: 40 }).map((text) => text.replace(/\p{Surrogate}/gu, '?')),
  fc.string({ maxLength: 200 }),
);

/** A form as a browser or an attacker might send it: names may repeat. */
const formOf = (names: readonly string[]) =>
  fc.array(fc.tuple(fc.constantFrom(...names, '__proto__', 'toString', 'unknown'), nastyText), {
    maxLength: 8,
  });
const contentType = fc.constantFrom(
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded',
  'application/x-www-form-urlencoded; charset=latin9',
  'application/x-www-form-urlencoded; charset=iso-8859-1',
  'multipart/form-data; boundary=x',
  'application/json',
  'text/plain',
  '',
);
const raw = fc.oneof(fc.constant(null), nastyText);

describe('pages with invalid input', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startTestApp();
  });
  afterAll(() => app.stop());

  const send = (url: string, body: string, type: string) =>
    fetchPage(url, { method: 'POST', body, headers: { 'Content-Type': type } });

  /** Expects a page or a redirect to one, with all input escaped. */
  const expectPage = (answer: PageAnswer, home: string) => {
    if (answer.status >= 500) throw new Error(`answered ${answer.status}: ${answer.text}`);
    expect(answer.headers.get('Content-Security-Policy')).toContain("default-src 'none'");
    expect(answer.headers.get('Cache-Control')).toBe('no-store');
    expect(answer.headers.get('Set-Cookie')).toBeNull();
    if (answer.status === 303) {
      const { host, pathname } = new URL(answer.location, app.url);
      expect([new URL(app.url).host, 'partner.example']).toContain(host);
      if (host !== 'partner.example') expect(pathname).toBe(new URL(home).pathname);
      return;
    }
    expect(answer.headers.get('Content-Type')).toBe('text/html; charset=utf-8');
    expect(answer.text).toMatch(/^<!doctype html>/);
    expect(answer.text).not.toMatch(/<script>alert|<img src=x/);
  };

  const part = (url: string, action: string) => {
    const at = new URL(url);
    at.pathname += action;
    return at;
  };

  it.each(['/pay', '/confirm', '/return', '/cancel', ''])(
    'checkout%s returns a page, never a 5xx',
    async (action) => {
      const { client } = await app.partner();
      const names = [...Object.keys(buyerWith(CARDS.good)), 'answer'];
      let session = await givenSession(app, client);
      await fc.assert(
        fc.asyncProperty(formOf(names), contentType, raw, fc.boolean(), async (...input) => {
          const [fields, type, text, honest] = input;
          const page = await fetchPage(session.url);
          if (page.status !== 200) session = await givenSession(app, client);
          const token = /name="form" value="([^"]+)"/.exec(page.text)?.[1] ?? '';
          const start = honest ? { form: token, ...buyerWith(CARDS.good) } : { form: token };
          const form = new URLSearchParams(start);
          for (const [name, value] of fields) form.append(name, value);
          expectPage(
            await send(part(session.url, action).href, text ?? `${form}`, type),
            session.url,
          );
        }),
        { numRuns: 60 },
      );
    },
  );

  it.each(['/budget', '/cancel', ''])('brokerage%s returns a page, never a 5xx', async (action) => {
    const partner = await app.partner();
    const address = async () => {
      const { id } = await givenCase(app.runtime, partner);
      const { pathname, search } = new URL(await progressUrl(app.runtime, id));
      return app.url + pathname + search;
    };
    let url = await address();
    await fc.assert(
      fc.asyncProperty(formOf(['budget', 'confirm']), contentType, raw, async (...input) => {
        const [fields, type, text] = input;
        if (!(await fetchPage(url)).text.includes('name="budget"')) url = await address();
        const form = new URLSearchParams(fields);
        expectPage(await send(part(url, action).href, text ?? `${form}`, type), url);
      }),
      { numRuns: 60 },
    );
  });

  it.each(['checkout', 'brokerage'])(
    '%s returns an error page for an invalid link',
    async (room) => {
      const path = fc.oneof(nastyText, fc.constant('cks_01kaj0000000000000000000000'));
      await fc.assert(
        fc.asyncProperty(path, nastyText, fc.boolean(), async (id, pt, twice) => {
          const segment = encodeURIComponent(id.slice(0, 1_000)) || 'x';
          // Longer URLs exceed Node's limit of request headers.
          const query = `pt=${encodeURIComponent(pt.slice(0, 1_000))}${twice ? '&pt=x' : ''}`;
          const url = `${app.url}/${room}/${segment}?${query}`;
          const answer = await fetchPage(url);
          expectPage(answer, url);
          expect(answer.status).toBeGreaterThanOrEqual(400);
        }),
        { numRuns: 60 },
      );
    },
  );
});
