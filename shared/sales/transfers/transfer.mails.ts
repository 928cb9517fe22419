import { Type } from 'typebox';
import { button, facts, link, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, domainInSubject, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { nameOfPerson } from '../../messaging/mail/mail-text.ts';
import { purchaseUrl, SEE_ORDER } from '../orders/purchase-link.ts';

const ORDER_DATA = Type.Object({
  orderId: Type.String(),
  domain: Type.String(),
  buyerName: Type.Union([Type.String(), Type.Null()]),
  at: INSTANT_DATA,
});
const EXAMPLE = {
  orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
  domain: 'oakdeck.com',
  buyerName: 'Robin',
  at: '2026-11-22T09:30:00.000Z',
};
/** Returns the greeting of a mail to a buyer. */
export function greetingOf(name: string | null): string {
  const clean = nameOfPerson(name);
  return clean === null ? 'Hello,' : `Hello ${clean},`;
}

/** Tells a buyer that the transfer has started. */
export const transferStartedMail = defineMail({
  kind: 'transfer-started',
  audience: 'buyer',
  topic: null,
  data: ORDER_DATA,
  cause: ({ orderId }) => `transfer-started:${orderId}`,
  example: EXAMPLE,
  write: async ({ orderId, domain, buyerName, at }, context) => ({
    subject: `${domainInSubject(domain)} is on its way to you`,
    preview: 'The transfer has started. There is nothing you need to do now.',
    title: 'Your domain is on its way',
    blocks: [
      paragraph(greetingOf(buyerName)),
      paragraph(
        `${context.brand} has started the transfer of your domain. There is nothing you need to do now.`,
      ),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Started', context.format.instant(at)],
        ['Order', orderId],
      ),
      link(SEE_ORDER, await purchaseUrl(context, orderId)),
      note(
        'Most transfers take between a few minutes and five days. We will email you when it is done.',
      ),
    ],
  }),
});

/** Tells a buyer that the domain is theirs. */
export const domainDeliveredMail = defineMail({
  kind: 'domain-delivered',
  audience: 'buyer',
  topic: null,
  data: ORDER_DATA,
  cause: ({ orderId }) => `domain-delivered:${orderId}`,
  example: EXAMPLE,
  write: async ({ orderId, domain, buyerName, at }, context) => ({
    subject: `${domainInSubject(domain)} is yours`,
    preview: 'The transfer is complete.',
    title: 'Your domain has arrived',
    blocks: [
      paragraph(greetingOf(buyerName)),
      paragraph('The transfer is complete, and the domain is yours.'),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Completed', context.format.instant(at)],
        ['Order', orderId],
      ),
      paragraph('Two things are worth doing now: check its contact data, and turn on auto-renew.'),
      link(SEE_ORDER, await purchaseUrl(context, orderId)),
      note(`If you did not expect this, contact ${context.brand} right away.`),
    ],
  }),
});

/** Tells a partner that a transfer needs action to continue. */
export const transferActionMail = defineMail({
  kind: 'transfer-action-required',
  audience: 'partner',
  topic: 'orders',
  data: Type.Object({
    orderId: Type.String(),
    transferId: Type.String(),
    domain: Type.String(),
    attempt: Type.Integer(),
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ transferId, attempt }) => `transfer-action-required:${transferId}:${attempt}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    transferId: 'trf_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    attempt: 1,
    reason: 'registrant_confirmation_pending',
  },
  write: ({ orderId, domain, reason }, { config }) => ({
    subject: `Transfer of ${domainInSubject(domain)} needs action`,
    preview: 'The registrar is waiting for something before the transfer can continue.',
    title: 'A transfer needs action',
    blocks: [
      paragraph('The registrar is waiting for something before this transfer can continue.'),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Reason', reason?.replaceAll('_', ' ') ?? null],
        ['Order', orderId],
      ),
      paragraph(
        reason === 'auth_code_needed'
          ? 'Our staff are getting the authorization code from the previous owner. You and your buyer don’t need to do anything.'
          : 'Ask your buyer whether the registrar has written to them. Our staff can see this transfer as well.',
      ),
      button('Read about transfer states', `${config.baseUrl}/docs/states`),
    ],
  }),
});
