import type { Attempt, Delivery } from '../../../shared/messaging/webhooks/delivery.ts';
import type { Replay } from '../../../shared/messaging/webhooks/replay.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { humanize, timestamp } from './format.ts';
import { descriptionList } from './page-parts.ts';
import type { PageNow } from './page-time.ts';

/** Marks a delivery that is not the first of its event. */
export function sentAgain({ resendOf, replayId }: Delivery): Markup | false {
  if (resendOf === null && replayId === null) return false;
  return html`<span class="sub">${replayId === null ? 'resent' : 'replayed'}</span>`;
}

/** Lists every attempt of a delivery, with its request and response. */
export function deliveryAttempts({ attempts }: Delivery, now: PageNow): Markup {
  if (attempts.length === 0) return html`<span class="none">none yet</span>`;
  return html`<details><summary>${attempts.length}, last: ${answerOf(attempts.at(-1))}</summary>
<ol class="attempts">${attempts.map(
    (attempt) => html`<li><strong>${answerOf(attempt)}</strong> in ${attempt.elapsedMs} ms,
${timestamp(attempt.startedAt, now)}${attempt.detail && html`<span class="sub">${attempt.detail}</span>`}
${headers('Request headers', attempt.requestHeaders)}
${headers('Response headers', attempt.responseHeaders)}
${attempt.responseBody && html`<pre tabindex="0" aria-label="Response body">${attempt.responseBody}</pre>`}</li>`,
  )}</ol></details>`;
}

function headers(title: string, sent: Attempt['requestHeaders']): Markup | false {
  if (sent === null) return false;
  return html`<details><summary>${title}</summary>${descriptionList(
    Object.entries(sent).map(([name, value]) => [name, html`<code>${value}</code>`]),
    'headers',
  )}</details>`;
}

function answerOf(attempt: Attempt | undefined): string {
  if (!attempt) return '';
  if (attempt.statusCode !== null) return String(attempt.statusCode);
  return humanize(attempt.outcome);
}

/** Lists event types, which can wrap after the dot if there is little room. */
export function eventTypes({ eventTypes }: { eventTypes: readonly string[] | null }): Markup {
  if (eventTypes === null) return html`All`;
  return html`${eventTypes.map((type, at) => {
    const [family, rest] = type.split('.');
    return html`${at > 0 && ', '}${family}.<wbr>${rest}`;
  })}`;
}

/** Shows the progress of a replay. */
export function replayProgress({ progress, total, delivered, failed }: Replay): Markup {
  const percent = Math.floor(progress * 100);
  const count = total === null ? '' : `, ${delivered + failed} of ${total}`;
  return html`<progress max="100" value="${percent}" aria-label="Progress">${percent}%</progress>
<span class="sub">${percent}%${count}</span>`;
}
