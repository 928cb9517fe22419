import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { parseDomain } from '../../../shared/market/names/domain-name.ts';
import { DAY } from '../../../shared/platform/clock.ts';
import { moveCase } from '../../../shared/sales/brokerage/case-lifecycle.ts';
import { progressUrl } from '../../../shared/sales/brokerage/progress-link.ts';
import { getCaseById } from '../../../shared/sales/brokerage/read-cases.ts';
import { startTestApp, type TestApp } from '../../support/app.ts';
import { bringTo, givenCase } from '../../support/brokerage.ts';

let app: TestApp;
let owner: { partnerId: string; environment: 'SANDBOX' | 'LIVE' };

beforeAll(async () => {
  app = await startTestApp();
  owner = await app.partner();
});
afterAll(() => app.stop());

/** A case, the URL of its page, and access to its rows. */
async function given(options: Parameters<typeof givenCase>[2] = {}) {
  const opened = await givenCase(app.runtime, owner, options);
  const link = new URL(await progressUrl(app.runtime, opened.id));
  const url = (action = '') => `${app.url}${link.pathname}${action}${link.search}`;
  return {
    ...opened,
    link,
    url,
    open: () => fetch(url()),
    send: (action: string, form: Record<string, string>) =>
      fetch(url(action), { method: 'POST', body: new URLSearchParams(form), redirect: 'manual' }),
    now: async () => (await getCaseById(app.runtime, opened.id)).found,
  };
}

describe('the link to the progress page', () => {
  it('opens the page without sign-in, with headers against caching, indexing and referrers', async () => {
    const { open, domain } = await given();
    const page = await open();
    expect(page.status).toBe(200);
    expect(Object.fromEntries(page.headers)).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
      'x-frame-options': 'SAMEORIGIN',
      'content-security-policy': expect.stringMatching(/^default-src 'none'; style-src 'self'/),
    });
    expect(page.headers.get('set-cookie')).toBeNull();
    const text = await page.text();
    expect(text).toContain(`<h1>${domain}</h1>`);
    expect(text).not.toMatch(/value="(false|undefined|null)"/);
    expect(text).not.toMatch(/<script|style=|onclick/);
    const sheet = /href="(\/assets\/progress-[^"]+)"/.exec(text)?.[1];
    expect((await fetch(app.url + sheet)).headers.get('content-type')).toMatch(/^text\/css/);
  });

  it('returns 403 without its token, with the token of another case, and after tampering', async () => {
    const mine = await given();
    const other = await given();
    const token = mine.link.searchParams.get('pt') ?? '';
    const bad = [
      '',
      '?pt=',
      '?pt=x',
      `?pt=${token}x`,
      `?pt=${token.slice(0, -2)}`,
      `?pt=a&pt=${token}`,
      other.link.search,
      `?pt=${await app.runtime.tokens.sign('checkout', { sub: mine.id })}`,
    ];
    for (const query of bad) {
      for (const method of ['GET', 'POST']) {
        const action = method === 'POST' ? '/cancel' : '';
        const page = await fetch(`${app.url}${mine.link.pathname}${action}${query}`, { method });
        expect([query, page.status]).toEqual([query, 403]);
        const text = await page.text();
        expect(text).toContain('This link doesn’t work');
        expect(text).not.toContain(mine.domain);
      }
    }
    expect((await mine.now()).status).toBe('OPEN');
  });

  it('redirects from a form’s address back to the page', async () => {
    const { url, link } = await given();
    for (const action of ['/budget', '/cancel']) {
      const answer = await fetch(url(action), { redirect: 'manual' });
      expect([answer.status, answer.headers.get('Location')]).toEqual([
        303,
        link.pathname + link.search,
      ]);
    }
  });

  it('works until 90 days after the case ended', async () => {
    const { open, send, id } = await given();
    app.runtime.clock.advance(400 * DAY);
    expect((await open()).status).toBe(200);
    await bringTo(app.runtime, id, 'COMPLETED');
    app.runtime.clock.advance(90 * DAY - 60_000);
    expect((await open()).status).toBe(200);
    app.runtime.clock.advance(60_000);
    const page = await open();
    expect(page.status).toBe(410);
    expect(await page.text()).toContain('no longer valid');
    expect((await send('/cancel', { confirm: 'yes' })).status).toBe(410);
  });
});

