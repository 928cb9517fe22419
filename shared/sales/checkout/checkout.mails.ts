import { Type } from 'typebox';
import { button, facts, paragraph } from '../../messaging/mail/letter.ts';
import { domainInLetter, INSTANT_DATA, MONEY_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { nameOfPerson } from '../../messaging/mail/mail-text.ts';
import { sessionUrl } from './checkout-token.ts';

const PURCHASE = {
  sessionId: Type.String(),
  domain: Type.String(),
  price: MONEY_DATA,
  buyerName: Type.Union([Type.String(), Type.Null()]),
  /** When the review began: a session may have more than one. */
  since: Type.String(),
};
const EXAMPLE = {
  sessionId: 'cks_01m7yg4ev0e89rzq0ngjrt467r',
  domain: 'oakdeck.com',
  price: { amount: 12_500_000, currency: 'USD' },
  buyerName: 'Robin',
  since: '2026-11-22T09:30:00.000Z',
};

/** Tells a buyer that the review of a purchase is over, with the link to pay. */
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
      subject: `You can now pay for ${domain}`,
      preview: `Your purchase of ${domain} was approved. We hold it for you for 24 hours.`,
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
        paragraph('If you enter another e-mail address or country, we review the purchase again.'),
      ],
    };
  },
});

/** Tells a buyer that a purchase was not approved, or not in time; nothing was charged. */
export const checkoutEndedMail = defineMail({
  kind: 'checkout-ended',
  audience: 'buyer',
  topic: null,
  data: Type.Object({ ...PURCHASE, outcome: Type.Enum(['declined', 'expired']) }),
  cause: ({ sessionId }) => `checkout-ended:${sessionId}`,
  example: { ...EXAMPLE, outcome: 'declined' },
  write({ domain, price, outcome }, { brand, format }) {
    return {
      subject: `Your purchase of ${domain} did not go through`,
      preview: 'You have not been charged.',
      title: 'You have not been charged',
      blocks: [
        paragraph(
          outcome === 'declined'
            ? `We reviewed your purchase at ${brand} and could not approve it.`
            : `We could not finish the review of your purchase at ${brand} in time, so your payment link has expired.`,
        ),
        facts(['Domain', domainInLetter(domain)], ['Price', format.money(price)]),
        paragraph(
          outcome === 'declined'
            ? 'The domain is no longer held for you.'
            : 'The domain is no longer held for you. To try again, ask for a new link where you found it.',
        ),
      ],
    };
  },
});
