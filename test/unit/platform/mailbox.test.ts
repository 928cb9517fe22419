import { expect, it } from '@jest/globals';
import { senderOf } from '../../../shared/messaging/mail/mail-transport.ts';
import { mailbox } from '../../../shared/platform/config/variable.ts';

const { parse } = mailbox('MAIL_FROM', '');

it.each([
  ['"Example, Inc." <mail@example.com>', 'Example, Inc.'],
  [String.raw`"The \"best\"" <mail@example.com>`, 'The "best"'],
  ['Example Domains <mail@example.com>', 'Example Domains'],
])('parses a mailbox: %s', (text, name) => {
  expect(senderOf(parse(text))).toEqual({ name, address: 'mail@example.com' });
});

it.each(['"open <mail@example.com>', '"a\nb" <mail@example.com>', 'a"b <mail@example.com>'])(
  'rejects a mailbox: %j',
  (text) => {
    expect(() => parse(text)).toThrow('must be an address');
  },
);
