import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { MAIL_KINDS } from '../../shared/messaging/mail/mail.ts';
import type { MailWithBrand } from '../../shared/messaging/mail/mail-settings.ts';
import { unsubscribeUrl } from '../../shared/messaging/mail/unsubscribe-link.ts';
import { transferStartedMail } from '../../shared/sales/transfers/transfer.mails.ts';
import { startWorkers, type WorkerProcess } from '../../workers/start-workers.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import { buyerWith, CARDS, givenSession, sendForm } from '../support/checkout.ts';
import { eventually } from '../support/eventually.ts';

let app: TestApp;
let fleet: WorkerProcess;
beforeAll(async () => {
  app = await startTestApp({ MAIL: 'on', outboxPollMs: 20 });
  fleet = startWorkers(app.runtime, { queues: ['mail'] });
});
afterAll(async () => {
  await fleet.stop();
  await app.stop();
});

const get = (path: string) => fetch(app.url + path);

describe('the development mailbox', () => {
  it('shows sent emails in a sandboxed frame', async () => {
    await app.runtime.db.transact(async (uow) =>
      uow.mails.add(transferStartedMail, {
        to: { email: 'robin@buyer.example' },
        of: null,
        data: {
          orderId: 'ord_1',
          domain: 'oakdeck.com',
          buyerName: '<b>Robin',
          at: uow.now.toISOString(),
        },
      }),
    );
    const list = await eventually(
      async () => (await get('/dev/mail')).text(),
      (text) => text.includes('oakdeck.com is on its way to you'),
    );
    const [, path = ''] = /href="(\/dev\/mail\/\d+)"/.exec(list) ?? [];
    const page = await (await get(path)).text();
    expect(page).toContain('sandbox="allow-popups allow-popups-to-escape-sandbox"');
    expect(page).toMatch(/Message-ID: &lt;eml_/);
    const frame = await get(`${path}/html`);
    expect(frame.headers.get('content-security-policy')).toMatch(
      /sandbox allow-popups.*frame-ancestors 'self'/,
    );
    expect(frame.headers.get('x-frame-options')).toBeNull();
    const markup = await frame.text();
    expect(markup).toContain('Your domain is on its way');
    expect(markup).not.toContain('<b>Robin');
    expect(await (await get(`${path}/raw`)).text()).toMatch(/^From: /m);
    expect((await get('/dev/mail/999999')).status).toBe(404);
  });

  it('offers the documents attached to an email', async () => {
    const session = await givenSession(app, (await app.partner()).client);
    await sendForm(session.url, 'pay', buyerWith(CARDS.good));
    const list = await eventually(
      async () => (await get('/dev/mail')).text(),
      (text) => text.includes('Your receipt for'),
    );
    const [, path = ''] = /href="(\/dev\/mail\/\d+)">[^<]*Your receipt for/.exec(list) ?? [];
    const page = await (await get(path)).text();
    const links = [...page.matchAll(/href="(\/dev\/mail\/\d+\/documents\/[^"]+)"/g)];
    expect(links).toHaveLength(2);
    for (const [, link = ''] of links) {
      const answer = await get(link);
      expect(answer.headers.get('Content-Type')).toBe('application/pdf');
      expect(answer.headers.get('Content-Disposition')).toMatch(/TEST-(RCP|INV)-\d{4}-000001\.pdf/);
    }
    expect((await get(`${path}/documents/doc_other`)).status).toBe(404);
  });
});

describe('the unsubscribe link', () => {
  const link = async () => {
    const { runtime, url } = app;
    const address = await unsubscribeUrl(runtime, 'Ops@Partner.example', 'money');
    return url + address.slice(runtime.config.baseUrl.length);
  };
  const suppressed = () =>
    app.runtime.db.knex('mail_suppressions').select('email', 'topic', 'reason');

  it('asks for confirmation in a browser, and accepts one-click requests from mail programs', async () => {
    const address = await link();
    expect(await (await fetch(address)).text()).toContain('Statements and payouts');
    expect(await suppressed()).toEqual([]);
    const answer = await fetch(address, {
      method: 'POST',
      body: new URLSearchParams({ 'List-Unsubscribe': 'One-Click' }),
    });
    expect(answer.status).toBe(200);
    expect(await suppressed()).toEqual([
      { email: 'ops@partner.example', topic: 'money', reason: 'unsubscribed' },
    ]);
    await fetch(address.replace('/unsubscribe', '/subscribe'), { method: 'POST' });
    expect(await suppressed()).toEqual([]);
  });

  it('rejects a forged token', async () => {
    const forged = (await link()).slice(0, -3);
    const answer = await fetch(forged, { method: 'POST' });
    expect(answer.status).toBe(404);
    expect(await answer.text()).toContain('This link doesn’t work');
    expect(await suppressed()).toEqual([]);
  });
});

