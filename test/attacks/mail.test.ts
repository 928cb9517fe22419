import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { simpleParser } from 'mailparser';
import { composeMail } from '../../shared/messaging/mail/compose-mail.ts';
import { isMailAddress, type Mail } from '../../shared/messaging/mail/mail.ts';
import { createMailTransport } from '../../shared/messaging/mail/mail-transport.ts';
import { MAILS } from '../../shared/operations/mail-catalogue/mail-catalogue.ts';
import { createTestRuntime, type TestRuntime } from '../support/runtime.ts';
import { startSmtpServer, type TestSmtpServer } from '../support/smtp-server.ts';

let smtp: TestSmtpServer;
let runtime: TestRuntime;
beforeAll(async () => {
  smtp = await startSmtpServer();
  runtime = await createTestRuntime({
    MAIL: 'on',
    MAIL_URL: smtp.url,
    MAIL_FROM: 'Example Domains <mail@market.example>',
  });
});
afterAll(async () => {
  await runtime.stop();
  await smtp.stop();
});

const HOSTILE = {
  'a header': 'Robin\r\nBcc: eve@evil.example\r\n\r\n<h1>Hi</h1>',
  markup: '<img src=x onerror=alert(1)><a href="https://evil.example">click</a>',
  'a huge string': 'R'.repeat(100_000),
  'bidi controls': 'Robin\u202e gnp.exe\u2066\u2069\u200f',
  'invisible characters': 'Ro\u200bb\u00adin\ufeff',
  'stacked combining marks': `R${'\u0301'.repeat(500)}obin`,
  'a link': 'Win now at https://evil.example/prize',
  'an encoded word': '=?utf-8?Q?Robin=0D=0ABcc:_eve@evil.example?=',
};

/** The receipt of a buyer of this name, from a partner of this name, for this domain: what arrives. */
async function arrived(text: string) {
  const transport = createMailTransport(runtime);
  const definition: Mail<never> = MAILS.receipt;
  // The id of an order is ours: it is in the link that the letter signs.
  const data = { ...(definition.example as object), buyerName: text, domain: text };
  const outgoing = await composeMail(
    runtime,
    definition,
    {
      id: 'eml_x',
      kind: 'receipt',
      cause: 'x',
      recipient: 'robin@buyer.example',
      partnerId: null,
      environment: 'LIVE',
      data,
      documents: [],
      locale: 'en-US',
      state: 'queued',
      attempts: 0,
      messageId: null,
      reason: null,
      createdAt: new Date(),
      finishedAt: null,
      partnerName: text,
      displayName: null,
      supportEmail: null,
      accentColor: null,
      partnerApproved: true,
    },
    '<x@market.example>',
    [],
  );
  const before = smtp.received.length;
  const result = await transport.send(outgoing, AbortSignal.timeout(20_000));
  transport.close();
  expect(result.status).toBe('accepted');
  const message = smtp.received[before];
  if (!message) throw new Error('nothing arrived');
  return { ...message, parsed: await simpleParser(message.raw) };
}

describe('a hostile name in a mail', () => {
  it.each(Object.entries(HOSTILE))(
    'changes no header and adds no markup or link: %s',
    async (_what, text) => {
      const { parsed, raw, to } = await arrived(text);
      expect(to).toEqual(['robin@buyer.example']);
      expect(parsed.bcc).toBeUndefined();
      expect(parsed.headerLines.map(({ key }) => key)).toEqual(
        (await arrived('Robin')).parsed.headerLines.map(({ key }) => key),
      );
      expect(parsed.from?.value).toEqual([
        { address: 'mail@market.example', name: expect.stringMatching(/ via Example Domains$/) },
      ]);
      expect(raw.length).toBeLessThan(60_000);
      const shown = `${parsed.subject} ${parsed.text} ${parsed.html}`;
      expect(shown).not.toMatch(/[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\ufeff]/);
      expect(shown).not.toMatch(/\p{M}{4}/u);
      expect(String(parsed.html)).not.toMatch(/<img|<a href="https:\/\/evil|onerror=alert\(1\)>/i);
      // A greeting never carries a link of the buyer's.
      expect(parsed.text).not.toMatch(/Thank you, .*evil/);
    },
  );
});

describe('an email address', () => {
  it.each([
    'a@b.example, c@d.example',
    'a@b.example\nBcc: c@d.example',
    '"a b"@c.example',
    'Robin <a@b.example>',
    'a@b.example>',
    '@b.example',
    'a@[127.0.0.1]',
    `${'a'.repeat(65)}@b.example`,
    `a@${'b'.repeat(260)}.example`,
    'a\u202e@b.example',
  ])('%j is invalid', (address) => {
    expect(isMailAddress(address)).toBe(false);
  });

  it.each(['a@b.example', 'first.last+tag@sub.b.example', 'jürgen@bücher.example'])(
    '%s is valid',
    (address) => {
      expect(isMailAddress(address)).toBe(true);
    },
  );
});
