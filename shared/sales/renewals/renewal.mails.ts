import { type Static, Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, INSTANT_DATA, MONEY_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail, type LetterContext } from '../../messaging/mail/mail.ts';
import { RENEWAL_KINDS } from './renewal.ts';

const RENEWAL = {
  renewalId: Type.String(),
  domain: Type.String(),
  kind: Type.Enum([...RENEWAL_KINDS]),
  amount: MONEY_DATA,
};
const EXAMPLE = {
  renewalId: 'rnw_01m7yg4ev0e89rzq0ngjrt467r',
  domain: 'oakdeck.com',
  kind: 'renewal',
  amount: { amount: 1_650, currency: 'USD' },
} as const;

const paymentUrl = ({ config }: LetterContext, { renewalId }: { renewalId: string }) =>
  `${config.baseUrl}/account/payments/${renewalId}`;

/** Tells an owner that the registry has renewed a domain that they paid for, with the receipt. */
export const domainRenewedMail = defineMail({
  kind: 'domain-renewed',
  audience: 'person',
  topic: null,
  data: Type.Object({ ...RENEWAL, expiresAt: INSTANT_DATA }),
  cause: ({ renewalId }) => `domain-renewed:${renewalId}`,
  example: { ...EXAMPLE, expiresAt: '2028-02-20T09:30:00.000Z' },
  write({ domain, kind, amount, expiresAt, renewalId }, context) {
    const { format } = context;
    const done = kind === 'restore' ? 'restored and renewed' : 'renewed';
    return {
      subject: `${domain} is ${done} until ${format.day(expiresAt)}`,
      preview: `We received ${format.money(amount)}. Your receipt is attached.`,
      title: kind === 'restore' ? 'Your domain is back' : 'Your domain is renewed',
      blocks: [
        facts(
          ['Domain', domainInLetter(domain)],
          ['Registered until', format.day(expiresAt)],
          ['Paid', format.money(amount)],
        ),
        paragraph('Your receipt and invoice are attached. You find them in your account, too.'),
        button('View payment', paymentUrl(context, { renewalId })),
      ],
    };
  },
});

const WHY = Type.Enum(['refused', 'review', 'late']);
const REASONS: Record<Static<typeof WHY>, string> = {
  refused: 'The registry did not renew the domain.',
  review: 'The payment was refused in its review, so we did not renew the domain.',
  late: 'Your payment arrived after its time was over, so we did not renew the domain.',
};

/** Tells an owner that the money for a renewal goes back. */
export const renewalRefundedMail = defineMail({
  kind: 'renewal-refunded',
  audience: 'person',
  topic: null,
  data: Type.Object({ ...RENEWAL, why: WHY, refusal: Type.Union([Type.String(), Type.Null()]) }),
  cause: ({ renewalId }) => `renewal-refunded:${renewalId}`,
  example: {
    ...EXAMPLE,
    why: 'refused',
    refusal: 'The registry’s price has changed. Ask for the new price, then confirm it.',
  },
  write({ domain, amount, why, refusal, renewalId }, context) {
    const { format, config } = context;
    return {
      subject: `${domain} was not renewed, and you get your money back`,
      preview: `${format.money(amount)} is on its way back to you.`,
      title: 'We are refunding your payment',
      blocks: [
        paragraph(`${REASONS[why]} We are returning ${format.money(amount)} to the way you paid.`),
        facts(['Domain', domainInLetter(domain)], ['Reason', refusal], ['Payment', renewalId]),
        button('Look at the domain', `${config.baseUrl}/account/domains/${domain}`),
        note('Banks usually take five to ten days to show a refund.'),
      ],
    };
  },
});
