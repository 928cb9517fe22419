import { Type } from 'typebox';
import { button, facts, paragraph } from '../../messaging/mail/letter.ts';
import {
  domainInLetter,
  domainInSubject,
  INSTANT_DATA,
  MONEY_DATA,
} from '../../messaging/mail/letter-data.ts';
import { defineMail } from '../../messaging/mail/mail.ts';
import type { CaseStatus } from './brokerage-case.ts';
import { progressUrl } from './progress-link.ts';

const NEWS: Readonly<Record<CaseStatus, { subject: string; title: string; text: string }>> = {
  OPEN: {
    subject: 'We are working on',
    title: 'Your request has been received',
    text: 'We will look for the owner of this domain and ask for a price.',
  },
  CONTACTING_OWNER: {
    subject: 'We are contacting the owner of',
    title: 'We are contacting the owner',
    text: 'We contacted the owner. We will let you know when they answer.',
  },
  NEGOTIATING: {
    subject: 'News about',
    title: 'We are negotiating with the owner',
    text: 'The owner answered, and we are negotiating the price.',
  },
  AGREED: {
    subject: 'The owner agreed to sell',
    title: 'The owner agreed to sell',
    text: 'We agreed on a price with the owner. The next step is the payment.',
  },
  COMPLETED: {
    subject: 'The deal is done:',
    title: 'The deal is done',
    text: 'You bought the domain. We will email you again when its transfer starts.',
  },
  CLOSED_NO_DEAL: {
    subject: 'No deal for',
    title: 'There was no deal',
    text: 'There was no deal in the end, so we closed your request. You pay nothing.',
  },
  CANCELLED: {
    subject: 'Case canceled:',
    title: 'The case was canceled',
    text: 'The case was canceled. You pay nothing.',
  },
};

/** Tells a buyer about a step of a case, with the link to its progress page. */
export const brokerageUpdateMail = defineMail({
  kind: 'brokerage-update',
  audience: 'buyer',
  topic: 'brokerage',
  data: Type.Object({
    caseId: Type.String(),
    domain: Type.String(),
    status: Type.String(),
    /** The step of the case. Each step is mailed once. */
    step: Type.String(),
    budget: MONEY_DATA,
    offer: Type.Union([MONEY_DATA, Type.Null()]),
    /** The price paid, once it is paid; missing in older queued mails. */
    price: Type.Optional(Type.Union([MONEY_DATA, Type.Null()])),
  }),
  cause: ({ caseId, step }) => `brokerage-update:${caseId}:${step}`,
  example: {
    caseId: 'brk_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'lanternhill.com',
    status: 'NEGOTIATING',
    step: 'NEGOTIATING:2026-11-22T09:30:00.000Z',
    budget: { amount: 500_000, currency: 'USD' },
    offer: { amount: 420_000, currency: 'USD' },
  },
  async write({ caseId, domain, status, budget, offer, price }, context) {
    const { subject, title, text } = NEWS[status as CaseStatus];
    const { format } = context;
    return {
      subject: `${subject} ${domainInSubject(domain)}`,
      preview: text,
      title,
      blocks: [
        paragraph(text),
        facts(
          ['Domain', domainInLetter(domain)],
          ['Your budget', format.money(budget)],
          price
            ? ['Price paid', format.money(price)]
            : [status === 'AGREED' ? 'Agreed price' : 'Latest offer', offer && format.money(offer)],
        ),
        button('See the progress', await progressUrl(context, caseId)),
        paragraph('The link works without a password, so keep it private.'),
      ],
    };
  },
});

const ANSWERS = {
  counter: {
    subject: (price: string) => `Counteroffer of ${price} for`,
    title: 'The buyer made a counteroffer',
    price: 'Counteroffer',
  },
  decline: {
    subject: (price: string) => `${price} declined for`,
    title: 'The buyer declined the owner’s price',
    price: 'Declined price',
  },
} as const;

/** Tells staff about a buyer's answer to the owner's price, on which they have to act. */
export const buyerAnsweredMail = defineMail({
  kind: 'buyer-answered',
  audience: 'staff',
  topic: 'cases',
  data: Type.Object({
    caseId: Type.String(),
    domain: Type.String(),
    answer: Type.Enum(Object.keys(ANSWERS) as (keyof typeof ANSWERS)[]),
    price: MONEY_DATA,
    budget: MONEY_DATA,
    at: INSTANT_DATA,
  }),
  cause: ({ caseId, at }) => `buyer-answered:${caseId}:${at}`,
  example: {
    caseId: 'brk_01m7yg4ev0e89rzq0ngjrt467r',
    domain: 'lanternhill.com',
    answer: 'counter',
    price: { amount: 400_000, currency: 'USD' },
    budget: { amount: 500_000, currency: 'USD' },
    at: '2026-11-22T09:30:00.000Z',
  },
  write({ caseId, domain, answer, price, budget, at }, { format, config }) {
    const words = ANSWERS[answer];
    const next = 'Take it to the owner, then enter the owner’s answer in the case.';
    return {
      subject: `${words.subject(format.money(price))} ${domainInSubject(domain)}`,
      preview: next,
      title: words.title,
      blocks: [
        paragraph(next),
        facts(
          ['Domain', domainInLetter(domain)],
          [words.price, format.money(price)],
          ['Budget', format.money(budget)],
          ['Time', format.instant(at)],
        ),
        button('Open the case', `${config.baseUrl}/ops/brokerage/${caseId}`),
      ],
    };
  },
});