describe('the progress page', () => {
  it.each([
    ['OPEN', 'We have your request'],
    ['CONTACTING_OWNER', 'We are contacting the owner'],
    ['NEGOTIATING', 'We are negotiating the price'],
    ['AGREED', 'Price agreed'],
    ['COMPLETED', 'You bought the domain'],
    ['CLOSED_NO_DEAL', 'No deal was possible'],
    ['CANCELLED', 'Your request is canceled'],
  ] as const)('describes %s in plain words', async (status, words) => {
    const { open, id } = await given();
    await bringTo(app.runtime, id, status);
    const text = await (await open()).text();
    expect(text).toContain(`<h2 id="standing">${words}</h2>`);
    expect(text).not.toContain(status.includes('_') ? status : `>${status}<`);
  });

  it('shows what happened to the order after the deal', async () => {
    const { open, id } = await given();
    await bringTo(app.runtime, id, 'COMPLETED');
    expect(await (await open()).text()).toContain('the domain is on its way to you');
    const { found } = await getCaseById(app.runtime, id);
    const become = (status: string) =>
      app.runtime.db.knex('orders').where({ id: found.orderId }).update({ status });
    await become('TRANSFER_COMPLETED');
    expect(await (await open()).text()).toContain('the domain was delivered');
    await become('REFUNDED');
    const text = await (await open()).text();
    expect(text).toContain('<h2 id="standing">This purchase was reversed</h2>');
    expect(text).not.toMatch(/on its way|was delivered|aria-current="step"/);
  });

  it('announces a payment page only if the buyer accepted a price', async () => {
    const { open, id } = await given();
    await bringTo(app.runtime, id, 'AGREED');
    const text = await (await open()).text();
    expect(text).toContain('Our brokers will tell you how to pay.');
    expect(text).not.toMatch(/next step is the payment|agreed to this price/);
  });

  it('shows the budget and the timeline, and nothing about the partner', async () => {
    const { open, id } = await given();
    await bringTo(app.runtime, id, 'COMPLETED');
    const { found } = await getCaseById(app.runtime, id);
    const text = await (await open()).text();
    expect(text).toContain('$5,000.00');
    expect(text).toContain('The domain was bought for $4,500.00.');
    expect(text).toContain('Test mode');
    const secrets = [owner.partnerId, found.orderId, '675.00', 'ommission', 'buyer@example.com'];
    for (const secret of secrets) expect(text).not.toContain(secret);
  });

  it('says that an offer is above the budget until the budget is raised', async () => {
    const { id, open, send } = await given();
    await bringTo(app.runtime, id, 'CONTACTING_OWNER');
    await app.runtime.db.transact((uow) =>
      moveCase(uow, app.runtime, { caseId: id, to: 'NEGOTIATING', by: 'ops', offerCents: 620_000 }),
    );
    const above = await (await open()).text();
    expect(above).toContain(
      'The latest offer is $6,200.00, which is above your budget of $5,000.00. You can raise your budget below.',
    );
    expect(above).not.toContain('within your budget');
    await send('/budget', { budget: '6500' });
    expect(await (await open()).text()).toContain('within your budget');
  });

  it('labels the agreed price, and after that a closed request does not say that none was agreed', async () => {
    const { id, open } = await given();
    await bringTo(app.runtime, id, 'NEGOTIATING');
    const move = (to: 'AGREED' | 'CLOSED_NO_DEAL', offerCents?: number) =>
      app.runtime.db.transact((uow) =>
        moveCase(uow, app.runtime, { caseId: id, to, by: 'ops', offerCents }),
      );
    await move('AGREED', 430_033);
    const agreed = await (await open()).text();
    expect(agreed).toContain('<dt>Agreed price</dt><dd>$4,300.33</dd>');
    expect(agreed).not.toContain('Latest offer');
    await move('CLOSED_NO_DEAL');
    const closed = await (await open()).text();
    expect(closed).toContain('There was no deal in the end');
    expect(closed).not.toContain('agree on a price');
  });

  it('shows an internationalized domain in Unicode', async () => {
    const { ascii } = parseDomain('bücher-wanted.de');
    const { open } = await given({ domain: ascii });
    const text = await (await open()).text();
    expect(text).toMatch(/<h1>bücher-wanted\.de<\/h1>\s*<p class="ascii">xn--/);
  });

  it('has forms only in self-serve cases without an agreed price', async () => {
    const managed = await given({ tier: 'managed' });
    expect(await (await managed.open()).text()).not.toContain('<form');
    const agreed = await given();
    expect(await (await agreed.open()).text()).toContain('<form');
    await bringTo(app.runtime, agreed.id, 'AGREED');
    expect(await (await agreed.open()).text()).not.toContain('<form');
  });
});

