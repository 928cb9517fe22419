import { isDeepStrictEqual } from 'node:util';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { composeForDisplay } from '../../../shared/messaging/mail/compose-mail.ts';
import type { StoredMail } from '../../../shared/messaging/mail/mail.store.ts';
import { readMail } from '../../../shared/messaging/mail/mail-settings.ts';
import { MAILS } from '../../../shared/operations/mail-catalogue/mail-catalogue.ts';
import { inviteStaff } from '../../../shared/people/members/invitations.ts';
import { requestSignUp } from '../../../shared/people/members/sign-up.ts';
import {
  resendMail,
  suppressForOps,
} from '../../../shared/people/partners/change-mail-settings.ts';
import { requestPasswordReset } from '../../../shared/people/user-accounts/own-password.ts';
import { tellOfFactor } from '../../../shared/people/users/second-factor.ts';
import type { Environment } from '../../../shared/platform/config/config.ts';
import { transferStartedMail } from '../../../shared/sales/transfers/transfer.mails.ts';
import { destinationChangedMail } from '../../../shared/settlement/payouts/payout.mails.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenAccount } from '../../support/accounts.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import type { TestSettings } from '../../support/settings.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';

let smtp: TestSmtpServer;
let runtime: TestRuntime;
let fleet: WorkerProcess;

async function begin(env: TestSettings = {}) {
  runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
    RATE_LIMITS: 'on',
    outboxPollMs: 20,
    reconcileMs: 100,
    ...env,
  });
  fleet = startWorkers(runtime, { queues: ['mail'] });
}

beforeEach(async () => {
  smtp = await startSmtpServer();
});
afterEach(async () => {
  await fleet.stop();
  await runtime.stop();
  await smtp.stop();
});

let orders = 0;
/** Tells a buyer of a partner that a transfer started. */
async function write(partnerId: string, email: string, environment: Environment = 'LIVE') {
  orders += 1;
  await runtime.db.transact(async (uow) => {
    uow.mails.add(transferStartedMail, {
      to: { email },
      of: { partnerId, environment },
      data: {
        orderId: `ord_${orders}`,
        domain: 'oakdeck.com',
        buyerName: null,
        at: uow.now.toISOString(),
      },
    });
  });
}

const mails = (): Promise<StoredMail[]> => runtime.db.knex('mails').orderBy('id');
const ended = () =>
  eventually(mails, (all) => all.length > 0 && all.every(({ state }) => state !== 'queued'));
const reached = () => smtp.received.flatMap(({ to }) => to).sort();

describe('sandbox mail', () => {
  it('reaches only members of the partner, even when it is resent', async () => {
    await begin();
    const { partnerId } = await givenPartner(runtime);
    const other = await givenPartner(runtime);
    const join = async (email: string, to: string, disabled = false) => {
      const { id } = await givenAccount(runtime, 'owner', null, email);
      const row = { partner_id: to, user_id: id, role: 'viewer', created_at: new Date() };
      await runtime.db.knex('partner_members').insert(row);
      if (disabled) {
        await runtime.db.knex('users').where({ id }).update({ disabled_at: new Date() });
      }
    };
    await join('member@larkspur.example', partnerId);
    await join('former@larkspur.example', partnerId, true);
    await join('member@other.example', other.partnerId);
    for (const name of ['former@larkspur', 'member@other', 'robin@buyer', 'member@larkspur']) {
      await write(partnerId, `${name}.example`, 'SANDBOX');
    }
    const written = await ended();
    expect(written.map(({ state }) => state)).toEqual([
      'suppressed',
      'suppressed',
      'suppressed',
      'sent',
    ]);
    expect(written[0]?.reason).toBe('mail of a sandbox goes to members of its partner alone');
    expect(reached()).toEqual(['member@larkspur.example']);

    await resendMail(runtime, 'test', written[2]?.id ?? '');
    expect((await ended()).map(({ state }) => state)[2]).toBe('suppressed');
    expect(reached()).toEqual(['member@larkspur.example']);
  });

  it('all goes to the development mailbox when no mail server is configured', async () => {
    await begin({ MAIL_URL: '' });
    const { partnerId } = await givenPartner(runtime);
    await write(partnerId, 'robin@buyer.example', 'SANDBOX');
    expect(await ended()).toMatchObject([{ state: 'sent' }]);
    expect(await runtime.db.knex('mailbox_messages').pluck('recipient')).toEqual([
      'robin@buyer.example',
    ]);
  });

  it('is removed from the mailbox after a thousand newer messages', async () => {
    await begin({ MAIL_URL: '' });
    await runtime.db.knex.raw(
      `insert into mailbox_messages (mail_id, recipient, subject, html, text, raw, received_at)
       select n, 'old ' || n, '', '', '', '', now() from generate_series(1, 1002) n`,
    );
    const { partnerId } = await givenPartner(runtime);
    await write(partnerId, 'robin@buyer.example', 'SANDBOX');
    await ended();
    const kept = await runtime.db.knex('mailbox_messages').orderBy('id').pluck('recipient');
    expect([kept.length, kept[0], kept.at(-1)]).toEqual([1_000, 'old 4', 'robin@buyer.example']);
  });
});

