import type { Environment } from '../../platform/config/config.ts';
import { planBestNames } from './best-names-plan.ts';
import { type CandidateFilter, toCandidateFilter } from './candidate-filter.ts';
import { type CandidatePlan, planCandidates } from './candidate-plan.ts';
import { businessKinds } from './kinds/kinds.ts';
import type { QueryTerm } from './parse-query.ts';
import type { Ranked, ReadTopic } from './scorer.ts';
import { type FoundName, readBestNames, readCandidates } from './search.store.ts';
import { TIERS } from './search-document.ts';
import {
  interpretSearch,
  needsNoTopic,
  rankListings,
  readTopic,
  type SearchDeps,
} from './search-listings.ts';
import { termStatistics } from './term-statistics.ts';
import { hasLimits, type QueryInterpretation } from './understanding/interpretation.ts';

/** One way of looking for candidates, and what it finds by itself. */
interface SearchLeg {
  name: string;
  /** The index terms that were asked for, for people. */
  soughtTerms: string;
  /** Candidates that it finds. A search stops at enough of them, so it may ask fewer legs than there are. */
  found: number;
  /** How many of them are relevant. */
  relevant: number;
}

/** A result with the names of the legs that find it. */
export interface ExplainedResult extends Ranked {
  legs: readonly string[];
}

/** What a search understood, looked for, found and why. */
export interface ExplainedSearch {
  interpretation: QueryInterpretation;
  /** The words of the topic. */
  words: readonly QueryTerm[];
  /** The kinds of business that it is probably about, likeliest first. */
  kinds: readonly { name: string; likeness: number }[];
  legs: readonly SearchLeg[];
  /** Different candidates of all legs. */
  found: number;
  /** All that are relevant, best first. */
  results: readonly ExplainedResult[];
  /** How long the search itself took. */
  tookMs: number;
}

/**
 * Searches as {@link rankListings} does, and tells how the answer came about. Each leg is asked once more by
 * itself, so it takes a SQL statement a leg: for people who look at a search, not for those who search.
 */
export async function explainSearch(
  deps: Omit<SearchDeps, 'metrics'>,
  { environment, query }: { environment: Environment; query: string },
): Promise<ExplainedSearch> {
  const interpretation = interpretSearch({ query });
  const { db, clock, embeddings } = deps;
  const startedAt = performance.now();
  const ranked = await rankListings({ db, clock, embeddings }, { environment, query });
  const tookMs = performance.now() - startedAt;

  const topic = await readTopic(deps, interpretation.topic);
  const filter = toCandidateFilter(interpretation, {});
  const relevant = new Set(ranked.map(({ candidate }) => candidate.listingId));
  const isRelevant = ({ ids }: LegRun) => [...ids].some((id) => relevant.has(id));
  const legs =
    interpretation.topic === '' ? [] : await runTopicLegs(deps, environment, topic, filter);
  const isAsked = interpretation.topic !== '' || hasLimits(interpretation);
  if (isAsked && needsNoTopic(interpretation) && !legs.some(isRelevant)) {
    legs.push(await runBestNamesLeg(deps, environment, interpretation, filter));
  }
  return {
    interpretation,
    words: topic.query.words,
    kinds: topic.kinds.map(({ kind, likeness }) => ({
      name: businessKinds().nameOf(kind),
      likeness,
    })),
    legs: legs.map(({ name, soughtTerms, ids }) => ({
      name,
      soughtTerms,
      found: ids.size,
      relevant: [...ids].filter((id) => relevant.has(id)).length,
    })),
    found: new Set(legs.flatMap(({ ids }) => [...ids])).size,
    results: ranked.map((each) => ({
      ...each,
      legs: unique(
        legs.filter(({ ids }) => ids.has(each.candidate.listingId)).map(({ name }) => name),
      ),
    })),
    tookMs,
  };
}

interface LegRun extends Pick<SearchLeg, 'name' | 'soughtTerms'> {
  ids: ReadonlySet<number>;
}

