import { Type } from 'typebox';
import type { BacklogStatus, QueueStatus } from '../../../../shared/messaging/jobs/queue-status.ts';
import { readDailyFigures } from '../../../../shared/operations/daily-figures/daily-figures.ts';
import type {
  LedgerCheckSummary,
  WorkCounts,
} from '../../../../shared/operations/monitoring/console-read-model.ts';
import { dayOf, SECOND } from '../../../../shared/platform/clock.ts';
import type { SharedRead } from '../../../../shared/platform/concurrency/shared-read.ts';
import { type Environment, productionWarnings } from '../../../../shared/platform/config/config.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { PERIOD_FIELDS, periodForm, readPeriod, startOf } from '../../../pages/kit/chart-period.ts';
import { duration, pathWith, relativeTime, timestamp } from '../../../pages/kit/format.ts';
import { badge, notice, section, tabs } from '../../../pages/kit/page-parts.ts';
import { statusBadge } from '../../../pages/kit/status-badge.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { QUEUE_BOARD } from '../../ops-routes.ts';
import { consolePage, type PageContext } from '../console-page.ts';
import {
  CHECKOUT_REVIEWS_PATH,
  DISPUTES_PATH,
  REFUSED_HOLDS_PATH,
  REGISTRY_MESSAGES_PATH,
  RENEWALS_PATH,
  UNRENEWED_PATH,
} from '../console-paths.ts';

const ENVIRONMENTS = ['LIVE', 'SANDBOX'] as const;

/** The operators' start page: how much work waits for people, how the market is doing, and whether the system runs. */
export const overviewPage = consolePage({
  path: '/',
  input: Type.Object({
    environment: Type.Enum([...ENVIRONMENTS], { default: 'LIVE' }),
    ...PERIOD_FIELDS,
  }),
  async show(context, { environment, ...given }) {
    const { figures } = context;
    const period = readPeriod(given, context.now);
    // Only this page has charts, so their library is loaded here.
    const [{ overviewCharts, queueFigures }, counts, ledger, queues, backlog, daily] =
      await Promise.all([
        import('./overview-charts.ts'),
        readOrUndefined(figures.work),
        readOrUndefined(figures.ledger),
        readOrUndefined(figures.queues),
        readOrUndefined(figures.backlog),
        readDailyFigures(context, {
          environment,
          from: dayOf(startOf(period.from, period.unit)),
          to: dayOf(period.to),
          unit: period.unit,
        }),
      ]);
    return {
      title: 'Overview',
      section: 'overview',
      content: html`${productionWarnings(context.config).map((content) => notice({ tone: 'bad', content }))}
${environmentTabs(environment, given)}
${section(
  'To do',
  counts ? counters(counts[environment], environment) : UNAVAILABLE,
  environment === 'SANDBOX' ? 'SANDBOX is for testing: there is nothing to do here.' : undefined,
)}
${section(
  'Figures',
  html`${periodForm('/ops', period, { environment })}
${overviewCharts(daily.figures, period)}
<p class="hint">${
    daily.countedAt
      ? html`Counted every five minutes, last ${relativeTime(daily.countedAt, context.now)}. Days are UTC.`
      : 'No figures yet. The workers update them every five minutes.'
  }${environment === 'SANDBOX' && ' Sandboxes are counted on the days of their own clocks, which may be ahead of today.'}</p>`,
)}
${section('System', html`${ledgerLine(ledger, context)}${queuesTable(queues, backlog, (queue) => queueFigures(daily.figures, queue))}`)}
<p>${QUEUE_BOARD.roles.includes(context.staff.role) && html`<a href="/ops/queues">Open the queue dashboard</a> · `}<a href="/readyz">Readiness</a></p>`,
    };
  },
});

/** Returns the tabs. Only LIVE is real work; the other tab shows SANDBOX. */
function environmentTabs(current: Environment, period: object): Markup {
  return tabs(
    'Environment',
    ENVIRONMENTS.map((environment) => ({
      text: environment,
      href: pathWith('/ops', { ...period, environment }),
      current: environment === current,
    })),
  );
}

/** How long figures are cached: changes made by people show up at once. */
const FRESH_MS = SECOND;

/** Returns undefined if the read fails: the rest of the overview is still worth showing. */
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
  alarm?: boolean;
}