it('every kind of email has a preview without missing values', async () => {
  const { previewMail } = await import('../../shared/operations/mail-catalogue/preview-mail.ts');
  for (const kind of MAIL_KINDS) {
    const { subject, html, text } = await previewMail({ config: app.runtime.config }, kind);
    for (const part of [subject, html, text]) {
      expect([kind, part]).toEqual([kind, expect.not.stringMatching(/undefined|\[object|NaN/)]);
    }
  }
});

it('every email names its domain in Unicode, and in ASCII in the letter, since letters can look alike', async () => {
  const { MAILS } = await import('../../shared/operations/mail-catalogue/mail-catalogue.ts');
  const { showMail } = await import('../../shared/operations/mail-catalogue/preview-mail.ts');
  const domain = 'xn--mnchen-3ya.de';
  const recipient = 'robin@buyer.example';
  const row = { id: 'eml_1', recipient, environment: 'LIVE', locale: 'en-US' };
  let letters = 0;
  for (const kind of MAIL_KINDS) {
    const example = MAILS[kind].example as object;
    if (!('domain' in example)) continue;
    const mail = { ...row, kind, data: { ...example, domain } } as unknown as MailWithBrand;
    const { subject, text } = await showMail({ config: app.runtime.config }, mail);
    expect([kind, subject]).toEqual([kind, expect.stringMatching(/^(?!.*xn--).*münchen\.de/)]);
    const flat = text.replaceAll(/\s+/g, ' ');
    expect([kind, flat]).toEqual([kind, expect.stringContaining(`münchen.de (${domain})`)]);
    letters += 1;
  }
  expect(letters).toBeGreaterThan(15);
});

it('every email says truly why its reader gets it', async () => {
  const { previewMail } = await import('../../shared/operations/mail-catalogue/preview-mail.ts');
  const because: Record<string, string[]> = {};
  for (const kind of MAIL_KINDS) {
    const { text } = await previewMail({ config: app.runtime.config }, kind);
    const flat = text.replaceAll(/\s+/g, ' ');
    const why = /You get this email because (.*?) (?:at|of) (?:Domain marketplace|Larkspur)\./;
    const [, reason = ''] = why.exec(flat) ?? [];
    because[reason] = [...(because[reason] ?? []), kind];
    expect([kind, reason]).not.toEqual([kind, '']);
  }
  expect(because['someone entered this address']).toEqual(['verify-email']);
  expect(because['someone invited this address to an account']).toEqual(['invitation']);
  expect(because['of a domain in your account']).toEqual([
    'domain-renewed',
    'domain-ending',
    'auto-renew-failed',
    'renewal-refunded',
  ]);
  expect(because['this is the registrant’s address of a domain registered']).toEqual([
    'verify-registrant',
  ]);
  expect(because['this was the registrant’s address of a domain registered']).toEqual([
    'registrant-changed',
  ]);
});

it('every email formats dates alike: Nov 22, 2026, 09:30 UTC', async () => {
  const { previewMail } = await import('../../shared/operations/mail-catalogue/preview-mail.ts');
  const months =
    'January|February|March|April|June|July|August|September|October|November|December';
  let dates = 0;
  for (const kind of MAIL_KINDS) {
    const { subject, text } = await previewMail({ config: app.runtime.config }, kind);
    const letter = `${subject}\n${text}`;
    expect([kind, letter]).toEqual([
      kind,
      expect.not.stringMatching(
        new RegExp(`\\b(${months})\\b|2026 at|2026-\\d\\d|\\d \\w{3} 2026`),
      ),
    ]);
    dates += letter.match(/[A-Z][a-z]{2} \d{1,2}, 2026/g)?.length ?? 0;
  }
  expect(dates).toBeGreaterThan(5);
  const { letterFormat } = await import('../../shared/messaging/mail/letter-format.ts');
  const british = letterFormat('en-GB').instant('2026-11-22T09:30:00.000Z');
  expect(british).toBe('Nov 22, 2026, 09:30 UTC');
});

it('the email about a new second factor uses the right article: an app, a passkey', async () => {
  const { secondFactorMail } = await import('../../shared/people/users/user.mails.ts');
  const { letterFormat } = await import('../../shared/messaging/mail/letter-format.ts');
  const context = { format: letterFormat('en-US'), config: app.runtime.config, brand: 'Market' };
  const subjectOf = async (factor: string) => {
    const data = { ...(secondFactorMail.example as object), factor };
    return (await secondFactorMail.write(data as never, context as never)).subject;
  };
  expect(await subjectOf('authenticator app')).toBe('An authenticator app was added');
  expect(await subjectOf('passkey')).toBe('A passkey was added');
});
