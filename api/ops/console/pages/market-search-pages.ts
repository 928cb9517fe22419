import { type Static, Type } from 'typebox';
import {
  type ExplainedResult,
  type ExplainedSearch,
  explainSearch,
} from '../../../../shared/market/search/explain-search.ts';
import type { TermMatch } from '../../../../shared/market/search/match-term.ts';
import {
  type MissReading,
  writeReading,
} from '../../../../shared/market/search/misses/read-miss.ts';
import {
  type FrequentMiss,
  readSearchMisses,
} from '../../../../shared/market/search/misses/search-misses.ts';
import type { ScoreExplanation } from '../../../../shared/market/search/scorer.ts';
import {
  hasLimits,
  type QueryInterpretation,
} from '../../../../shared/market/search/understanding/interpretation.ts';
import { html, type Markup } from '../../../../shared/platform/html.ts';
import { type Cents, Money } from '../../../../shared/platform/money.ts';
import { filterForm, inputFilter, selectField } from '../../../pages/kit/form.ts';
import { formatDay, humanize, money, pathWith } from '../../../pages/kit/format.ts';
import { CSV_FORMAT, type CsvColumns, csvFile, csvLink } from '../../../pages/kit/list.ts';
import {
  descriptionList,
  emptyState,
  emptyValue,
  link,
  section,
  tabs,
} from '../../../pages/kit/page-parts.ts';
import { numberColumn, table } from '../../../pages/kit/table.ts';
import { consolePage } from '../console-page.ts';
import { MARKET_SEARCH_PATH, SEARCH_MISSES_PATH } from '../console-paths.ts';

const MAX_QUERY = 500;
const SHOWN = 25;

const ENVIRONMENTS = ['LIVE', 'SANDBOX'] as const;
const Environment = Type.Enum([...ENVIRONMENTS], { default: 'LIVE' });

/** How the search processes a query: what it understood, where it looked, and why each name has its score. */
export const marketSearchPage = consolePage({
  path: '/market-search',
  input: Type.Object({
    q: Type.String({ maxLength: MAX_QUERY, default: '' }),
    environment: Environment,
  }),
  async show(context, { q, environment }) {
    const query = q.trim();
    const explained = query === '' ? null : await explainSearch(context, { environment, query });
    return {
      title: 'Market search',
      section: 'marketSearch',
      content: html`${searchTabs('query', environment)}
${filterForm(MARKET_SEARCH_PATH, [
  inputFilter('q', 'What a buyer types', q, MAX_QUERY),
  environmentChoice(environment),
])}
${
  explained
    ? explanation(explained)
    : emptyState(
        'Type a query to see what the search understands, where it looks, and why each name gets its score.',
      )
}`,
    };
  },
});

/** The periods, in days, that the list of searches without results offers. */
const PERIODS = ['7', '30'] as const;
const MISSES_SHOWN = 100;
/** More than the number of queries we keep for 30 days, so that the file has all of them. */
const MISSES_IN_FILE = 50_000;

const MISS_COLUMNS: CsvColumns<FrequentMiss> = {
  query: ({ query }) => query,
  searches: ({ searches }) => searches,
  days: ({ days }) => days,
  last_day: ({ lastDay }) => lastDay,
  understood: ({ reading }) => reading && writeReading(reading),
  kinds: ({ reading }) => reading && kindsOf(reading).join(', '),
  nearest: ({ reading }) => reading && nearestOf(reading).join(', '),
};

const kindsOf = ({ kinds }: MissReading) =>
  kinds.map(({ name, likeness }) => `${name} ${decimals(likeness, 2)}`);
const nearestOf = ({ nearest }: MissReading) =>
  nearest.map(({ domain, score }) => `${domain} ${decimals(score, 3)}`);

