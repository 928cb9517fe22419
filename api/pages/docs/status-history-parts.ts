import {
  type ComponentDay,
  HISTORY_DAYS,
  type StatusHistory,
} from '../../../shared/operations/status-history/status-history.ts';
import {
  COMPONENTS,
  type Component,
} from '../../../shared/operations/status-history/status-rule.ts';
import { addMs, DAY, dayOf, formatDay } from '../../../shared/platform/clock.ts';
import { html, type Markup } from '../../../shared/platform/html.ts';
import { instant, longDuration } from '../kit/format.ts';
import { badge } from '../kit/page-parts.ts';
import { numberColumn, table } from '../kit/table.ts';

const NAMES: Record<Component, string> = {
  api: 'API',
  database: 'Database',
  redis: 'Rate limits and queues (Redis)',
  queues: 'Background work',
  webhooks: 'Webhook delivery',
};

/** In drawing units: a bar with the gap after it, the bar, and its height. */
const STEP = 6;
const BAR = 4;
const HEIGHT = 32;
/** The minimum height, so that even one failed minute of a day is visible. */
const LEAST = 6;

/** Shows uptime by day and the incidents, as drawings with tables; `history` is null if it can't be read. */
export function historyParts(history: StatusHistory | null, now: Date): Markup {
  if (!history) return html`<h2>History</h2>\n<p>The history can’t be read right now.</p>`;
  const days = Array.from({ length: HISTORY_DAYS }, (_, nth) =>
    dayOf(addMs(now, (nth + 1 - HISTORY_DAYS) * DAY)),
  );
  const failing = history.days
    .filter(({ failures }) => failures > 0)
    .sort((a, b) => b.day.localeCompare(a.day));
  return html`<h2 id="uptime">Uptime</h2>
<p>The last ${HISTORY_DAYS} days (UTC), by one probe a minute.</p>
${COMPONENTS.map((component) => {
  const known = new Map(
    history.days.filter((day) => day.component === component).map((day) => [day.day, day]),
  );
  return uptime(component, days, known);
})}
${table(
  'Uptime of each component',
  ['Component', ...['Today', '7 days', '30 days', '90 days'].map(numberColumn)],
  COMPONENTS.map((component) => [
    NAMES[component],
    ...[1, 7, 30, HISTORY_DAYS].map((count) =>
      percent(history.days, component, days.slice(-count)),
    ),
  ]),
  '',
)}
${
  failing.length > 0 &&
  html`<details><summary>Days with failed probes</summary>
${table(
  'Days with failed probes',
  ['Day', 'Component', numberColumn('Failed probes'), numberColumn('Uptime')],
  failing.map(({ day, component, probes, failures }) => [
    formatDay(new Date(day)),
    NAMES[component],
    `${failures} of ${probes}`,
    shareOf(probes, failures),
  ]),
  '',
)}</details>`
}
<h2 id="incidents">Incidents</h2>
<p>An incident opens when three probes of a component in a row fail, and starts at the first of them. It ends at the first of three that succeed. Minutes without a probe do not count; queues and webhooks fail when work has waited for more than five minutes.</p>
${
  history.incidents.length === 0
    ? html`<p class="none">No incidents in the last ${HISTORY_DAYS} days.</p>`
    : table(
        'Incidents',
        ['Component', 'Start', 'End', 'Duration'],
        history.incidents.map(({ component, startedAt, endedAt }) => [
          NAMES[component],
          instant(startedAt),
          endedAt ? instant(endedAt) : badge('wait', 'Ongoing'),
          longDuration((endedAt ?? now).getTime() - startedAt.getTime()),
        ]),
        '',
      )
}`;
}

function uptime(
  component: Component,
  days: readonly string[],
  known: ReadonlyMap<string, ComponentDay>,
): Markup {
  const width = HISTORY_DAYS * STEP;
  const share = percent([...known.values()], component, days);
  return html`<figure class="uptime"><figcaption><b>${NAMES[component]}</b> <span>${share}</span></figcaption>
<svg viewBox="0 0 ${width} ${HEIGHT}" preserveAspectRatio="none" role="img" aria-label="${NAMES[component]}: ${share} in ${HISTORY_DAYS} days; the days are in the table below.">${days.map(
    (day, nth) => bar(nth * STEP, day, known.get(day)),
  )}</svg></figure>
`;
}

/** Draws a day: full height, with failures from the bottom up; a low bar if nothing is known. */
function bar(x: number, day: string, found: ComponentDay | undefined): Markup {
  const rect = (kind: string, height: number) =>
    html`<rect class="${kind}" x="${x}" y="${HEIGHT - height}" width="${BAR}" height="${height}"/>`;
  const name = formatDay(new Date(day));
  if (!found) return html`<g><title>${name}: no data</title>${rect('unknown', LEAST)}</g>`;
  const { probes, failures } = found;
  const failed = failures === 0 ? 0 : Math.max(LEAST, Math.round((failures / probes) * HEIGHT));
  return html`<g><title>${name}: ${shareOf(probes, failures)}</title>${rect('up', HEIGHT)}${failed > 0 && rect('down', failed)}</g>`;
}

function percent(
  found: readonly ComponentDay[],
  component: Component,
  days: readonly string[],
): string {
  const wanted = new Set(days);
  let probes = 0;
  let failures = 0;
  for (const each of found) {
    if (each.component !== component || !wanted.has(each.day)) continue;
    probes += each.probes;
    failures += each.failures;
  }
  return probes === 0 ? 'No data' : shareOf(probes, failures);
}

/** Returns the uptime in percent, rounded down, so that 100% means no failures. */
function shareOf(probes: number, failures: number): string {
  return `${(Math.floor((1 - failures / probes) * 10_000) / 100).toFixed(failures === 0 ? 0 : 2)}%`;
}
