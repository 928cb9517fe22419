import { Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail, type LetterContext } from '../../messaging/mail/mail.ts';
import { RENEWAL_KINDS, TRY_DAYS } from './renewal.ts';

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

const OF_DOMAIN = () => 'of a domain in your account';

/** Tells an owner that the registry has renewed a paid domain, with the receipt. */
export const domainRenewedMail = defineMail({
  kind: 'domain-renewed',
  audience: 'person',
  reason: OF_DOMAIN,
  topic: null,
  data: Type.Object({ ...RENEWAL, expiresAt: INSTANT_DATA }),
  cause: ({ renewalId }) => `domain-renewed:${renewalId}`,
  example: { ...EXAMPLE, expiresAt: '2028-02-20T09:30:00.000Z' },
  write({ domain, kind, amount, expiresAt, renewalId }, context) {
    const { format } = context;
    const done = kind === 'restore' ? 'restored and renewed' : 'renewed';
    return {
      subject: `${domainInSubject(domain)} is ${done} until ${format.day(expiresAt)}`,
      preview: `We received ${format.money(amount)}. Your receipt is attached.`,
      title: kind === 'restore' ? 'Your domain is back' : 'Your domain is renewed',
      blocks: [
        facts(
          ['Domain', domainInLetter(domain)],
          ['Registered until', format.day(expiresAt)],
          ['Paid', format.money(amount)],
        ),
        paragraph('Your receipt and invoice are attached. You can also find them in your account.'),
        button('View payment', paymentUrl(context, { renewalId })),
      ],
    };
  },
});

const WHY = ['refused', 'restored', 'review', 'late_review', 'late', 'given_up', 'lost'] as const;
/**
 * Why a renewal is refunded. `restored`: the registry restored the domain but refused to renew it. `late_review`: the
 * registry was asked before the payment was refused in its review. `late`: the money arrived after the renewal had
 * ended; another one may have renewed the domain. `lost`: its payer does not own the domain anymore, whether or not
 * the registry has renewed it.
 */
export type RefundReason = (typeof WHY)[number];

const REASONS: Record<RefundReason, (verb: string) => string> = {
  refused: (verb) => `The registry did not ${verb} the domain.`,
  restored: () => 'The registry restored the domain, but did not renew it.',
  review: (verb) => `The payment was refused in its review, so we did not ${verb} the domain.`,
  late_review: () => 'The payment was refused in its review.',
  given_up: (verb) => `We could not ${verb} the domain.`,
  late: (verb) => `Your payment arrived too late, so we did not ${verb} the domain with it.`,
  lost: (verb) => `The domain is no longer yours, so you don’t pay to ${verb} it.`,
};
const OUTCOMES: Partial<Record<RefundReason, string>> = {
  restored: 'was not renewed',
  late_review: 'is no longer paid for',
  lost: 'is no longer yours',
};

/** Tells an owner that a renewal is refunded. */
export const renewalRefundedMail = defineMail({
  kind: 'renewal-refunded',
  audience: 'person',
  reason: OF_DOMAIN,
  topic: null,
  data: Type.Object({
    ...RENEWAL,
    why: Type.Enum([...WHY]),
    refusal: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ renewalId }) => `renewal-refunded:${renewalId}`,
  example: {
    ...EXAMPLE,
    why: 'refused',
    refusal: 'The registry’s price has changed. Request the new price, then confirm it.',
  },
  write({ domain, kind, amount, why, refusal, renewalId }, context) {
    const { format, config } = context;
    const verb = kind === 'restore' ? 'restore' : 'renew';
    const outcome = OUTCOMES[why] ?? `was not ${kind === 'restore' ? 'restored' : 'renewed'}`;
    const name = domainInSubject(domain);
    const news =
      why === 'late' ? `Your payment for ${name} arrived too late` : `${name} ${outcome}`;
    return {
      subject: `${news}, and you get your money back`,
      preview: `${format.money(amount)} is on its way back to you.`,
      title: 'We are refunding your payment',
      blocks: [
        paragraph(
          `${REASONS[why](verb)} We are returning ${format.money(amount)} to the way you paid.`,
        ),
        facts(['Domain', domainInLetter(domain)], ['Reason', refusal], ['Payment', renewalId]),
        why === 'lost'
          ? button('View payment', paymentUrl(context, { renewalId }))
          : button('View the domain', `${config.baseUrl}/account/domains/${domain}`),
        note('Banks usually take five to ten days to show a refund.'),
      ],
    };
  },
});

const WAITS_FOR_OWNER =
  'This is a premium domain, so it does not renew automatically even though auto-renew is on. The registry sets the price, and you confirm it each time.';

const inDays = (days: number) => (days === 1 ? 'tomorrow' : `in ${days} days`);