describe('mail to buyers', () => {
  it('waits for the next day when an address reaches its limit per partner and environment', async () => {
    await begin({ mailAddressPerDay: 2, MAIL_PARTNER_PER_DAY: '3' });
    const { partnerId } = await givenPartner(runtime);
    const other = await givenPartner(runtime);
    const { id, email: member } = await givenAccount(runtime, 'owner');
    const row = { user_id: id, role: 'viewer', created_at: new Date() };
    await runtime.db.knex('partner_members').insert({ ...row, partner_id: partnerId });
    for (let i = 0; i < 3; i += 1) {
      await write(partnerId, member, 'SANDBOX');
      await write(partnerId, i === 0 ? member.toUpperCase() : member);
    }
    const states = (all: StoredMail[]) =>
      all.map(({ environment, state }) => `${environment} ${state}`).sort();
    const waiting = ['LIVE queued', 'LIVE sent', 'LIVE sent'];
    const waitingInSandbox = ['SANDBOX queued', 'SANDBOX sent', 'SANDBOX sent'];
    await eventually(
      async () => states(await mails()),
      (all) => isDeepStrictEqual(all, [...waiting, ...waitingInSandbox]),
    );
    // What waits for its address has taken nothing of its partner's, and nobody else's buyer waits.
    await write(partnerId, 'kim@buyer.example');
    for (let i = 0; i < 2; i += 1) await write(other.partnerId, member);
    const all = await eventually(
      mails,
      (written) => written.filter(({ state }) => state === 'sent').length === 7,
    );
    expect(all.filter(({ state }) => state !== 'sent')).toMatchObject([
      { state: 'queued', attempts: 0, reason: null },
      { state: 'queued', attempts: 0, reason: null },
    ]);
  });

  it('does not count against an address while it waits for its partner’s limit', async () => {
    await begin({ mailAddressPerDay: 2, MAIL_PARTNER_PER_DAY: '1' });
    const mail = {
      kind: 'transfer-started',
      recipient: 'robin@buyer.example',
      partnerId: 'ptr_a',
      environment: 'LIVE',
      data: {},
    } as const;
    const take = () => runtime.mailBudget.take(mail, { audience: 'buyer' });
    expect(await take()).toBe(0);
    for (let i = 0; i < 3; i += 1) expect(await take()).toBeGreaterThan(0);
    await runtime.redis.del(`${runtime.config.redisPrefix}:mail-partner:ptr_a:LIVE`);
    expect(await take()).toBe(0);
  });

  it('waits for the next day when its partner reaches its limit, without affecting others', async () => {
    await begin({ MAIL_PARTNER_PER_DAY: '2' });
    const { partnerId } = await givenPartner(runtime);
    const other = await givenPartner(runtime);
    for (const name of ['a', 'b', 'c']) await write(partnerId, `${name}@buyer.example`);
    await write(other.partnerId, 'd@buyer.example');
    const sent = await eventually(
      mails,
      (all) => all.filter((m) => m.state === 'sent').length === 3,
    );
    expect(sent.filter(({ state }) => state === 'queued')).toMatchObject([{ attempts: 0 }]);
    expect(reached()).toContain('d@buyer.example');
  });
});

