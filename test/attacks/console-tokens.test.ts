import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { consolePages } from '../../api/ops/console/console-router.ts';
import { actionForms } from '../../api/ops/console/forms/action-forms.ts';
import { opsRoutes } from '../../api/ops/ops-routes.ts';
import { composeForDisplay, composeMail } from '../../shared/messaging/mail/compose-mail.ts';
import { MAIL_KINDS } from '../../shared/messaging/mail/mail.ts';
import { readMail } from '../../shared/messaging/mail/mail-settings.ts';
import { MAILS } from '../../shared/operations/mail-catalogue/mail-catalogue.ts';
import { inviteMember, inviteStaff } from '../../shared/people/members/invitations.ts';
import { requestSignUp } from '../../shared/people/members/sign-up.ts';
import { requestPasswordReset } from '../../shared/people/user-accounts/own-password.ts';
import { requestAccount } from '../../shared/people/users/open-account.ts';
import { STAFF_ROLES, type StaffRole } from '../../shared/people/users/user.ts';
import { addMs, DAY } from '../../shared/platform/clock.ts';
import { newId } from '../../shared/platform/ids.ts';
import { givenAccount } from '../support/accounts.ts';
import { startTestApp, type TestApp } from '../support/app.ts';
import {
  CONSOLE_ENV,
  type ConsoleMarket,
  filledPath,
  formSubjects,
  givenConsoleMarket,
} from '../support/console-market.ts';
import { givenOps } from '../support/ops-client.ts';

let app: TestApp;
let market: ConsoleMarket;
let mailIds: string[];
const purposes = new Set<string>(MAIL_KINDS);
const sessions = new Map<StaffRole, string>();

beforeAll(async () => {
  app = await startTestApp({ ...CONSOLE_ENV, RATE_LIMITS: 'off' });
  const { runtime } = app;
  const sign = runtime.tokens.sign.bind(runtime.tokens);
  jest.spyOn(runtime.tokens, 'sign').mockImplementation((purpose, ...rest) => {
    purposes.add(purpose);
    return sign(purpose, ...rest);
  });
  market = await givenConsoleMarket(runtime, { url: 'http://127.0.0.1:40999/hook' });
  await givenEveryLetter();
  for (const role of STAFF_ROLES) sessions.set(role, (await givenOps(app, role)).token);
});
afterAll(() => app?.stop());

/** Letters of every kind; those with links that act are asked for as people ask for them. */
async function givenEveryLetter(): Promise<void> {
  const { runtime } = app;
  const { knex } = runtime.db;
  const { id: admin, email } = await givenAccount(runtime, 'ops', 'admin');
  await requestPasswordReset(runtime, { email, from: { address: null, userAgent: null } });
  await requestSignUp(runtime, { company: 'Larkspur', email: 'ada@larkspur.example' });
  await requestAccount(runtime, 'robin@owner.example');
  await inviteStaff(runtime, admin, { email: 'eve@staff.example', role: 'admin' });
  const { partnerId } = market;
  await inviteMember(runtime, admin, { partnerId, email: 'kim@partner.example', role: 'admin' });
  for (const kind of MAIL_KINDS) {
    await knex('mails').insert({
      id: newId('mail', runtime.clock.now()),
      kind,
      cause: `test:${kind}`,
      recipient: 'recipient@example.com',
      partner_id: MAILS[kind].audience === 'buyer' ? partnerId : null,
      environment: 'SANDBOX',
      data: JSON.stringify(dataOf(MAILS[kind].example as object)),
      documents: [],
      locale: 'en-US',
      created_at: runtime.clock.now(),
    });
  }
  mailIds = await knex('mails').orderBy('id').pluck('id');
}

/** The data of an example, about what the market has, at a time when its links are good. */
function dataOf(example: object): object {
  const tomorrow = addMs(app.runtime.clock.now(), DAY).toISOString();
  return {
    ...example,
    caseId: market.caseId,
    ...('payUntil' in example && { payUntil: tomorrow }),
  };
}

/** What looks like a token of ours in an answer, however it is written there. */
function tokensIn(text: string): string[] {
  const plain = text.replaceAll('%2E', '.').replaceAll('%2e', '.');
  return [...new Set(plain.match(/eyJ[\w-]+\.[\w-]+\.[\w-]+/g) ?? [])];
}

