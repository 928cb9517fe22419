import { spawnSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { messageIdOf } from '../../../shared/messaging/mail/compose-mail.ts';
import { MAIL_KINDS } from '../../../shared/messaging/mail/mail.ts';
import { createMailTransport } from '../../../shared/messaging/mail/mail-transport.ts';
import { previewMail } from '../../../shared/operations/mail-catalogue/preview-mail.ts';
import { using } from '../../support/machine-tools.ts';
import { createTestRuntime, type TestRuntime } from '../../support/runtime.ts';
import { startSmtpServer, type TestSmtpServer } from '../../support/smtp-server.ts';

/** Debian's dkimpy, which shares nothing with what signs. */
const PYTHON = '/usr/bin/python3';
const VERIFY = `
import sys, dkim
record = sys.argv[1].encode()
found = dkim.DKIM(sys.stdin.buffer.read())
print(found.verify(dnsfunc=lambda name, timeout=5: record if name.startswith(b'mail2026._domainkey.market.example') else None))
`;

let smtp: TestSmtpServer;
let runtime: TestRuntime;
let record: string;

beforeAll(async () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2_048 });
  const der = publicKey.export({ type: 'spki', format: 'der' }).toString('base64');
  record = `v=DKIM1; k=rsa; p=${der}`;
  smtp = await startSmtpServer();
  runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
    MAIL_DKIM_KEY: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(),
    MAIL_DKIM_SELECTOR: 'mail2026',
  });
});
afterAll(async () => {
  await runtime.stop();
  await smtp.stop();
});

const verdict = (raw: Buffer) =>
  spawnSync(PYTHON, ['-c', VERIFY, record], { input: raw }).stdout.toString().trim();

using('dkimverify').describe('the DKIM signature', () => {
  it('is valid for every kind of mail, and invalid once the body or unsubscribe header changes', async () => {
    const transport = createMailTransport(runtime);
    for (const kind of MAIL_KINDS) {
      const mail = await previewMail({ config: runtime.config }, kind);
      const messageId = messageIdOf(runtime, kind);
      const result = await transport.send({ ...mail, messageId }, AbortSignal.timeout(20_000));
      expect([kind, result.status]).toEqual([kind, 'accepted']);
    }
    transport.close();
    const raws = smtp.received.map(({ raw }) => raw);
    expect(raws.map(verdict)).toEqual(MAIL_KINDS.map(() => 'True'));
    const [first = Buffer.alloc(0)] = raws;
    const changed = (from: RegExp, to: string) => Buffer.from(first.toString().replace(from, to));
    expect(verdict(changed(/Thank you/, 'Thank  you!'))).not.toBe('True');
    const notice = raws.find((raw) => raw.includes('List-Unsubscribe-Post')) ?? first;
    const without = notice.toString().replace(/List-Unsubscribe-Post: .*\r\n/, '');
    expect(verdict(Buffer.from(without))).not.toBe('True');
  });
});
