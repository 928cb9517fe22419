import { Type } from 'typebox';
import { amounts, button, facts, link, note, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import { nameOfPerson } from '../../messaging/mail/mail-text.ts';
import { purchaseUrl, SEE_ORDER } from './purchase-link.ts';
import { registrantUrl } from './registrant-link.ts';

/** Sends the receipt to a buyer who paid us. A partner that collected the price sends its own. */
export const receiptMail = defineMail({
  kind: 'receipt',
  audience: 'buyer',
  topic: null,
  data: Type.Object({
    orderId: Type.String(),
    domain: Type.String(),
    buyerName: Type.Union([Type.String(), Type.Null()]),
    price: MONEY_DATA,
    paidAt: INSTANT_DATA,
  }),
  cause: ({ orderId }) => `receipt:${orderId}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    buyerName: 'Robin',
    price: { amount: 153_500, currency: 'USD' },
    paidAt: '2026-11-22T09:30:00.000Z',
  },
  async write({ orderId, domain, buyerName, price, paidAt }, context) {
    const { brand, format } = context;
    const name = nameOfPerson(buyerName);
    return {
      subject: `Your receipt for ${domainInSubject(domain)}`,
      preview: `We received ${format.money(price)} for ${domainInSubject(domain)}.`,
      title: name === null ? 'Thank you for your purchase' : `Thank you, ${name}`,
      blocks: [
        paragraph(
          `We received your payment for your purchase at ${brand}. Your domain is being prepared.`,
        ),
        amounts([[domainInLetter(domain), format.money(price)]], ['Paid', format.money(price)]),
        facts(['Order', orderId], ['Paid on', format.instant(paidAt)]),
        link(SEE_ORDER, await purchaseUrl(context, orderId)),
        note('We will email you again when the domain is on its way.'),
      ],
    };
  },
});

const HOLD_REASONS: Readonly<Record<string, string>> = {
  price: 'its price is high',
  country: "of the buyer's country",
  velocity: 'of many orders within an hour',
  payment_review: 'its payment is being reviewed',
  payment_disputed: 'its buyer disputes the payment at the bank',
  sandbox_hold: 'its name asks for it',
};

/** Tells a partner that an order waits for a manual review. */
export const orderHeldMail = defineMail({
  kind: 'order-held',
  audience: 'partner',
  topic: 'orders',
  data: Type.Object({
    orderId: Type.String(),
    domain: Type.String(),
    price: MONEY_DATA,
    reasons: Type.Array(Type.String()),
  }),
  // An order may be held again for another reason.
  cause: ({ orderId, reasons }) => `order-held:${orderId}:${reasons.join()}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    price: { amount: 12_500_000, currency: 'USD' },
    reasons: ['price'],
  },
  write({ orderId, domain, price, reasons }, { format, config }) {
    const because = reasons.flatMap((reason) => HOLD_REASONS[reason] ?? []);
    return {
      subject: `Order for ${domainInSubject(domain)} is in manual review`,
      preview: 'No action is needed now. The transfer starts when the review is done.',
      title: 'An order is in manual review',
      blocks: [
        paragraph(
          because.length === 0
            ? 'We are reviewing this order before its transfer starts.'
            : `We are reviewing this order before its transfer starts, because ${because.join(' and because ')}.`,
        ),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Price', format.money(price)],
          ['Order', orderId],
        ),
        paragraph(
          'We send the event order.manual_review_cleared if it is approved, or order.refunded if not.',
        ),
        button('Read about manual review', `${config.baseUrl}/docs/states`),
      ],
    };
  },
});

/** The number of the reminder; 0 is the first mail. */
const REMINDER = Type.Integer({ minimum: 0 });

/** Asks a buyer who to register the domain for, with the link to the form. */
export const registrantMail = defineMail({
  kind: 'registrant-required',
  audience: 'buyer',
  topic: null,
  data: Type.Object({
    orderId: Type.String(),
    domain: Type.String(),
    buyerName: Type.Union([Type.String(), Type.Null()]),
    reminder: REMINDER,
  }),
  cause: ({ orderId, reminder }) => `registrant-required:${orderId}:${reminder}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    buyerName: 'Robin',
    reminder: 0,
  },
  async write({ orderId, domain, buyerName, reminder }, context) {
    const name = nameOfPerson(buyerName);
    const question = `Where should we register ${domainInSubject(domain)}?`;
    return {
      subject: reminder === 0 ? question : `Reminder: ${question}`,
      preview: 'Tell us who the domain belongs to, so that we can transfer it.',
      title: 'Where should we register your domain?',
      blocks: [
        paragraph(name === null ? 'Hello,' : `Hello ${name},`),
        paragraph(
          'Every domain is registered to a person or an organization with an address. Tell us who, and the transfer will start.',
        ),
        facts(['Domain', domainInLetter(domain)], ['Order', orderId]),
        button('Enter the details', await registrantUrl(context, orderId)),
        link(SEE_ORDER, await purchaseUrl(context, orderId)),
        note('The link works without a password, so keep it private.'),
      ],
    };
  },
});

/** Tells a partner that an order waits for its registrant. */
export const orderActionMail = defineMail({
  kind: 'order-action-required',
  audience: 'partner',
  topic: 'orders',
  data: Type.Object({ orderId: Type.String(), domain: Type.String(), reminder: REMINDER }),
  cause: ({ orderId, reminder }) => `order-action-required:${orderId}:${reminder}`,
  example: { orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r', domain: 'oakdeck.com', reminder: 0 },
  write: ({ orderId, domain, reminder }, { config }) => ({
    subject: `${reminder === 0 ? '' : 'Reminder: '}Order for ${domainInSubject(domain)} needs a registrant`,
    preview: 'The transfer will start once we know the registrant of the domain.',
    title: 'An order needs a registrant',
    blocks: [
      paragraph(
        'We do not know the registrant of this domain yet, so its transfer has not started. We asked your buyer as well.',
      ),
      facts(['Domain', domainInLetter(domain)], ['Order', orderId]),
      paragraph('Send it with PUT /v1/orders/{public_id}/registrant, or ask your buyer to.'),
      button('Read about registrants', `${config.baseUrl}/docs/partner-api`),
    ],
  }),
});