/** What buyers searched for without finding anything, so that operators see what is missing. */
export const searchMissesPage = consolePage({
  path: '/market-search/nothing-found',
  input: Type.Object({
    environment: Environment,
    days: Type.Enum([...PERIODS], { default: '7' }),
    format: CSV_FORMAT,
  }),
  async show(context, { environment, days, format }) {
    const read = (limit: number) =>
      readSearchMisses(context, { environment, days: Number(days), limit });
    if (format === 'csv') {
      return csvFile('searches-without-result', MISS_COLUMNS, async () => ({
        rows: (await read(MISSES_IN_FILE)).frequent,
        next: null,
      }));
    }
    const misses = await read(MISSES_SHOWN);
    return {
      title: 'Searches that found nothing',
      section: 'marketSearch',
      content: html`${searchTabs('misses', environment)}
${filterForm(SEARCH_MISSES_PATH, [
  environmentChoice(environment),
  selectField({
    id: 'filter-days',
    name: 'days',
    label: 'Period',
    choices: PERIODS.map((value) => ({ value, text: `Last ${value} days` })),
    chosen: days,
  }),
])}
${section(
  'Most frequent queries',
  html`${table(
    'Queries that found nothing, the most frequent first',
    [
      'Query',
      numberColumn('Searches'),
      numberColumn('Days'),
      'Last',
      'Understood as',
      'Nearest names',
    ],
    misses.frequent.map((miss) => [
      link(pathWith(MARKET_SEARCH_PATH, { q: miss.query, environment }), miss.query),
      miss.searches,
      miss.days,
      formatDay(new Date(miss.lastDay)),
      list(miss.reading ? [writeReading(miss.reading), ...kindsOf(miss.reading)] : []),
      list(miss.reading ? nearestOf(miss.reading) : []),
    ]),
    'No queries yet. A search that finds nothing appears here within seconds.',
  )}
${misses.frequent.length > 0 && csvLink(pathWith(SEARCH_MISSES_PATH, { environment, days, format: 'csv' }))}`,
  'Open a query to see how it is understood and what it finds now. Searches with filter parameters are not counted. After midnight UTC, a report adds how the 200 most frequent queries of the day were understood, and which names came nearest.',
)}
${section(
  'Days',
  table(
    'Searches that found nothing, by day',
    ['Day', numberColumn('Searches'), numberColumn('Different queries')],
    misses.days.map((day) => [
      formatDay(new Date(day.day)),
      day.searches,
      day.queries ?? html`<span class="none">after midnight UTC</span>`,
    ]),
    'No searches without a result in this period.',
  ),
)}`,
    };
  },
});

function list(values: readonly string[]): Markup {
  if (values.length === 0) return emptyValue();
  return html`<ul>${values.map((value) => html`<li>${value}</li>`)}</ul>`;
}

function searchTabs(current: 'query' | 'misses', environment: Static<typeof Environment>): Markup {
  return tabs('Market search', [
    {
      text: 'Try a query',
      href: pathWith(MARKET_SEARCH_PATH, { environment }),
      current: current === 'query',
    },
    {
      text: 'Nothing found',
      href: pathWith(SEARCH_MISSES_PATH, { environment }),
      current: current === 'misses',
    },
  ]);
}

/** Returns the choice of an inventory. */
function environmentChoice(chosen: Static<typeof Environment>): Markup {
  return selectField({
    id: 'filter-environment',
    name: 'environment',
    label: 'Environment',
    choices: ENVIRONMENTS.map((value) => ({ value, text: value })),
    chosen,
  });
}

function explanation(explained: ExplainedSearch): Markup {
  const { legs, results, found, tookMs } = explained;
  return html`${section('What was understood', understood(explained))}
${section(
  'Results',
  table(
    'Results, best first',
    ['Domain', numberColumn('Price'), numberColumn('Score'), 'Why', 'Words', 'Found by'],
    results.slice(0, SHOWN).map(resultRow),
    found === 0 ? 'No candidates.' : 'None of the candidates is relevant enough.',
  ),
  `${results.length} of ${found} candidates are relevant. The search took ${tookMs.toFixed(1)} ms.${
    results.length > SHOWN ? ` The first ${SHOWN} are shown.` : ''
  } The partner API returns the first five.`,
)}
${section(
  'Where it looked',
  table(
    'Candidates by method',
    ['Looked in', 'Looked for', numberColumn('Candidates'), numberColumn('Relevant')],
    legs.map((leg) => [leg.name, leg.soughtTerms, leg.found, leg.relevant]),
    'The query has nothing to look for.',
  ),
  'What each method finds on its own, by word stems. A search stops once it has enough candidates.',
)}`;
}

function digitsAsked({ noDigits, withDigits, onlyDigits }: ExplainedSearch['interpretation']) {
  if (noDigits) return 'not allowed';
  if (onlyDigits) return 'nothing else';
  return withDigits && 'wanted';
}

