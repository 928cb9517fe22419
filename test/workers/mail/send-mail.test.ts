import { generateKeyPairSync } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { StoredMail } from '../../../shared/messaging/mail/mail.store.ts';
import { MAILS } from '../../../shared/operations/mail-catalogue/mail-catalogue.ts';
import { requestPasswordReset } from '../../../shared/people/user-accounts/own-password.ts';
import { transferStartedMail } from '../../../shared/sales/transfers/transfer.mails.ts';
import { statementReadyMail } from '../../../shared/settlement/statements/statement.mails.ts';
import { startWorkers, type WorkerProcess } from '../../../workers/start-workers.ts';
import { givenAccount } from '../../support/accounts.ts';
import { eventually } from '../../support/eventually.ts';
import { givenPartner } from '../../support/factories.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import type { TestSettings } from '../../support/settings.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';

let smtp: TestSmtpServer;
let runtime: TestRuntime;
let fleet: WorkerProcess | undefined;

async function begin(env: TestSettings = {}, options = {}) {
  smtp = await startSmtpServer(options);
  runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
    mailScheduleMs: [10, 10, 10],
    outboxPollMs: 20,
    reconcileMs: 100,
    ...env,
  });
  fleet = startWorkers(runtime, { queues: ['mail'] });
}

beforeEach(() => {
  fleet = undefined;
});
afterEach(async () => {
  await fleet?.stop();
  await runtime.stop();
  await smtp.stop();
});

let orders = 0;
/** Asks for the mail of a transfer that started, of its own order unless told. */
async function write(email: string, options: { orderId?: string } = {}) {
  orders += 1;
  const { orderId = `ord_${orders}` } = options;
  const partner = await givenPartner(runtime);
  await runtime.db.transact(async (uow) => {
    uow.mails.add(transferStartedMail, {
      to: { email, country: 'US' },
      of: { partnerId: partner.partnerId, environment: 'LIVE' },
      data: { orderId, domain: 'oakdeck.com', buyerName: 'Robin', at: uow.now.toISOString() },
    });
  });
  return { orderId, ...partner };
}

const mails = (): Promise<StoredMail[]> => runtime.db.knex('mails').orderBy('id');

/** Lets time pass until every mail has ended. */
function ended() {
  return eventually(
    async () => {
      runtime.clock.advance(1_000);
      return mails();
    },
    (all) => all.length > 0 && all.every(({ state }) => state !== 'queued'),
  );
}

