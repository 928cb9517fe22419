import { html, type Markup } from '../../../shared/platform/html.ts';
import {
  agreedPrice,
  type BrokerageCase,
  type CaseEntry,
  isOpenCase,
} from '../../../shared/sales/brokerage/brokerage-case.ts';
import { humanize, money, timestamp } from './format.ts';
import { section } from './page-parts.ts';
import type { PageNow } from './page-time.ts';
import { statusBadge } from './status-badge.ts';
import { numberColumn, table } from './table.ts';

/** Returns a case's latest offer; while the price is negotiated, also whose offer it is. */
export function latestOffer(found: BrokerageCase): Markup {
  const { latestOffer: offer, offerByBuyer, status } = found;
  if (!offer || agreedPrice(found) || !isOpenCase(status)) return money(offer);
  return html`${money(offer)} <span class="hint">from the ${offerByBuyer ? 'buyer' : 'owner'}</span>`;
}

/** Returns the timeline of a brokerage case, as its own section. */
export function caseTimeline(timeline: readonly CaseEntry[], now: PageNow): Markup {
  return section(
    'Timeline',
    table(
      'Timeline',
      ['When', 'What', 'Status', 'By', numberColumn('Amount')],
      timeline.map((entry) => [
        timestamp(entry.at, now),
        humanize(entry.event),
        statusBadge(entry.status),
        humanize(entry.by),
        money(entry.amount),
      ]),
      'No events yet.',
    ),
  );
}