/** The candidates of a topic, each leg asked by itself. */
async function runTopicLegs(
  { db, clock }: Pick<SearchDeps, 'db' | 'clock'>,
  environment: Environment,
  topic: ReadTopic,
  filter: CandidateFilter,
): Promise<LegRun[]> {
  if (topic.query.words.length === 0) return [];
  const statistics = await termStatistics({ db, clock }, environment);
  const legs = legsOf(planCandidates(topic, statistics, filter));
  return db.read(async (sql) => {
    const runs: LegRun[] = [];
    // One after the other: a page of the console is no reason to take several connections.
    for (const { name, soughtTerms, plan } of legs) {
      const found = await readCandidates(sql, environment, plan, topic.place, filter, clock.now());
      runs.push({ name, soughtTerms, ids: idsOf(found) });
    }
    return runs;
  });
}

/** Where a search looks when its query has no topic, or none that finds anything. */
async function runBestNamesLeg(
  { db, clock }: Pick<SearchDeps, 'db' | 'clock'>,
  environment: Environment,
  asked: QueryInterpretation,
  filter: CandidateFilter,
): Promise<LegRun> {
  const plan = planBestNames(asked, filter);
  const found = await db.read((sql) => readBestNames(sql, environment, plan, filter, clock.now()));
  return { name: 'Best names', soughtTerms: 'any name within the limits', ids: idsOf(found) };
}

function idsOf(found: readonly FoundName[]): ReadonlySet<number> {
  return new Set(found.map(({ listingId }) => listingId));
}

interface PlannedLeg extends Pick<SearchLeg, 'name' | 'soughtTerms'> {
  plan: CandidatePlan;
}

/** The parts of a plan, each as a plan of its own. */
function legsOf(whole: CandidatePlan): PlannedLeg[] {
  const { labels, prefix, spellings, steps, nearest, enough } = whole;
  const nothing: CandidatePlan = {
    labels: [],
    prefix: null,
    spellings: [],
    steps: [],
    nearest: 0,
    enough,
  };
  return [
    { name: 'Exact name', soughtTerms: labels.join(', '), plan: { ...nothing, labels } },
    ...(prefix === null
      ? []
      : [{ name: 'Prefix', soughtTerms: `${prefix}…`, plan: { ...nothing, prefix } }]),
    ...(spellings.length === 0
      ? []
      : [
          {
            name: 'Similar letters',
            soughtTerms: spellings.join(', '),
            plan: { ...nothing, spellings },
          },
        ]),
    ...steps.map((step) => ({
      name: nameOfStep(step.groups),
      soughtTerms: step.groups.map(describeGroup).join(' and '),
      plan: { ...nothing, steps: [step] },
    })),
    {
      name: 'Meaning',
      soughtTerms: 'names near in meaning',
      plan: { ...nothing, nearest },
    },
  ];
}

/** What the first letters of a term stand for, see `search-document.ts`. */
const TERM_KINDS: Readonly<Record<string, string>> = {
  l: 'Name',
  k: 'keywords',
  c: 'synonyms',
  r: 'related words',
  g: 'Signs',
};

/** `Name, keywords, meaning`: the kinds of terms that a step asks for. */
function nameOfStep(groups: readonly (readonly string[])[]): string {
  const kinds = groups.flat().map((term) => TERM_KINDS[kindOf(term)]);
  return unique(kinds.filter((kind) => kind !== undefined)).join(', ') || 'Other';
}

/** Terms of a group that are told; the others are counted. */
const TOLD = 5;

/** `coffe, espresso, latt, +3`: a name has at least one of them. */
function describeGroup(group: readonly string[]): string {
  const words = unique(group.map(wordOf));
  const more = words.length - TOLD;
  return [...words.slice(0, TOLD), ...(more > 0 ? [`+${more}`] : [])].join(', ');
}

function kindOf(term: string): string {
  return term.slice(0, term.indexOf(':'));
}

/** `coffe` of `l:coffe++`. */
function wordOf(term: string): string {
  const tier = TIERS.findLast((each) => term.endsWith(each)) ?? '';
  const word = term.slice(0, term.length - tier.length);
  return word.startsWith('t:') ? `.${word.slice(2)}` : word.slice(word.indexOf(':') + 1);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