describe('emailed links that anyone can request', () => {
  const reset = (email: string) =>
    requestPasswordReset(runtime, { email, from: { address: null, userAgent: null } });

  it('are limited to three an hour per address and kind, even with concurrent requests', async () => {
    await begin();
    const { email } = await givenAccount(runtime, 'owner');
    await Promise.all(Array.from({ length: 9 }, () => reset(email)));
    await Promise.all(
      Array.from({ length: 9 }, () => requestSignUp(runtime, { company: 'Larkspur', email })),
    );
    const kinds = (await ended()).map(({ kind }) => kind).sort();
    expect(kinds).toEqual([...Array(3).fill('password-reset'), ...Array(3).fill('verify-email')]);
  });

  it('stop at the daily limit without holding back other mail', async () => {
    await begin({ mailLinksPerDay: 1 });
    const { id, email } = await givenAccount(runtime, 'owner');
    for (const company of ['Larkspur', 'Larkspur Two']) {
      await requestSignUp(runtime, { company, email });
      await ended();
    }
    await runtime.db.transact((uow) =>
      tellOfFactor(uow, { id, email }, { actor: id, change: 'added', factor: 'passkey' }),
    );
    expect((await ended()).map(({ kind, state }) => [kind, state])).toEqual([
      ['verify-email', 'sent'],
      ['verify-email', 'suppressed'],
      ['second-factor-changed', 'sent'],
    ]);
  });

  it('never use up the allowance of mail that protects an account', async () => {
    await begin({ mailLinksPerDay: 1, mailAddressPerDay: 1 });
    const { id, email } = await givenAccount(runtime, 'owner');
    for (let i = 0; i < 2; i += 1) {
      await reset(email);
      await reset('nobody-known@buyer.example');
      await runtime.db.transact((uow) =>
        tellOfFactor(uow, { id, email }, { actor: id, change: 'added', factor: 'passkey' }),
      );
      await ended();
    }
    const states = (await mails()).map(({ kind, recipient, state }) => [kind, recipient, state]);
    expect(states).toEqual([
      ['password-reset', email, 'sent'],
      ['password-reset', 'nobody-known@buyer.example', 'sent'],
      ['second-factor-changed', email, 'sent'],
      ['password-reset', email, 'sent'],
      ['password-reset', 'nobody-known@buyer.example', 'suppressed'],
      ['second-factor-changed', email, 'sent'],
    ]);
  });

  it('tell an address without an account only that it has none', async () => {
    await begin();
    await reset('nobody-known@buyer.example');
    const [mail] = await ended();
    const { id = '' } = mail ?? {};
    const stored = await readMail(runtime, id);
    const { text } = await composeForDisplay(
      { config: runtime.config },
      MAILS[stored.kind],
      stored,
    );
    expect(text).not.toMatch(/http|open an account|join/i);
    expect(text).not.toContain('your account');
    expect(text.replace(/\s+/g, ' ')).toContain('nobody can sign in there with this address.');
  });
});

describe('the mail suppression list', () => {
  it('does not block mail that protects an account unless the address bounced', async () => {
    await begin();
    const guarded = async (email: string) => {
      const { id } = await givenAccount(runtime, 'owner', null, email);
      await requestPasswordReset(runtime, { email, from: { address: null, userAgent: null } });
      await runtime.db.transact((uow) =>
        tellOfFactor(uow, { id, email }, { actor: id, change: 'removed', factor: 'passkey' }),
      );
    };
    for (const name of ['ada', 'eve', 'robin', 'mia']) {
      await suppressForOps(runtime, 'test', { email: `${name}@owner.example`, topic: 'all' });
    }
    await guarded('ada@owner.example');
    const { example: data } = destinationChangedMail;
    await runtime.db.transact(async (uow) => {
      uow.mails.add(destinationChangedMail, {
        to: { email: 'mia@owner.example' },
        of: null,
        data: data as never,
      });
    });
    // Of strangers, who may be tired of it.
    await inviteStaff(runtime, 'test', { email: 'eve@owner.example', role: 'support' });
    const from = { address: null, userAgent: null };
    await requestPasswordReset(runtime, { email: 'robin@owner.example', from });
    await runtime.db.knex('mail_suppressions').insert({
      email: 'kim@owner.example',
      topic: 'all',
      reason: 'bounced',
      created_at: new Date(),
    });
    await guarded('kim@owner.example');
    const states = (await ended()).map(({ recipient, state }) => `${recipient} ${state}`);
    expect(states).toEqual([
      'ada@owner.example sent',
      'ada@owner.example sent',
      'mia@owner.example sent',
      'eve@owner.example suppressed',
      'robin@owner.example suppressed',
      'kim@owner.example suppressed',
      'kim@owner.example suppressed',
    ]);
  });
});
