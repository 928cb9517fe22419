import { Type } from 'typebox';
import { button, facts, paragraph } from '../../messaging/mail/letter.ts';
import { defineMail } from '../../messaging/mail/mail.ts';

/** Tells staff, once a day, which work in LIVE is waiting for people. */
export const staffDigestMail = defineMail({
  kind: 'staff-digest',
  audience: 'staff',
  topic: 'staff',
  data: Type.Object({
    /** Such as `2026-11-22`. */
    day: Type.String(),
    waiting: Type.Array(Type.Object({ what: Type.String(), count: Type.Integer() })),
  }),
  cause: ({ day }) => `staff-digest:${day}`,
  example: {
    day: '2026-11-22',
    waiting: [
      { what: 'Orders in manual review', count: 3 },
      { what: 'Transfers that need action', count: 1 },
      { what: 'Payouts to send', count: 12 },
    ],
  },
  write({ day, waiting }, { format, config }) {
    const total = waiting.reduce((sum, { count }) => sum + count, 0);
    return {
      subject: `${format.number(total)} waiting on ${format.day(`${day}T00:00:00.000Z`)}`,
      preview: waiting.map(({ what, count }) => `${what}: ${count}`).join(', '),
      title: 'What is waiting',
      blocks: [
        paragraph('This LIVE work has been waiting for more than a day or is overdue.'),
        facts(...waiting.map(({ what, count }) => [what, format.number(count)] as const)),
        button('Open the console', `${config.baseUrl}/ops`),
      ],
    };
  },
});
