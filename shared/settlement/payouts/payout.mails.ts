import { Type } from 'typebox';
import { amounts, facts, paragraph } from '../../messaging/mail/letter.ts';
import { MONEY_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

const PAYOUT_DATA = Type.Object({
  payoutId: Type.String(),
  source: Type.String(),
  amount: MONEY_DATA,
  reference: Type.Union([Type.String(), Type.Null()]),
});
const EXAMPLE = {
  payoutId: 'pay_01m6a6ft00eveazjqz3db214yp',
  source: 'hosted_checkout',
  amount: { amount: 230_250, currency: 'USD' },
  reference: 'SEPA-20261122-0042',
};
const SOURCES: Readonly<Record<string, string>> = {
  hosted_checkout: 'Sales on hosted checkout',
  brokerage: 'Brokered deals',
  referral: 'Referral commissions',
};
const detailsOf = (data: { payoutId: string; source: string; reference: string | null }) =>
  facts(
    ['For', SOURCES[data.source] ?? null],
    ['Bank reference', data.reference],
    ['Payout', data.payoutId],
  );

/** Tells a partner that a payout has left our bank. */
export const payoutSentMail = defineMail({
  kind: 'payout-sent',
  audience: 'partner',
  topic: 'money',
  data: PAYOUT_DATA,
  cause: ({ payoutId }) => `payout-sent:${payoutId}`,
  example: EXAMPLE,
  write: (data, { format }) => ({
    subject: `We sent you ${format.money(data.amount)}`,
    preview: 'The payout has left our bank.',
    title: 'A payout is on its way',
    blocks: [
      paragraph('The payout has left our bank. It usually arrives within two working days.'),
      amounts([], ['Sent', format.money(data.amount)]),
      detailsOf(data),
    ],
  }),
});

/** Tells a partner that its payout account changed. Nobody can unsubscribe from it. */
export const destinationChangedMail = defineMail({
  kind: 'payout-account-changed',
  audience: 'partner',
  topic: null,
  security: () => true,
  data: Type.Object({
    partnerId: Type.String(),
    kind: Type.String(),
    revision: Type.Integer(),
    name: Type.String(),
    usableFrom: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ partnerId, kind, revision }) =>
    `payout-account-changed:${partnerId}:${kind}:${revision}`,
  example: {
    partnerId: 'ptr_01m6a6ft00eveazjqz3db214yp',
    kind: 'bank',
    revision: 2,
    name: 'bank account of Harbor Names SARL that ends in 2606',
    usableFrom: '2026-11-23T09:30:00.000Z',
  },
  write: ({ name, usableFrom }, { format }) => ({
    subject: 'Your payout account has changed',
    preview: `Your payouts will go to the ${name}.`,
    title: 'Your payout account has changed',
    blocks: [
      paragraph(`Your payouts will go to the ${name}.`),
      ...(usableFrom === null
        ? []
        : [paragraph(`We will start paying to this account on ${format.instant(usableFrom)}.`)]),
      paragraph('If you did not ask for this, tell us right away and we will stop it.'),
    ],
  }),
});

/** Tells a partner that a payout did not arrive. */
export const payoutFailedMail = defineMail({
  kind: 'payout-failed',
  audience: 'partner',
  topic: 'money',
  data: Type.Object({
    ...PAYOUT_DATA.properties,
    reason: Type.Union([Type.String(), Type.Null()]),
  }),
  cause: ({ payoutId }) => `payout-failed:${payoutId}`,
  example: { ...EXAMPLE, reason: 'account closed' },
  write: (data, { format }) => ({
    subject: `Your payout of ${format.money(data.amount)} failed`,
    preview: 'The money did not arrive. We will pay it again with the next settlement run.',
    title: 'A payout failed',
    blocks: [
      paragraph(
        'The money did not arrive. We still owe it to you and will pay it again with the next settlement run.',
      ),
      amounts([], ['Not received', format.money(data.amount)]),
      facts(['Reason', data.reason]),
      detailsOf(data),
      paragraph('Please make sure that we have your current bank details.'),
    ],
  }),
});
