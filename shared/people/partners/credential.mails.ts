import { Type } from 'typebox';
import { button, facts, paragraph } from '../../messaging/mail/letter.ts';
import { INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

/** Tells a partner that one of its keys is about to expire. */
export const keyExpiringMail = defineMail({
  kind: 'key-expiring',
  audience: 'partner',
  topic: 'keys',
  data: Type.Object({
    keyId: Type.String(),
    environment: Type.String(),
    expiresAt: INSTANT_DATA,
  }),
  cause: ({ keyId, expiresAt }) => `key-expiring:${keyId}:${expiresAt}`,
  example: {
    keyId: 'pk_live_4fT9kLmQ2xVbN8sRdW3yHc7J',
    environment: 'LIVE',
    expiresAt: '2026-11-25T09:30:00.000Z',
  },
  write: ({ keyId, environment, expiresAt }, { format, config }) => ({
    subject: `An API key expires on ${format.day(expiresAt)}`,
    preview: 'From then on, requests signed with it are rejected.',
    title: 'An API key is about to expire',
    blocks: [
      paragraph(
        'From then on, requests signed with this key are rejected. Switch to your new key before then.',
      ),
      facts(['Key', keyId], ['Environment', environment], ['Expires', format.instant(expiresAt)]),
      button('Read about keys', `${config.baseUrl}/docs/signing`),
    ],
  }),
});
