import type { BrokerageCase, CaseEntry } from '../../../shared/brokerage/brokerage-case.ts';
import type { CaseStatus } from '../../../shared/brokerage/case-states.ts';
import { formatMoney } from '../../../shared/platform/money.ts';

/** The way of a case that ends well, as the buyer sees it. */
export const STEPS: readonly { status: CaseStatus; title: string }[] = [
  { status: 'OPEN', title: 'Request received' },
  { status: 'CONTACTING_OWNER', title: 'Contacting the owner' },
  { status: 'NEGOTIATING', title: 'Negotiating' },
  { status: 'AGREED', title: 'Price agreed' },
  { status: 'COMPLETED', title: 'Bought' },
];

/** Where the case stands, in a few words and in a sentence or two. */
const STATUS_TEXT: Record<CaseStatus, { title: string; text: string }> = {
  OPEN: {
    title: 'We have your request',
    text: 'A broker will look for the owner of the domain. There is nothing that you need to do.',
  },
  CONTACTING_OWNER: {
    title: 'We are contacting the owner',
    text: 'Owners often take days to answer, and some never do. We keep trying and tell you here.',
  },
  NEGOTIATING: {
    title: 'We are talking about the price',
    text: 'The owner has answered. We are negotiating a price within your budget.',
  },
  AGREED: {
    title: 'A price is agreed',
    text: 'We are preparing the purchase and will contact you by e-mail with the next steps.',
  },
  COMPLETED: {
    title: 'The domain is bought',
    text: 'The deal is closed. The domain is on its way to you.',
  },
  CLOSED_NO_DEAL: {
    title: 'No deal was possible',
    text: 'We could not come to an agreement with the owner, and have closed your request.',
  },
  CANCELLED: {
    title: 'Your request is cancelled',
    text: 'We have stopped looking. Nothing more will happen.',
  },
};

/** Where a case stands. While the latest offer is above the budget, nobody is told that it is within. */
export function statusText({
  status,
  latestOffer,
  budget,
  tier,
}: Pick<BrokerageCase, 'status' | 'latestOffer' | 'budget' | 'tier'>): {
  title: string;
  text: string;
} {
  const above = latestOffer !== null && latestOffer.amount > budget.amount;
  if (status !== 'NEGOTIATING' || !above) return STATUS_TEXT[status];
  const offer = formatMoney(latestOffer);
  const next =
    tier === 'self_serve'
      ? 'You can raise your budget below. We keep negotiating.'
      : 'Your broker will ask you before going above your budget.';
  return {
    title: STATUS_TEXT.NEGOTIATING.title,
    text: `The latest offer is ${offer}, which is above your budget of ${formatMoney(budget)}. ${next}`,
  };
}

/** One step of the story, to the buyer. */
export function entryText(entry: CaseEntry): string {
  const amount = entry.amount && formatMoney(entry.amount);
  switch (entry.event) {
    case 'open':
      return amount ? `Your request came in, with a budget of ${amount}.` : 'Your request came in.';
    case 'contact_owner':
      return withPrice('We began to contact the owner.', amount);
    case 'negotiate':
      return amount
        ? `A price of ${amount} is on the table.`
        : 'We began to talk with the owner about the price.';
    case 'agree':
      return amount ? `A price was agreed: ${amount}.` : 'A price was agreed.';
    case 'complete':
      return amount ? `The domain was bought for ${amount}.` : 'The domain was bought.';
    case 'close_no_deal':
      return withPrice('We closed the request without a deal.', amount);
    case 'cancel':
      return entry.by === 'buyer' ? 'You cancelled the request.' : 'The request was cancelled.';
    case 'raise_budget':
      return amount ? `You raised your budget to ${amount}.` : 'You raised your budget.';
    default:
      return 'The request was updated.';
  }
}

function withPrice(sentence: string, amount: string | null): string {
  return amount ? `${sentence} The latest offer was ${amount}.` : sentence;
}