/** Tells an owner that a domain expires soon or has expired, and what to do. */
export const domainEndingMail = defineMail({
  kind: 'domain-ending',
  audience: 'person',
  reason: OF_DOMAIN,
  topic: null,
  data: Type.Object({
    domain: Type.String(),
    expiresAt: INSTANT_DATA,
    /** The days left, as the mail states them; -1 is after the expiry date. */
    days: Type.Integer(),
    /** Whether the domain is about to renew automatically. */
    renewsItself: Type.Boolean(),
    /** Whether it needs its owner although auto-renew is on; missing if the registry did not say. */
    isPremium: Type.Optional(Type.Boolean()),
  }),
  cause: ({ domain, expiresAt, days }) => `domain-ending:${domain}:${expiresAt}:${days}`,
  example: {
    domain: 'oakdeck.com',
    expiresAt: '2027-02-20T09:30:00.000Z',
    days: 7,
    renewsItself: false,
  },
  write({ domain, expiresAt, days, renewsItself, isPremium }, { format, config }) {
    const ended = days < 0;
    const end = ['Expiry date', format.day(expiresAt)] as const;
    const renew = button('Renew the domain', `${config.baseUrl}/account/domains/${domain}/renew`);
    if (renewsItself && !ended) {
      return {
        subject: `${domainInSubject(domain)} renews automatically`,
        preview: 'Auto-renew is on.',
        title: 'Your domain renews automatically',
        blocks: [
          paragraph('Auto-renew is on, so you don’t need to do anything.'),
          facts(['Domain', domainInLetter(domain)], end),
          ...(isPremium === undefined
            ? [
                note(
                  'Premium domains are different: the registry sets the price, and you confirm it when you renew the domain yourself.',
                ),
              ]
            : []),
          button('View the domain', `${config.baseUrl}/account/domains/${domain}`),
        ],
      };
    }
    return {
      subject: ended
        ? `${domainInSubject(domain)} has expired`
        : `${domainInSubject(domain)} expires ${inDays(days)}`,
      preview: ended ? 'You may still be able to renew it.' : 'Renew it to keep it.',
      title: ended ? 'Your domain has expired' : `Your domain expires ${inDays(days)}`,
      blocks: [
        ...(isPremium && !ended ? [paragraph(WAITS_FOR_OWNER)] : []),
        paragraph(
          ended
            ? 'Its website and email may stop working at any time. Renew it now: after a while its registry deletes it, and getting it back costs more or is impossible.'
            : 'Renew it to keep it. After the expiry date its website and email stop working, and others can register it later.',
        ),
        facts(['Domain', domainInLetter(domain)], end),
        renew,
      ],
    };
  },
});

/** Why a domain was not renewed automatically. */
export const NOT_CHARGED = {
  no_card: 'You have no saved card for automatic renewals.',
  expired_card: 'Your card for automatic renewals has expired.',
  declined: 'Your card for automatic renewals was declined.',
  unconfirmed: 'Your card’s bank wants you to confirm the payment.',
  not_processed: 'The payment did not go through.',
  disputed: 'The payment for the domain is disputed.',
  premium: 'It is a premium domain: you confirm its price at each renewal.',
  not_offered: 'It cannot be renewed automatically right now.',
} as const;

/** The reasons after which another attempt may succeed. */
const IS_TRIED: Partial<Record<keyof typeof NOT_CHARGED, boolean>> = {
  expired_card: true,
  declined: true,
  unconfirmed: true,
  not_processed: true,
  disputed: true,
};

/** Tells an owner that a domain was not renewed automatically, and where to renew it. */
export const autoRenewFailedMail = defineMail({
  kind: 'auto-renew-failed',
  audience: 'person',
  reason: OF_DOMAIN,
  topic: null,
  data: Type.Object({
    domain: Type.String(),
    expiresAt: INSTANT_DATA,
    /** The attempt, as days before the expiry date. */
    days: Type.Integer(),
    why: Type.Enum(Object.keys(NOT_CHARGED) as (keyof typeof NOT_CHARGED)[]),
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ domain, expiresAt, days }) => `auto-renew-failed:${domain}:${expiresAt}:${days}`,
  example: {
    domain: 'oakdeck.com',
    expiresAt: '2027-02-20T09:30:00.000Z',
    days: 15,
    why: 'declined',
    reason: null,
  },
  write: ({ domain, expiresAt, days, why, reason }, { format, config }) => ({
    subject: `${domainInSubject(domain)} was not renewed automatically`,
    preview: `It expires on ${format.day(expiresAt)}. Renew it to keep it.`,
    title: 'Your domain was not renewed',
    blocks: [
      paragraph(`${NOT_CHARGED[why]} You were not charged.`),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Expiry date', format.day(expiresAt)],
        ['Reason', reason],
      ),
      button('Renew the domain', `${config.baseUrl}/account/domains/${domain}/renew`),
      ...(IS_TRIED[why] && days > Math.min(...TRY_DAYS)
        ? [note('Until three days before the expiry date, we try the card again.')]
        : []),
    ],
  }),
});
