import { Type } from 'typebox';
import { button, facts, link, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, domainInSubject, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { purchaseUrl, SEE_ORDER } from '../orders/purchase-link.ts';
import { claimUrl } from './claim-link.ts';
import { greetingOf } from './transfer.mails.ts';

/** Sends a buyer the link to claim the domain. */
export const claimDomainMail = defineMail({
  kind: 'claim-domain',
  audience: 'buyer',
  topic: null,
  data: Type.Object({
    orderId: Type.String(),
    issue: Type.Integer(),
    domain: Type.String(),
    buyerName: Type.Union([Type.String(), Type.Null()]),
    expiresAt: INSTANT_DATA,
  }),
  cause: ({ orderId, issue }) => `claim-domain:${orderId}:${issue}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    issue: 1,
    domain: 'oakdeck.com',
    buyerName: 'Robin',
    expiresAt: '2027-02-20T09:30:00.000Z',
  },
  write: async ({ domain, buyerName, expiresAt, ...claim }, context) => ({
    subject: `${domainInSubject(domain)} is ready for you`,
    preview: 'Claim the domain into your account.',
    title: 'Your domain is ready',
    blocks: [
      paragraph(greetingOf(buyerName)),
      paragraph(
        'The domain is registered to you. Claim it into your account to set its name servers, renew it, or later move it to another registrar.',
      ),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Until', context.format.instant(expiresAt)],
        ['Order', claim.orderId],
      ),
      button(
        'Claim the domain',
        await claimUrl(context, { ...claim, expiresAt: new Date(expiresAt) }),
      ),
      link(SEE_ORDER, await purchaseUrl(context, claim.orderId)),
      note('The link works once. Anyone who has it can claim the domain, so keep it private.'),
    ],
  }),
});

/** Tells a buyer that the partner's registrar can fetch the domain now. The code itself goes only to the partner. */
export const codeIssuedMail = defineMail({
  kind: 'code-issued',
  audience: 'buyer',
  topic: null,
  data: Type.Object({
    orderId: Type.String(),
    issue: Type.Integer(),
    domain: Type.String(),
    buyerName: Type.Union([Type.String(), Type.Null()]),
    /** The registrar's id at the registry; null if the sale names none. */
    registrar: Type.Union([Type.String(), Type.Null()]),
    expiresAt: INSTANT_DATA,
  }),
  cause: ({ orderId, issue }) => `code-issued:${orderId}:${issue}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    issue: 1,
    domain: 'oakdeck.com',
    buyerName: 'Robin',
    registrar: 'R-4711',
    expiresAt: '2026-12-06T09:30:00.000Z',
  },
  write: async ({ orderId, domain, buyerName, registrar, expiresAt }, context) => ({
    subject: `${domainInSubject(domain)} is ready for your registrar`,
    preview: 'Next, the registrar will request it. There is nothing you need to do.',
    title: 'Your domain is ready to move',
    blocks: [
      paragraph(greetingOf(buyerName)),
      paragraph(
        `${context.brand} has the authorization code for your new registrar, which will request the domain from the registry. You don’t need to do anything. We will email you when it has the domain.`,
      ),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Registrar', registrar],
        ['Until', context.format.instant(expiresAt)],
        ['Order', orderId],
      ),
      link(SEE_ORDER, await purchaseUrl(context, orderId)),
      note(`You never need to send anyone a code for this. Questions? Contact ${context.brand}.`),
    ],
  }),
});
