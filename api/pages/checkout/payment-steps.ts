import { html, type Markup } from '../../../shared/platform/html.ts';
import { formatMoney, type Money } from '../../../shared/platform/money.ts';
import { icon } from '../kit/icon.ts';
import { domainInText } from '../kit/page-parts.ts';

/** What a page shows instead of the form in other states. */
export interface StateView {
  title: string;
  content: Markup;
}

/** The subject of a payment. */
interface Paid {
  price: Money;
  domain: string;
}

/** The icon of each mark. */
const MARKS = { done: 'circle-check', wait: 'clock', stop: 'circle-alert' } as const;

/** Returns the icon above a message, which says the same as its title. */
export function mark(kind: keyof typeof MARKS): Markup {
  return icon(MARKS[kind], `mark ${kind}`);
}

/** Returns the step in which the buyer confirms the payment for the bank, here; `hidden` are fields of the form. */
export function confirmStep(
  { price, domain }: Paid,
  action: string,
  hidden: Markup | false,
): StateView {
  return {
    title: 'Confirm your payment',
    content: html`${mark('wait')}<h1>Confirm your payment</h1>
<p>Your bank wants to confirm this payment: <strong>${formatMoney(price)}</strong> for ${domainInText(domain)}.</p>
<form method="post" action="${action}" data-pay>
${hidden}<button type="submit" name="answer" value="approve" class="primary" data-busy="Confirming…">Approve the payment</button>
<button type="submit" name="answer" value="refuse">Decline</button>
</form>
<p class="hint center">Nothing is charged until you approve.</p>`,
  };
}

/** Returns the step for a buyer who left the provider's page early. */
export function elsewhereStep(
  { price }: Paid,
  actions: { resume: string; cancel: string },
  hidden: Markup | false,
  held = ' We are holding the domain for you.',
): StateView {
  return {
    title: 'Finish your payment',
    content: html`${mark('wait')}<h1>Finish your payment</h1>
<p>You started paying <strong>${formatMoney(price)}</strong> on our payment provider’s page and haven’t finished.${held}</p>
<form method="post" action="${actions.resume}" data-pay>
${hidden}<button type="submit" class="primary" data-busy="One moment…">Continue to payment</button>
</form>
<form method="post" action="${actions.cancel}" class="after">
${hidden}<button type="submit" class="link">Cancel the purchase</button>
</form>`,
  };
}

/** Returns the step in which a bank decides. */
export function pendingStep({ price }: Paid, resume: string): StateView {
  return {
    title: 'Your payment is processing',
    content: html`${mark('wait')}<h1>Your payment is processing</h1>
<p role="status">We are waiting for your bank to confirm <strong>${formatMoney(price)}</strong>. This page refreshes every few seconds. Don’t pay again.</p>
<p><a class="button" href="${resume}">Refresh</a></p>`,
  };
}
