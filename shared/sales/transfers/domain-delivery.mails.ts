import { Type } from 'typebox';
import { button, facts, link, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, INSTANT_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { purchaseUrl, SEE_ORDER } from '../orders/purchase-link.ts';
import { claimUrl } from './claim-link.ts';
import { greetingOf } from './transfer.mails.ts';

/** Gives a buyer the link by which the domain becomes theirs. */
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
    subject: `${domain} is ready for you`,
    preview: 'Take the domain into an account of yours.',
    title: 'Your domain is ready',
    blocks: [
      paragraph(greetingOf(buyerName)),
      paragraph(
        'The domain is registered to you. Take it into an account of yours to set its name servers, renew it, or move it to another registrar.',
      ),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Until', context.format.instant(expiresAt)],
        ['Order', claim.orderId],
      ),
      button(
        'Take the domain',
        await claimUrl(context, { ...claim, expiresAt: new Date(expiresAt) }),
      ),
      link(SEE_ORDER, await purchaseUrl(context, claim.orderId)),
      note('The link works once. Whoever has it can take the domain, so keep it to yourself.'),
    ],
  }),
});
