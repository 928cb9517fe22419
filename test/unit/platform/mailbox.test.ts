import { expect, it } from '@jest/globals';
import { senderOf } from '../../../shared/messaging/mail/mail-transport.ts';
import { mailbox } from '../../../shared/platform/config/variable.ts';

const { parse } = mailbox('MAIL_FROM', '');

it.each([
  ['"Example, Inc." <mail@example.com>', 'Example, Inc.'],
  [String.raw`"The \"best\"" <mail@example.com>`, 'The "best"'],
  ['Example Domains <mail@example.com>', 'Example Domains'],
])('a mailbox may be %s', (text, name) => {
  expect(senderOf(parse(text))).toEqual({ name, address: 'mail@example.com' });
});

it.each(['"open <mail@example.com>', '"a\nb" <mail@example.com>', 'a"b <mail@example.com>'])(
  'a mailbox may not be %j',
  (text) => {
    expect(() => parse(text)).toThrow('must be an address');
  },
);
