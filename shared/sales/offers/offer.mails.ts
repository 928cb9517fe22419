import { Type } from 'typebox';
import { button, facts, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

/** Tells an owner about an offer on their domain, which staff answer for them, and what happens next. */
export const offerReceivedMail = defineMail({
  kind: 'offer-received',
  audience: 'person',
  reason: () => 'of an offer on a domain in your account',
  topic: null,
  data: Type.Object({
    offerId: Type.String(),
    domain: Type.String(),
    amount: MONEY_DATA,
    /** The buy-now price. */
    price: MONEY_DATA,
    /** The price that was last asked for the owner, which the buyer answered with this offer. */
    asked: Type.Union([MONEY_DATA, Type.Null()]),
    /** When the offer expires; if it was accepted, until when the buyer may pay. */
    until: INSTANT_DATA,
    /** Whether it reached the floor from which offers are accepted at once. */
    isAccepted: Type.Boolean(),
  }),
  cause: ({ offerId, amount }) => `offer-received:${offerId}:${amount.amount}`,
  example: {
    offerId: 'ofr_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    amount: { amount: 300_000, currency: 'USD' },
    price: { amount: 485_000, currency: 'USD' },
    asked: null,
    until: '2026-11-29T09:30:00.000Z',
    isAccepted: false,
  },
  write({ domain, amount, price, asked, until, isAccepted }, { format, config }) {
    const offered = format.money(amount);
    return {
      subject: isAccepted
        ? `Offer of ${offered} for ${domainInSubject(domain)} accepted`
        : `Offer of ${offered} for ${domainInSubject(domain)}`,
      preview: isAccepted ? 'The buyer can pay now.' : 'Reply with your answer.',
      title: isAccepted ? 'An offer was accepted' : 'You have an offer',
      blocks: [
        paragraph(`A buyer ${asked ? 'raised their offer' : 'made an offer'} on your domain.`),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Offer', offered],
          ['You asked for', asked && format.money(asked)],
          ['Buy-now price', format.money(price)],
        ),
        paragraph(
          isAccepted
            ? `It reaches the price from which offers on your domain are accepted automatically. The buyer can pay until ${format.instant(until)}. Until then, nobody else can buy the domain.`
            : `Reply to this email to accept, decline or name your price: we answer the buyer for you. Without an answer, the offer expires on ${format.instant(until)}.`,
        ),
        button('View the domain', `${config.baseUrl}/account/domains/${domain}`),
      ],
    };
  },
});