function counters(counts: WorkCounts, environment: Environment): Markup {
  const items: Counter[] = [
    {
      text: 'Orders in review',
      href: `/ops/review?environment=${environment}`,
      count: counts.review,
    },
    {
      text: 'Purchases in review',
      href: `${CHECKOUT_REVIEWS_PATH}?environment=${environment}`,
      count: counts.checkoutsInReview,
    },
    {
      text: 'Transfers to start',
      href: `/ops/transfers?environment=${environment}`,
      count: counts.toPush,
      note: counts.underWay > 0 ? `${counts.underWay} in progress` : undefined,
    },
    {
      text: 'Failed transfers',
      href: `/ops/transfers?stage=failed&environment=${environment}`,
      count: counts.failed,
      alarm: counts.failed > 0,
    },
    {
      text: 'Transfers that need action',
      href: `/ops/transfers?stage=action_required&environment=${environment}`,
      count: counts.actionRequired,
      alarm: counts.actionRequired > 0,
    },
    {
      text: 'Deliveries to confirm',
      href: `/ops/transfers?stage=to_confirm&environment=${environment}`,
      count: counts.toConfirm,
    },
    {
      text: 'Refunds to decide',
      href: `/ops/transfers?stage=refund_to_decide&environment=${environment}`,
      count: counts.refundsToDecide,
      alarm: counts.refundsToDecide > 0,
    },
    {
      text: 'Registry messages to read',
      href: REGISTRY_MESSAGES_PATH,
      count: counts.registryMessages,
      alarm: counts.registryMessages > 0,
    },
    {
      text: 'Holds that the registry refused',
      href: REFUSED_HOLDS_PATH,
      count: counts.refusedHolds,
      alarm: counts.refusedHolds > 0,
    },
    {
      text: 'Offers to answer',
      href: `/ops/offers?status=OPEN&environment=${environment}`,
      count: counts.offersToAnswer,
    },
    {
      text: 'Open brokerage cases',
      href: '/ops/brokerage',
      count: counts.openCases,
      note: counts.agreedCases > 0 ? `${counts.agreedCases} agreed` : undefined,
    },
    {
      text: 'Paid renewals to finish',
      href: RENEWALS_PATH,
      count: counts.renewalsToFinish,
      alarm: counts.renewalsToFinish > 0,
    },
    {
      text: 'Failed auto-renewals',
      href: UNRENEWED_PATH,
      count: counts.domainsNotRenewed,
      alarm: counts.domainsNotRenewed > 0,
    },
    {
      text: 'Disputes to answer',
      href: `${DISPUTES_PATH}?environment=${environment}`,
      count: counts.disputesToAnswer,
      alarm: counts.disputesToAnswer > 0,
    },
    {
      text: 'Buyers to pay back',
      href: '/ops/repayments',
      count: counts.repaymentsOwed,
      alarm: counts.repaymentsOwed > 0,
    },
    {
      text: 'Payouts to make',
      href: '/ops/payouts',
      count: counts.pendingPayouts,
    },
    {
      text: 'Unpaid settlements',
      href: `/ops/settlements?status=closed&environment=${environment}`,
      count: counts.unpaidSettlements,
      note: counts.overdueSettlements > 0 ? `${counts.overdueSettlements} overdue` : undefined,
      alarm: counts.overdueSettlements > 0,
    },
    {
      text: 'Failing webhook endpoints',
      href: '/ops/webhooks',
      count: counts.failingEndpoints,
      alarm: counts.failingEndpoints > 0,
    },
  ];
  return html`<ul class="counters">${items.map(
    ({ text, href, count, note, alarm }) => html`<li><a href="${href}" class="${
      count === 0 ? 'nothing' : alarm && 'alarm'
    }"><b>${count}</b>${text}${note && html` <span class="sub">${note}</span>`}</a></li>
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
  figuresOf: (queue: string) => [done: number, longestMs: number],
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
      numberColumn('Done in period'),
      numberColumn('Longest wait'),
    ],
    queues.map(({ queue, counts }) => {
      const due = ofOutbox(queue, 'pending');
      const dead = ofOutbox(queue, 'dead')?.count ?? 0;
      const [done, longestMs] = figuresOf(queue);
      return [
        html`<a href="/ops/queues/queue/${queue}">${queue}</a>`,
        due?.count ?? 0,
        due ? duration(due.oldestMs) : '–',
        (counts.waiting ?? 0) + (counts.prioritized ?? 0),
        counts.active ?? 0,
        counts.failed ?? 0,
        dead > 0 ? badge('bad', dead) : 0,
        done.toLocaleString('en-US'),
        duration(longestMs),
      ];
    }),
    'No queues.',
  );
}
