import { Type } from 'typebox';
import type { BacklogStatus, QueueStatus } from '../../../../shared/delivery/jobs/queue-status.ts';
import type {
  LedgerCheckSummary,
  WorkByEnvironment,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { SECOND } from '../../../../shared/platform/clock.ts';
import type { SharedRead } from '../../../../shared/platform/concurrency/shared-read.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { duration, timestamp } from '../../../pages/kit/format.ts';
import { badge, notice, section } from '../../../pages/kit/page-parts.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { consolePage, type PageContext } from '../console-page.ts';
import { statusBadge } from '../status-badge.ts';

/** Where ops begin: how much work is waiting for people, and whether the system runs. */
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
      title: 'Overview',
      section: 'overview',
      content: html`${section('To do', counts ? counters(counts) : UNAVAILABLE, 'LIVE only.')}
${section('System', html`${ledgerLine(ledger, context)}${queuesTable(queues, backlog)}`)}
<p><a href="/ops/queues">Open the queue dashboard</a> · <a href="/readyz">Readiness</a></p>`,
    };
  },
});

/** Changes made by people show up at once. */
const FRESH_MS = SECOND;

/** Undefined when it can't be read: the rest of the overview is worth showing. */
function readOrUndefined<T>(read: SharedRead<T>): Promise<T | undefined> {
  return read(FRESH_MS).catch(() => undefined);
}

const UNAVAILABLE = notice({
  tone: 'bad',
  content: 'This could not be loaded in time. Reload the page in a moment.',
});

interface Counter {
  text: string;
  href: string;
  count: number;
  note?: string | undefined;
  /** How many there are in SANDBOX, where nothing has to be done. */
  sandbox: number;
  alarm?: boolean;
}

function counters({ LIVE: counts, SANDBOX: sandbox }: WorkByEnvironment): Markup {
  const items: Counter[] = [
    {
      text: 'Orders in review',
      href: '/ops/review?environment=LIVE',
      count: counts.review,
      sandbox: sandbox.review,
    },
    {
      text: 'Transfers to start',
      href: '/ops/transfers?environment=LIVE',
      count: counts.toPush,
      sandbox: sandbox.toPush,
      note: counts.underWay > 0 ? `${counts.underWay} in progress` : undefined,
    },
    {
      text: 'Failed transfers',
      href: '/ops/transfers?stage=failed&environment=LIVE',
      count: counts.failed,
      sandbox: sandbox.failed,
      alarm: counts.failed > 0,
    },
    {
      text: 'Transfers that need action',
      href: '/ops/transfers?stage=action_required&environment=LIVE',
      count: counts.actionRequired,
      sandbox: sandbox.actionRequired,
      alarm: counts.actionRequired > 0,
    },
    {
      text: 'Deliveries to confirm',
      href: '/ops/transfers?stage=to_confirm&environment=LIVE',
      count: counts.toConfirm,
      sandbox: sandbox.toConfirm,
    },
    {
      text: 'Refunds to decide',
      href: '/ops/transfers?stage=refund_to_decide&environment=LIVE',
      count: counts.refundsToDecide,
      sandbox: sandbox.refundsToDecide,
      alarm: counts.refundsToDecide > 0,
    },
    {
      text: 'Open brokerage cases',
      href: '/ops/brokerage',
      count: counts.openCases,
      sandbox: sandbox.openCases,
      note: counts.agreedCases > 0 ? `${counts.agreedCases} agreed` : undefined,
    },
    {
      text: 'Buyers to pay back',
      href: '/ops/repayments',
      count: counts.repaymentsOwed,
      sandbox: sandbox.repaymentsOwed,
      alarm: counts.repaymentsOwed > 0,
    },
    {
      text: 'Payouts to make',
      href: '/ops/payouts',
      count: counts.pendingPayouts,
      sandbox: sandbox.pendingPayouts,
    },
    {
      text: 'Unpaid settlements',
      href: '/ops/settlements?status=closed&environment=LIVE',
      count: counts.unpaidSettlements,
      sandbox: sandbox.unpaidSettlements,
      note: counts.overdueSettlements > 0 ? `${counts.overdueSettlements} overdue` : undefined,
      alarm: counts.overdueSettlements > 0,
    },
    {
      text: 'Failing webhook endpoints',
      href: '/ops/webhooks',
      count: counts.failingEndpoints,
      sandbox: sandbox.failingEndpoints,
      alarm: counts.failingEndpoints > 0,
    },
  ];
  return html`<ul class="counters">${items.map(
    ({ text, href, count, note, alarm, sandbox: inSandbox }) => html`<li><a href="${href}" class="${
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
  } ${statusBadge(ledger.ok ? 'ok' : 'failed')} Checked ${timestamp(ledger.at, now)}, ${
    ledger.entries
  } entries.</p>`;
}

function queuesTable(
  queues: QueueStatus[] | undefined,
  backlog: BacklogStatus[] | undefined,
): Markup {
  if (!queues) {
    return notice({
      tone: 'bad',
      content: 'Redis does not answer. Jobs wait in the outbox until it is back.',
    });
  }
  if (!backlog) return UNAVAILABLE;
  const ofOutbox = (queue: string, state: string) =>
    backlog.find((row) => row.queue === queue && row.state === state);
  return table(
    'Jobs by queue',
    [
      'Queue',
      numberColumn('Outbox, due'),
      numberColumn('Oldest due'),
      numberColumn('Waiting'),
      numberColumn('Active'),
      numberColumn('Failed'),
      numberColumn('Dead'),
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
        dead > 0 ? badge('bad', dead) : 0,
      ];
    }),
    'No queues.',
  );
}