function understood({ interpretation: asked, words, kinds }: ExplainedSearch): Markup {
  if (asked.topic === '' && !hasLimits(asked)) {
    return emptyState('Nothing: the query has no words.');
  }
  return html`${descriptionList([
    ['Topic', asked.topic || html`<span class="none">none, only limits</span>`],
    [
      'Kinds of business',
      kinds.map(({ name, likeness }) => `${name} ${likeness.toFixed(2)}`).join(', '),
    ],
    ['Suffixes', withDots(asked.tlds)],
    ['Not under', withDots(asked.excludedTlds)],
    ['Price', priceRange(asked)],
    ['Characters', range(asked.minLength, asked.maxLength, String)],
    ['Starts with', asked.startsWith],
    ['Ends with', asked.endsWith],
    ['Contains', asked.contains.join(', ')],
    ['Not about', asked.excluded.join(', ')],
    ['Does not start with', asked.notStartsWith.join(', ')],
    ['Does not end with', asked.notEndsWith.join(', ')],
    ['Words', asked.words && String(asked.words)],
    ['Hyphens', asked.noHyphens ? 'not allowed' : asked.withHyphens && 'wanted'],
    ['Digits', digitsAsked(asked)],
    ['Pattern', asked.patterns.map(({ name }) => name).join(', ')],
    ['Wishes', asked.wishes.map(humanize).join(', ')],
  ])}
${
  words.length > 0 &&
  table(
    'Words of the topic',
    ['Word', 'Counts as', 'Read as'],
    words.map(({ word, role, repairs, unknown }) => [
      word,
      humanize(role),
      repairs.map((repair) => repair.word).join(', ') || (unknown ? 'an unknown word' : word),
    ]),
    '',
  )
}`;
}

function withDots(tlds: readonly string[]): string {
  return tlds.map((tld) => `.${tld}`).join(', ');
}

/** Shows the price range. Amounts are compared as numbers; without a currency they are shown as dollars. */
function priceRange({ minPriceCents, maxPriceCents, currency }: QueryInterpretation) {
  const shown = (amount: Cents) => money(new Money(amount, currency ?? 'USD'));
  return range(minPriceCents, maxPriceCents, shown);
}

/** Formats a range: `3 to 8`, `at least 3`, `at most 8`; nothing without bounds. */
function range(
  least: number | null,
  most: number | null,
  show: (value: number) => Markup | string,
): Markup | null {
  if (least === null && most === null) return null;
  if (least === null) return html`at most ${show(most ?? 0)}`;
  if (most === null) return html`at least ${show(least)}`;
  return least === most ? html`${show(least)}` : html`${show(least)} to ${show(most)}`;
}

function resultRow({ candidate, score, reason, legs }: ExplainedResult): readonly unknown[] {
  const { domain, domainUnicode, priceCents, currency } = candidate;
  return [
    html`${domainUnicode}${domain !== domainUnicode && html`<span class="sub id">${domain}</span>`}`,
    money(new Money(priceCents, currency)),
    decimals(score, 3),
    featureList(reason),
    reason.met.length === 0 ? emptyValue() : html`<ul>${reason.met.map(wordMatch)}</ul>`,
    legs.length === 0 ? emptyValue() : html`<ul>${legs.map((leg) => html`<li>${leg}</li>`)}</ul>`,
  ];
}

/** Lists all features of a score. */
function featureList({ exact, features }: ScoreExplanation): Markup {
  const lines = [
    ...(exact === 'slip' ? ['Exact except for a typo'] : exact ? [`Exact ${exact}`] : []),
    ...Object.entries(features).map(([name, value]) => `${humanize(name)} ${decimals(value, 2)}`),
  ];
  return html`<ul>${lines.map((line) => html`<li class="line">${line}</li>`)}</ul>`;
}

const PLACES: Readonly<Record<NonNullable<TermMatch['where']>, string>> = {
  label: 'name',
  tld: 'suffix',
  tags: 'keywords',
  about: 'description',
};

function wordMatch({ asked, by, where, worth }: TermMatch): Markup {
  if (by === null || where === null)
    return html`<li>${asked}: <span class="none">no match</span></li>`;
  const what = by === asked ? '' : `${by}, `;
  return html`<li>${asked}: ${what}${PLACES[where]} ${decimals(worth, 2)}</li>`;
}

function decimals(value: number, digits: number): string {
  return value.toFixed(digits);
}
