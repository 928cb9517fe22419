import { Type } from 'typebox';
import type { BacklogStatus, QueueStatus } from '../../../../shared/delivery/jobs/queue-status.ts';
import type {
  LedgerCheckSummary,
  WorkByEnvironment,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { SECOND } from '../../../../shared/platform/clock.ts';
import type { SharedRead } from '../../../../shared/platform/concurrency/shared-read.ts';
import { section, table } from '../../../pages/kit/components.ts';
import { badge, duration, timestamp } from '../../../pages/kit/format.ts';
import { html, type Markup } from '../../../pages/kit/html.ts';
import { consolePage, type PageContext } from '../console-page.ts';

/** Where ops begin: how much waits in each queue of work, and whether the machinery runs. */
export const overviewPage = consolePage({
  path: '/',
  input: Type.Object({}),
  async show(context) {
    const { figures } = context;
    const [counts, ledger, queues, backlog] = await Promise.all([
      readOrUndefined(figures.work),
      readOrUndefined(figures.ledger),
      readOrUndefined(figures.queues),
      readOrUndefined(figures.backlog),
    ]);
    return {
      title: 'Desk',
      section: 'desk',
      content: html`${section('Waiting for people', counts ? counters(counts) : UNAVAILABLE, 'The numbers are of LIVE.')}
${section('Machinery', html`${ledgerLine(ledger, context)}${queuesTable(queues, backlog)}`)}
<p><a href="/ops/queues">Open the board of the queues</a> · <a href="/readyz">Readiness</a></p>`,
    };
  },
});

/** What people did a moment ago is to be seen at once. */
const FRESH_MS = SECOND;

/** Undefined when it can't be read: the rest of the desk is worth showing. */
function readOrUndefined<T>(read: SharedRead<T>): Promise<T | undefined> {
  return read(FRESH_MS).catch(() => undefined);
}

const UNAVAILABLE = html`<p class="problem" role="alert">This could not be counted in time. Load the page again in a moment.</p>`;

interface Counter {
  text: string;
  href: string;
  count: number;
  note?: string | undefined;
  /** How many of them there are in SANDBOX, where nothing has to be done. */
  practice: number;
  alarm?: boolean;
}

function counters({ LIVE: counts, SANDBOX: practice }: WorkByEnvironment): Markup {
  const items: Counter[] = [
    {
      text: 'Orders in review',
      href: '/ops/review?environment=LIVE',
      count: counts.review,
      practice: practice.review,
    },
    {
      text: 'Orders to push',
      href: '/ops/pushes?environment=LIVE',
      count: counts.toPush,
      practice: practice.toPush,
      note: counts.underWay > 0 ? `${counts.underWay} under way` : undefined,
    },
    {
      text: 'Transfers that failed',
      href: '/ops/pushes?stage=failed&environment=LIVE',
      count: counts.failed,
      practice: practice.failed,
      alarm: counts.failed > 0,
    },
    {
      text: 'Transfers that need action',
      href: '/ops/pushes?stage=action_required&environment=LIVE',
      count: counts.actionRequired,
      practice: practice.actionRequired,
      alarm: counts.actionRequired > 0,
    },
    {
      text: 'Deliveries to confirm',
      href: '/ops/pushes?stage=to_confirm&environment=LIVE',
      count: counts.toConfirm,
      practice: practice.toConfirm,
    },
    {
      text: 'Refunds to decide',
      href: '/ops/pushes?stage=refund_to_decide&environment=LIVE',
      count: counts.refundsToDecide,
      practice: practice.refundsToDecide,
      alarm: counts.refundsToDecide > 0,
    },
    {
      text: 'Open brokerage cases',
      href: '/ops/brokerage',
      count: counts.openCases,
      practice: practice.openCases,
      note: counts.agreedCases > 0 ? `${counts.agreedCases} agreed` : undefined,
    },
    {
      text: 'Buyers to pay back',
      href: '/ops/repayments',
      count: counts.repaymentsOwed,
      practice: practice.repaymentsOwed,
      alarm: counts.repaymentsOwed > 0,
    },
    {
      text: 'Payouts to make',
      href: '/ops/payouts',
      count: counts.pendingPayouts,
      practice: practice.pendingPayouts,
    },
    {
      text: 'Settlements not paid',
      href: '/ops/settlements?status=closed&environment=LIVE',
      count: counts.unpaidSettlements,
      practice: practice.unpaidSettlements,
      note: counts.overdueSettlements > 0 ? `${counts.overdueSettlements} overdue` : undefined,
      alarm: counts.overdueSettlements > 0,
    },
    {
      text: 'Failing webhook endpoints',
      href: '/ops/webhooks',
      count: counts.failingEndpoints,
      practice: practice.failingEndpoints,
      alarm: counts.failingEndpoints > 0,
    },
  ];
  return html`<ul class="counters">${items.map(
    ({
      text,
      href,
      count,
      note,
      alarm,
      practice: inSandbox,
    }) => html`<li><a href="${href}" class="${
      count === 0 ? 'nothing' : alarm && 'alarm'
    }"><b>${count}</b>${text}${note && html` <span class="sub">${note}</span>`}${
      inSandbox > 0 && html` <span class="sub">${inSandbox} in SANDBOX</span>`
    }</a></li>
`,
  )}</ul>`;
}

function ledgerLine(ledger: LedgerCheckSummary | null | undefined, { now }: PageContext): Markup {
  if (ledger === undefined) return UNAVAILABLE;
  if (ledger === null)
    return html`<p>The <a href="/ops/ledger">ledger</a> has not been checked yet.</p>`;
  return html`<p>The <a href="/ops/ledger">ledger</a> ${
    ledger.ok ? 'balances' : html`<strong>does not balance</strong>`
  } ${ledger.ok ? badge('ok') : badge('failed')} Checked ${timestamp(ledger.at, now)}, ${
    ledger.entries
  } entries.</p>`;
}

function queuesTable(
  queues: QueueStatus[] | undefined,
  backlog: BacklogStatus[] | undefined,
): Markup {
  if (!queues) {
    return html`<p class="problem" role="alert">Redis does not answer. Jobs wait in the outbox until it is back.</p>`;
  }
  if (!backlog) return UNAVAILABLE;
  const ofOutbox = (queue: string, state: string) =>
    backlog.find((row) => row.queue === queue && row.state === state);
  return table(
    'Jobs by queue',
    [
      'Queue',
      { title: 'Outbox, due', number: true },
      { title: 'Oldest due', number: true },
      { title: 'Waiting', number: true },
      { title: 'Active', number: true },
      { title: 'Failed', number: true },
      { title: 'Given up', number: true },
    ],
    queues.map(({ queue, counts }) => {
      const due = ofOutbox(queue, 'pending');
      const dead = ofOutbox(queue, 'dead')?.count ?? 0;
      return [
        html`<a href="/ops/queues/queue/${queue}">${queue}</a>`,
        due?.count ?? 0,
        due ? duration(due.oldestMs) : '–',
        (counts.waiting ?? 0) + (counts.prioritized ?? 0),
        counts.active ?? 0,
        counts.failed ?? 0,
        dead > 0 ? html`<span class="badge bad">${dead}</span>` : 0,
      ];
    }),
    'There are no queues.',
  );
}
