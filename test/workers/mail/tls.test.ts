import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { SendResult } from '../../../shared/messaging/mail/mail-transport.ts';
import { plainEnv } from '../../support/sdk.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';
import { TEST_CERTIFICATE } from '../../support/tls-fixture.ts';

const USER = { user: 'market', pass: 'a-password' };
let folder: string;
let certificate: string;
let smtp: TestSmtpServer;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mail-tls-'));
  certificate = join(folder, 'certificate.pem');
  await writeFile(certificate, TEST_CERTIFICATE);
});
afterAll(() => rm(folder, { recursive: true }));
afterEach(() => smtp.stop());

/** What becomes of a mail that a process of its own sends, with a name and password when it has them. */
async function send({
  user,
  trusts,
  query = '',
}: {
  user?: typeof USER;
  trusts: boolean;
  query?: string;
}): Promise<SendResult> {
  const url = new URL(smtp.url);
  url.search = query;
  if (user) {
    url.username = user.user;
    url.password = user.pass;
  }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--import', 'tsx', 'test/support/send-mail-child.ts'],
    {
      env: {
        ...plainEnv(),
        NODE_ENV: 'test',
        DATABASE_URL: 'postgres://unused.invalid',
        REDIS_URL: 'redis://unused.invalid',
        DATA_DIR: folder,
        MAIL: 'on',
        MAIL_URL: url.href,
        MAIL_FROM: 'Example Domains <mail@market.example>',
        TUNING: '{"mailTimeoutMs":10000}',
        ...(trusts && { NODE_EXTRA_CA_CERTS: certificate }),
      },
    },
  );
  return JSON.parse(stdout);
}

describe.each(['implicit', 'starttls'] as const)('sending mail over TLS (%s)', (tls) => {
  it('delivers when the server’s certificate is trusted', async () => {
    smtp = await startSmtpServer({ tls, auth: USER });
    expect(await send({ user: USER, trusts: true })).toMatchObject({ status: 'accepted' });
    expect(smtp.received).toMatchObject([{ secure: true, to: ['robin@buyer.example'] }]);
  });

  it('sends neither mail nor password to an untrusted server, and can retry', async () => {
    smtp = await startSmtpServer({ tls, auth: USER });
    expect(await send({ user: USER, trusts: false })).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/self-signed/),
    });
    expect([smtp.received, smtp.passwords]).toEqual([[], []]);
  });
});

describe('sending mail without TLS', () => {
  it('does not send the password', async () => {
    smtp = await startSmtpServer({ tls: 'none', auth: USER });
    expect(await send({ user: USER, trusts: true })).toMatchObject({ status: 'failed' });
    expect([smtp.received, smtp.passwords]).toEqual([[], []]);
  });

  it('delivers unless TLS is required', async () => {
    smtp = await startSmtpServer({ tls: 'none' });
    const required = { trusts: true, query: '?tls=required' };
    expect(await send(required)).toMatchObject({ status: 'failed' });
    expect(smtp.received).toEqual([]);
    expect(await send({ trusts: true })).toMatchObject({ status: 'accepted' });
  });
});
