import { Type } from 'typebox';
import { countWork, type WorkCounts } from '../../../../shared/desk/read-desk.ts';
import { type QueueStatus, queueStatus } from '../../../../shared/outbox/queue-status.ts';
import { isRedisAway } from '../../../http/error-response.ts';
import { html, type Markup } from '../../../pages/html.ts';
import { consolePage, type PageContext } from '../console-page.ts';
import { badge, duration, when } from '../format.ts';
import { section, table } from '../parts.ts';

/** Where ops begin: how much waits in each queue of work, and whether the machinery runs. */
export const deskPage = consolePage({
  path: '/',
  input: Type.Object({}),
  async show(context) {
    const [counts, queues] = await Promise.all([countWork(context), readQueues(context)]);
    return {
      title: 'Desk',
      section: 'desk',
      content: html`${section('Waiting for people', counters(counts))}
${section('Machinery', html`${ledgerLine(counts, context)}${queuesTable(queues)}`)}
<p><a href="/ops/queues">Open the board of the queues</a> · <a href="/readyz">Readiness</a> ·
<a href="/metrics">Metrics</a></p>`,
    };
  },
});

interface Counter {
  text: string;
  href: string;
  count: number;
  note?: string | undefined;
  alarm?: boolean;
}

function counters(counts: WorkCounts): Markup {
  const items: Counter[] = [
    { text: 'Orders in review', href: '/ops/review', count: counts.review },
    {
      text: 'Orders to push',
      href: '/ops/pushes',
      count: counts.toPush,
      note: counts.underWay > 0 ? `${counts.underWay} under way` : undefined,
    },
    {
      text: 'Transfers that failed',
      href: '/ops/pushes?stage=failed',
      count: counts.failed,
      alarm: counts.failed > 0,
    },
    {
      text: 'Transfers that need action',
      href: '/ops/pushes?stage=action_required',
      count: counts.actionRequired,
      alarm: counts.actionRequired > 0,
    },
    {
      text: 'Deliveries to confirm',
      href: '/ops/pushes?stage=to_confirm',
      count: counts.toConfirm,
    },
    {
      text: 'Open brokerage cases',
      href: '/ops/brokerage',
      count: counts.openCases,
      note: counts.agreedCases > 0 ? `${counts.agreedCases} agreed` : undefined,
    },
    { text: 'Payouts to make', href: '/ops/payouts', count: counts.pendingPayouts },
    {
      text: 'Settlements not paid',
      href: '/ops/settlements?status=closed',
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

function ledgerLine({ ledger }: WorkCounts, { now }: PageContext): Markup {
  if (!ledger) return html`<p>The <a href="/ops/ledger">ledger</a> has not been checked yet.</p>`;
  return html`<p>The <a href="/ops/ledger">ledger</a> ${
    ledger.ok ? 'balances' : html`<strong>does not balance</strong>`
  } ${ledger.ok ? badge('ok') : badge('failed')} Checked ${when(ledger.at, now)}, ${
    ledger.entries
  } entries.</p>`;
}

interface Queues {
  queues: QueueStatus[];
  backlog: { queue: string; state: string; count: number; oldestMs: number }[];
}

/** Null when Redis can't be asked: the rest of the desk is worth showing. */
async function readQueues(context: PageContext): Promise<Queues | null> {
  try {
    return await queueStatus(context);
  } catch (error) {
    if (isRedisAway(error)) return null;
    throw error;
  }
}

function queuesTable(found: Queues | null): Markup {
  if (!found) {
    return html`<p class="problem" role="alert">Redis does not answer. Jobs wait in the outbox until it is back.</p>`;
  }
  const ofOutbox = (queue: string, state: string) =>
    found.backlog.find((row) => row.queue === queue && row.state === state);
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
    found.queues.map(({ queue, counts }) => {
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
