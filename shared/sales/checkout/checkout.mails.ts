import { Type } from 'typebox';
import { button, facts, note, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { nameOfPerson } from '../../messaging/mail/mail-text.ts';
import { sessionUrl } from './checkout-token.ts';

const PURCHASE = {
  sessionId: Type.String(),
  domain: Type.String(),
  price: MONEY_DATA,
  buyerName: Type.Union([Type.String(), Type.Null()]),
  /** When the review began. A session may have more than one review. */
  since: Type.String(),
};
const EXAMPLE = {
  sessionId: 'cks_01m7yg4ev0e89rzq0ngjrt467r',
  domain: 'oakdeck.com',
  price: { amount: 12_500_000, currency: 'USD' },
  buyerName: 'Robin',
  since: '2026-11-22T09:30:00.000Z',
};

/** Tells a buyer that a purchase was approved, with the link to pay. */
export const checkoutReadyMail = defineMail({
  kind: 'checkout-ready',
  audience: 'buyer',
  topic: null,
  data: Type.Object({ ...PURCHASE, payUntil: INSTANT_DATA }),
  cause: ({ sessionId, since }) => `checkout-ready:${sessionId}:${since}`,
  example: { ...EXAMPLE, payUntil: '2026-11-23T11:00:00.000Z' },
  async write({ sessionId, domain, price, buyerName, payUntil }, context) {
    const { brand, format } = context;
    const name = nameOfPerson(buyerName);
    const expiresAt = new Date(payUntil);
    return {
      subject: `You can now pay for ${domainInSubject(domain)}`,
      preview: `Your purchase of ${domainInSubject(domain)} was approved. We hold it for you for 24 hours.`,
      title: name === null ? 'You can pay now' : `You can pay now, ${name}`,
      blocks: [
        paragraph(
          `We reviewed your purchase at ${brand} and approved it. You have not been charged yet.`,
        ),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Price', format.money(price)],
          ['Pay by', format.instant(payUntil)],
        ),
        button('Pay now', await sessionUrl(context, { id: sessionId, expiresAt })),
        paragraph('If you enter another email address or country, we review the purchase again.'),
      ],
    };
  },
});

/** The texts that say why a purchase did not go through, and that a charged amount is refunded. */
const ENDS = {
  declined: ({ brand }: EndWords) => [
    paragraph(`We reviewed your purchase at ${brand} and could not approve it.`),
    paragraph('The domain is no longer held for you.'),
  ],
  expired: ({ brand }: EndWords) => [
    paragraph(
      `We could not finish the review of your purchase at ${brand} in time, so your payment link has expired.`,
    ),
    paragraph(
      'The domain is no longer held for you. To try again, ask for a new link where you found it.',
    ),
  ],
  refunded: ({ brand, price }: EndWords) => [
    paragraph(
      `Your payment at ${brand} arrived when the domain could no longer be bought. We are returning ${price} to the way you paid.`,
    ),
    note('Banks usually take five to ten days to show it.'),
  ],
};

interface EndWords {
  brand: string;
  price: string;
}

/** Tells a buyer that a purchase was declined, not reviewed in time, or paid after the domain was gone. */
export const checkoutEndedMail = defineMail({
  kind: 'checkout-ended',
  audience: 'buyer',
  topic: null,
  data: Type.Object({ ...PURCHASE, outcome: Type.Enum(['declined', 'expired', 'refunded']) }),
  // A payment can arrive after a mail about another outcome.
  cause: ({ sessionId, outcome }) =>
    `checkout-${outcome === 'refunded' ? 'refunded' : 'ended'}:${sessionId}`,
  example: { ...EXAMPLE, outcome: 'declined' },
  write({ domain, price, outcome }, { brand, format }) {
    const isCharged = outcome === 'refunded';
    const [why, next] = ENDS[outcome]({ brand, price: format.money(price) });
    return {
      subject: `Your purchase of ${domainInSubject(domain)} did not go through`,
      preview: isCharged ? 'You get your money back.' : 'You have not been charged.',
      title: isCharged ? 'We are refunding your payment' : 'You have not been charged',
      blocks: [
        ...(why ? [why] : []),
        facts(['Domain', domainInLetter(domain)], ['Price', format.money(price)]),
        ...(next ? [next] : []),
      ],
    };
  },
});