describe('raising the budget', () => {
  it.each([
    ['6000', 600_000],
    ['$6,000.50', 600_050],
    [' 6,000 usd ', 600_000],
    ['5000.01', 500_001],
  ])('accepts %j, redirects, and confirms it once', async (typed, cents) => {
    const { send, now, url } = await given();
    const answer = await send('/budget', { budget: typed });
    expect(answer.status).toBe(303);
    expect((await now()).budget.amount).toBe(cents);
    const location = answer.headers.get('location') ?? '';
    expect(`${app.url}${location}`).toBe(`${url()}&done=budget`);
    const text = await (await fetch(app.url + location)).text();
    expect(text).toContain('role="status" tabindex="-1" autofocus>Your budget was raised.');
  });

  it.each(['', 'lots', '6.000,00', '6,00', '-6000', '1e9', '6000.123', '9'.repeat(13), '4999.99'])(
    'shows the form again for %j, with the reason and the input',
    async (typed) => {
      const { send, now } = await given();
      const answer = await send('/budget', { budget: typed });
      expect(answer.status).toBe(400);
      const text = await answer.text();
      expect(text).toMatch(
        /role="alert" id="fault"[^>]*>(Enter the new budget|The new budget must be)/,
      );
      expect(text).toContain(`value="${typed}" aria-invalid="true"`);
      expect((await now()).budget.amount).toBe(500_000);
    },
  );

  it('uses the minor units of the currency', async () => {
    const { send, now } = await given({ currency: 'JPY', budgetCents: 500_000 });
    const refused = await send('/budget', { budget: '600000.5' });
    expect(refused.status).toBe(400);
    expect(await refused.text()).toContain('Enter the new budget in JPY, such as 4,500.');
    expect((await send('/budget', { budget: '600,000' })).status).toBe(303);
    expect((await now()).budget.amount).toBe(600_000);
  });

  it('refuses the sign of another currency', async () => {
    const { send, now } = await given({ currency: 'JPY', budgetCents: 500_000 });
    for (const budget of ['$600,000', '€600,000', '600,000 USD']) {
      expect([budget, (await send('/budget', { budget })).status]).toEqual([budget, 400]);
    }
    expect((await now()).budget.amount).toBe(500_000);
    expect((await send('/budget', { budget: '¥600,000' })).status).toBe(303);
  });

  it('escapes the input', async () => {
    const { send } = await given();
    const text = await (await send('/budget', { budget: '"><script>alert(1)</script>' })).text();
    expect(text).not.toContain('<script');
    expect(text).toContain('&quot;&gt;&lt;script&gt;');
  });

  it('fails if the case has moved on, and shows its current state', async () => {
    const { send, id } = await given();
    await bringTo(app.runtime, id, 'AGREED');
    const answer = await send('/budget', { budget: '9000' });
    expect(answer.status).toBe(409);
    const text = await answer.text();
    expect(text).toContain('has changed in the meantime');
    expect(text).toContain('Price agreed');
  });

  it('is rejected in a managed case', async () => {
    const { send, now } = await given({ tier: 'managed' });
    expect((await send('/budget', { budget: '9000' })).status).toBe(409);
    expect((await now()).budget.amount).toBe(500_000);
  });
});

describe('canceling a brokerage case', () => {
  it('requires confirmation', async () => {
    const { send, now } = await given();
    const answer = await send('/cancel', {});
    expect(answer.status).toBe(400);
    expect(await answer.text()).toContain('<details open>');
    expect((await now()).status).toBe('OPEN');
  });

  it('closes the case, is safe to repeat, and frees the domain', async () => {
    const { send, now, domain } = await given();
    const answer = await send('/cancel', { confirm: 'yes' });
    expect(answer.status).toBe(303);
    expect((await send('/cancel', { confirm: 'yes' })).status).toBe(303);
    expect((await now()).status).toBe('CANCELLED');
    const page = await fetch(app.url + answer.headers.get('location'));
    expect(await page.text()).toContain('<h2 id="standing">Your request is canceled</h2>');
    await givenCase(app.runtime, owner, { domain });
  });
});

describe('the "done" parameter of the progress page', () => {
  it('shows a confirmation only if the action was done', async () => {
    const { url } = await given();
    for (const claim of ['budget', 'cancel', '<b>']) {
      const text = await (await fetch(`${url()}&done=${encodeURIComponent(claim)}`)).text();
      expect(text).not.toContain('role="status"');
    }
  });
});

describe('forms of the progress page', () => {
  it('return an error page for malformed bodies', async () => {
    const { url, now } = await given();
    const post = (
      body: string | Uint8Array<ArrayBuffer>,
      type = 'application/x-www-form-urlencoded',
    ) => fetch(url('/budget'), { method: 'POST', body, headers: { 'Content-Type': type } });
    const answers = await Promise.all([
      post('budget=6000%00'),
      post(`budget=${'9'.repeat(20_000)}`),
      post('budget[]=6000&budget[]=7000'),
      post('budget=6000&budget=7000'),
      post('{"budget":"6000"}', 'application/json'),
      post(new Uint8Array([0xff, 0xfe]), 'text/plain'),
    ]);
    for (const answer of answers) {
      expect([400, 413]).toContain(answer.status);
      expect(answer.headers.get('content-type')).toMatch(/^text\/html/);
    }
    expect((await now()).budget.amount).toBe(500_000);
  });

  it('are rate limited per address', async () => {
    const limited = await startTestApp({ RATE_LIMITS: 'on', limitProgressPage: 2 });
    try {
      const partner = await limited.partner();
      const { id } = await givenCase(limited.runtime, partner);
      const link = new URL(await progressUrl(limited.runtime, id));
      const send = () =>
        fetch(`${limited.url}${link.pathname}/cancel${link.search}`, { method: 'POST' });
      expect([(await send()).status, (await send()).status]).toEqual([400, 400]);
      const third = await send();
      expect(third.status).toBe(429);
      expect(Number(third.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(await third.text()).toContain('Too many attempts');
      expect((await fetch(`${limited.url}${link.pathname}${link.search}`)).status).toBe(200);
    } finally {
      await limited.stop();
    }
  });
});
