import { Type } from 'typebox';
import { amounts, button, facts, paragraph } from '../../messaging/mail/letter.ts';
import { INSTANT_DATA, MONEY_DATA } from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

/** Tells a partner that a statement has closed. */
export const statementReadyMail = defineMail({
  kind: 'statement-ready',
  audience: 'partner',
  topic: 'money',
  data: Type.Object({
    settlementId: Type.String(),
    /** The amount that the partner owes us; negative if we owe it. */
    amountOwed: MONEY_DATA,
    periodEnd: INSTANT_DATA,
    dueAt: INSTANT_DATA,
  }),
  cause: ({ settlementId }) => `statement-ready:${settlementId}`,
  example: {
    settlementId: 'stl_01m6a6ft00eveazjqz3db214yp',
    amountOwed: { amount: 1_304_750, currency: 'USD' },
    periodEnd: '2026-12-01T00:00:00.000Z',
    dueAt: '2026-12-15T00:05:00.000Z',
  },
  write({ settlementId, amountOwed, periodEnd, dueAt }, { format, config }) {
    const owed = amountOwed.amount > 0;
    const amount = format.money({ ...amountOwed, amount: Math.abs(amountOwed.amount) });
    return {
      subject: owed ? `Your statement is ready: ${amount} due` : 'Your statement is ready',
      preview: owed ? `Due on ${format.day(dueAt)}.` : 'There is nothing to pay.',
      title: 'Your statement is ready',
      blocks: [
        paragraph(
          owed
            ? `Please pay this statement by ${format.day(dueAt)}.`
            : 'There is nothing for you to pay.',
        ),
        amounts([], [owed || amountOwed.amount === 0 ? 'You owe' : 'We owe you', amount]),
        facts(
          ['Statement', settlementId],
          ['Up to', format.instant(periodEnd)],
          ['Due', owed ? format.day(dueAt) : null],
        ),
        button('Read about settlements', `${config.baseUrl}/docs/settlements`),
      ],
    };
  },
});