describe('sending mail', () => {
  it('delivers HTML and text with its own Message-ID', async () => {
    await begin();
    await write('robin@buyer.example');
    const [mail] = await ended();
    expect(mail).toMatchObject({ state: 'sent', attempts: 1 });
    const [message] = smtp.received;
    expect(message).toMatchObject({ from: 'mail@market.example', to: ['robin@buyer.example'] });
    const { parsed } = message ?? {};
    expect(parsed?.messageId).toBe(`<${mail?.id}@market.example>`);
    expect(parsed?.subject).toBe('oakdeck.com is on its way to you');
    expect(parsed?.text).toContain('Hello Robin,');
    expect(parsed?.html).toContain('Hello Robin,');
    expect(parsed?.headers.get('auto-submitted')).toBe('auto-generated');
    expect(parsed?.headers.has('list')).toBe(false);
    expect(
      message?.raw
        .toString()
        .split('\r\n')
        .every((line) => line.length <= 998),
    ).toBe(true);
  });

  it('sends once per cause, and never for a rolled-back transaction', async () => {
    await begin();
    await Promise.all([1, 2, 3].map(() => write('robin@buyer.example', { orderId: 'ord_same' })));
    await expect(
      runtime.db.transact(async (uow) => {
        uow.mails.add(transferStartedMail, {
          to: { email: 'nobody-hears@buyer.example' },
          of: null,
          data: { orderId: 'ord_x', domain: 'x.com', buyerName: null, at: uow.now.toISOString() },
        });
        throw new Error('no');
      }),
    ).rejects.toThrow('no');
    expect(await ended()).toHaveLength(1);
    expect(smtp.received).toHaveLength(1);
  });

  it.each(['greylisted', 'busy', 'stalled'])(
    'retries when the recipient’s server is %s',
    async (name) => {
      await begin({ mailTimeoutMs: name === 'stalled' ? 2_000 : 20_000 });
      await write(`${name}@buyer.example`);
      expect(await ended()).toMatchObject([{ state: 'sent', attempts: 2 }]);
      expect(smtp.received).toHaveLength(1);
    },
  );

  it('reuses the Message-ID when it retries after a lost acknowledgment', async () => {
    await begin();
    await write('dropped@buyer.example');
    expect(await ended()).toMatchObject([{ state: 'sent', attempts: 2 }]);
    const ids = smtp.received.map(({ parsed }) => parsed.messageId);
    expect(ids).toHaveLength(2);
    expect(new Set(ids).size).toBe(1);
  });

  it('bounces at once on a permanent rejection', async () => {
    await begin();
    await write('spam@buyer.example');
    expect(await ended()).toMatchObject([
      { state: 'bounced', attempts: 1, reason: expect.stringContaining('looks like spam') },
    ]);
  });

  it('hides the token of a link that a rejection quotes', async () => {
    await begin();
    await requestPasswordReset(runtime, {
      email: (await givenAccount(runtime, 'owner', null, 'quoting@buyer.example')).email,
      from: { address: null, userAgent: null },
    });
    expect(await ended()).toMatchObject([
      { state: 'bounced', reason: expect.stringMatching(/new-password\?t=withheld$/) },
    ]);
  });

  it('bounces for an unknown recipient and suppresses the address', async () => {
    await begin();
    await write('nobody@buyer.example');
    await ended();
    await write('NOBODY@buyer.example');
    expect((await ended()).map(({ state }) => state)).toEqual(['bounced', 'suppressed']);
  });

  it('bounces after the last scheduled attempt', async () => {
    await begin();
    await write('full@buyer.example');
    expect(await ended()).toMatchObject([
      { state: 'bounced', attempts: 4, reason: expect.stringMatching(/given up after 4.*full/) },
    ]);
  });

  it('waits while the mail server is down', async () => {
    await begin({ mailScheduleMs: Array<number>(500).fill(10) });
    await smtp.stop();
    await write('robin@buyer.example');
    await eventually(mails, ([mail]) => mail?.reason?.includes('ECONNREFUSED') ?? false);
    smtp = await startSmtpServer({ port: Number(new URL(smtp.url).port) });
    expect(await ended()).toMatchObject([{ state: 'sent' }]);
  });

  it('suppresses a malformed address', async () => {
    await begin();
    await write('robin@buyer.example\r\nBcc: eve@evil.example');
    expect(await ended()).toMatchObject([{ state: 'suppressed', reason: 'not an email address' }]);
    expect(smtp.sessions()).toBe(0);
  });

  it('respects the rate limit of each recipient domain', async () => {
    await begin({ MAIL_DOMAIN_PER_MINUTE: '2' });
    for (const name of ['a', 'b', 'c']) await write(`${name}@buyer.example`);
    await write('d@other.example');
    await eventually(mails, (all) => all.filter(({ state }) => state === 'sent').length === 3);
    expect((await mails()).find(({ state }) => state === 'queued')).toMatchObject({ attempts: 0 });
  });

  it('does not send its password to a server without TLS', async () => {
    await begin();
    const url = smtp.url.replace('//', '//mail:secret@');
    await fleet?.stop();
    await runtime.stop();
    runtime = await createTestRuntime({
      MAIL: 'on',
      MAIL_URL: url,
      MAIL_FROM: 'mail@market.example',
      mailScheduleMs: [10],
    });
    fleet = startWorkers(runtime, { queues: ['mail'] });
    await write('robin@buyer.example');
    expect(await ended()).toMatchObject([
      { state: 'bounced', reason: expect.stringContaining('command not recognized') },
    ]);
    expect(smtp.received).toEqual([]);
  });

  it('signs with the configured DKIM key', async () => {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
    await begin({
      MAIL_DKIM_KEY: Buffer.from(pem).toString('base64'),
      MAIL_DKIM_SELECTOR: 'mail2026',
    });
    await write('robin@buyer.example');
    await ended();
    const signature = String(
      smtp.received[0]?.parsed.headerLines.find(({ key }) => key === 'dkim-signature')?.line,
    );
    expect(signature).toMatch(/d=market\.example/);
    expect(signature).toMatch(/s=mail2026/);
  });
});

describe('a partner notice', () => {
  it('goes to every contact of the partner with one-click unsubscribe', async () => {
    await begin();
    const partner = await givenPartner(runtime);
    const now = runtime.clock.now();
    await runtime.db.knex('mail_contacts').insert(
      ['ops@partner.example', 'cfo@partner.example'].map((email) => ({
        partner_id: partner.partnerId,
        email,
        created_at: now,
      })),
    );
    await runtime.db.transact(async (uow) =>
      uow.mails.add(statementReadyMail, {
        to: 'contacts',
        of: { partnerId: partner.partnerId, environment: 'SANDBOX' },
        data: MAILS['statement-ready'].example as never,
      }),
    );
    await ended();
    expect(smtp.received.flatMap(({ to }) => to).sort()).toEqual([
      'cfo@partner.example',
      'ops@partner.example',
    ]);
    const { parsed, raw } = smtp.received[0] ?? {};
    expect(parsed?.subject).toMatch(/^\[Sandbox\] Your statement is ready/);
    expect(raw?.toString()).toMatch(/List-Unsubscribe-Post: List-Unsubscribe=One-Click/);
    expect(parsed?.headers.get('list')).toMatchObject({
      unsubscribe: {
        url: expect.stringMatching(/^http:\/\/localhost:3000\/mail\/unsubscribe\?t=/),
      },
    });
  });
});

describe('with MAIL=off', () => {
  it('no mail is written', async () => {
    await begin({ MAIL: 'off' });
    await write('robin@buyer.example');
    expect(await mails()).toEqual([]);
  });
});