async function good(text: string): Promise<string[]> {
  const found: string[] = [];
  for (const token of tokensIn(text)) {
    for (const purpose of purposes) {
      const claims = await app.runtime.tokens.verify(purpose, token);
      if (claims !== 'invalid') found.push(purpose);
    }
  }
  return found;
}

/** Asks as staff of every role, and lists the answers with a token that is good for something. */
async function leaks(
  requests: readonly { path: string; method?: string; body?: object; page?: boolean }[],
): Promise<unknown[]> {
  expect(requests.length).toBeGreaterThan(0);
  const found: unknown[] = [];
  const askAs = async ([role, token]: [StaffRole, string], request: (typeof requests)[number]) => {
    const { path, method = 'GET', body, page = true } = request;
    const answer = await fetch(`${app.url}/ops${path}`, {
      method,
      redirect: 'manual',
      headers: {
        Accept: page ? 'text/html' : 'application/json',
        ...(page ? { Cookie: `ops_session=${token}` } : { Authorization: `Bearer ${token}` }),
        ...(body && { 'Content-Type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = `${answer.headers.get('Location')} ${await answer.text()}`;
    expect([path, answer.status < 500]).toEqual([path, true]);
    const held = await good(text);
    if (held.length > 0) found.push([role, method, path, held]);
  };
  for (const request of requests) {
    await Promise.all([...sessions].map((session) => askAs(session, request)));
  }
  return found;
}

describe('working tokens in responses to staff', () => {
  it('exist in the mails that are sent, so that this test proves something', async () => {
    const kinds = new Set<string>();
    for (const id of mailIds) {
      const mail = await readMail(app.runtime, id);
      const { text, html } = await composeMail(app.runtime, MAILS[mail.kind], mail, '<x@y>', []);
      expect(await good(html)).toEqual(await good(text));
      for (const purpose of await good(text)) kinds.add(purpose);
    }
    expect([...kinds].sort()).toEqual([
      'brokerage-progress',
      'checkout',
      'claim-domain',
      'invitation',
      'mail-unsubscribe',
      'password-reset',
      'purchase',
      'registrant',
      'stop-transfer-out',
      'verify-email',
      'verify-registrant',
    ]);
  });

  it('do not appear in console mails, their frames or the templates', async () => {
    const letters = mailIds.flatMap((id) => [`/mail/${id}`, `/mail/${id}/html`]);
    const templates = MAIL_KINDS.flatMap((kind) => [
      `/mail/templates/${kind}`,
      `/mail/templates/${kind}/html`,
    ]);
    expect(await leaks([...letters, ...templates].map((path) => ({ path })))).toEqual([]);
  });

  it('do not appear in console pages, CSV lists or forms', async () => {
    const pages = consolePages.map(({ path }) => filledPath(market, path));
    const lists = pages.map((path) => `${path}?format=csv`);
    const about = new URLSearchParams(formSubjects(market)).toString();
    const forms = [...actionForms().keys()].map((name) => `/do/${name}?${about}`);
    expect(await leaks([...pages, ...lists, ...forms].map((path) => ({ path })))).toEqual([]);
  }, 240_000);

  it('do not appear in the queue dashboard', async () => {
    const paths = ['', '/api/queues', '/api/queues?activeQueue=mail&status=latest&page=1'];
    expect(await leaks(paths.map((path) => ({ path: `/queues${path}`, page: false })))).toEqual([]);
  });

  it('do not appear in responses of the ops API to reads or writes', async () => {
    const subjects = formSubjects(market);
    const requests = opsRoutes.map(({ method, path }) => ({
      method,
      path: `/api${filledPath(market, path)}`,
      page: false,
      ...(method === 'POST' && { body: subjects }),
    }));
    expect(await leaks(requests)).toEqual([]);
    const written = mailIds.map((mail) => ({
      method: 'POST',
      path: `/api/mails/${mail}/resend`,
      page: false,
      body: {},
    }));
    expect(await leaks(written)).toEqual([]);
  });

  it('do not appear in mail composed for display, even if a signer is passed', async () => {
    const [id = ''] = mailIds;
    const { config, tokens } = app.runtime;
    const mail = await readMail(app.runtime, id);
    // @ts-expect-error a signer is none of what a letter is shown with
    const shown = await composeForDisplay({ config, tokens }, MAILS[mail.kind], mail);
    expect(await good(shown.text)).toEqual([]);
  });
});
