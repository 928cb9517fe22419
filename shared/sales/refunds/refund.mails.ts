import { Type } from 'typebox';
import { facts, note, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

/** Tells a buyer that an order was refunded, and who returns the money. */
export const refundMail = defineMail({
  kind: 'refund',
  audience: 'buyer',
  topic: null,
  data: Type.Object({
    orderId: Type.String(),
    refundId: Type.String(),
    domain: Type.String(),
    amount: MONEY_DATA,
    /** Whether the money comes from us; otherwise the partner collected it and returns it. */
    fromUs: Type.Boolean(),
    /** Whether the buyer's bank returned the money after a dispute; missing in older mails. */
    byBank: Type.Optional(Type.Boolean()),
    /** Whether the buyer has the domain in their account, which now shows it as returned; missing in older mails. */
    returnsDomain: Type.Optional(Type.Boolean()),
    at: INSTANT_DATA,
  }),
  cause: ({ orderId }) => `refund:${orderId}`,
  example: {
    orderId: 'ord_01m7yg4ev0e89rzq0ngjrt467r',
    refundId: 'rfd_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'oakdeck.com',
    amount: { amount: 153_500, currency: 'USD' },
    fromUs: true,
    at: '2026-11-24T16:05:00.000Z',
  },
  write: (
    { orderId, refundId, domain, amount, fromUs, byBank, returnsDomain, at },
    { brand, format },
  ) => ({
    subject: `Your order for ${domainInSubject(domain)} was refunded`,
    preview: byBank
      ? `Your bank has returned ${format.money(amount)} to you.`
      : `${format.money(amount)} is on its way back to you.`,
    title: 'Your order was refunded',
    blocks: [
      paragraph(sayWhoReturns(format.money(amount), byBank ? 'bank' : fromUs ? 'us' : { brand })),
      ...(returnsDomain ? [paragraph(RETURNED)] : []),
      facts(
        ['Domain', domainInLetter(domain)],
        ['Amount', format.money(amount)],
        ['Refunded', format.instant(at)],
        ['Order', orderId],
        ['Refund', refundId],
      ),
      ...(byBank ? [] : [note('Banks usually take five to ten days to show it.')]),
    ],
  }),
});

const RETURNED =
  'The domain is no longer yours: you can’t change, move or renew it in your account anymore.';

function sayWhoReturns(amount: string, who: 'bank' | 'us' | { brand: string }): string {
  if (who === 'bank')
    return `Your bank has returned ${amount} to you, as you disputed the payment.`;
  if (who === 'us') return `We are returning ${amount} to the way you paid.`;
  return `${who.brand} is returning ${amount} to you.`;
}
