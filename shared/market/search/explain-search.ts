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

/** One lookup for candidates, and what it finds on its own. */
interface SearchLeg {
  name: string;
  /** The index terms of the lookup, for display. */
  soughtTerms: string;
  /** The number of candidates it finds. A search stops when it has enough, so it may skip legs. */
  found: number;
  /** How many of the candidates are relevant. */
  relevant: number;
}

/** A result with the names of the legs that find it. */
export interface ExplainedResult extends Ranked {
  legs: readonly string[];
}

/** How a search understood the query, what it looked up and found, and why. */
export interface ExplainedSearch {
  interpretation: QueryInterpretation;
  /** The words of the topic. */
  words: readonly QueryTerm[];
  /** The likely kinds of business, likeliest first. */
  kinds: readonly { name: string; likeness: number }[];
  legs: readonly SearchLeg[];
  /** The number of distinct candidates over all legs. */
  found: number;
  /** All relevant results, best first. */
  results: readonly ExplainedResult[];
  /** The duration of the search itself. */
  tookMs: number;
}

/**
 * Searches like {@link rankListings} and explains the result. Runs each leg again on its own, one SQL statement each:
 * for operators who inspect a search, not for users.
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

/** Returns the candidates of a topic, one leg at a time. */
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
    // Sequential: a console page should not take several connections.
    for (const { name, soughtTerms, plan } of legs) {
      const found = await readCandidates(sql, environment, plan, topic.place, filter, clock.now());
      runs.push({ name, soughtTerms, ids: idsOf(found) });
    }
    return runs;
  });
}

/** Runs the lookup for a query without a topic, or with a topic that finds nothing. */
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

/** Splits a plan into one plan per part. */
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

/** What the first letter of a term means, see `search-document.ts`. */
const TERM_KINDS: Readonly<Record<string, string>> = {
  l: 'Name',
  k: 'keywords',
  c: 'synonyms',
  r: 'related words',
  g: 'Signs',
};

/** Returns the kinds of terms in a step: `Name, keywords, synonyms`. */
function nameOfStep(groups: readonly (readonly string[])[]): string {
  const kinds = groups.flat().map((term) => TERM_KINDS[kindOf(term)]);
  return unique(kinds.filter((kind) => kind !== undefined)).join(', ') || 'Other';
}

/** The number of a group's terms to show; the others are counted. */
const TOLD = 5;

/** Returns `coffe, espresso, latt, +3`: a name has at least one of these terms. */
function describeGroup(group: readonly string[]): string {
  const words = unique(group.map(wordOf));
  const more = words.length - TOLD;
  return [...words.slice(0, TOLD), ...(more > 0 ? [`+${more}`] : [])].join(', ');
}

function kindOf(term: string): string {
  return term.slice(0, term.indexOf(':'));
}

/** Returns the word of a term: `coffe` for `l:coffe++`. */
function wordOf(term: string): string {
  const tier = TIERS.findLast((each) => term.endsWith(each)) ?? '';
  const word = term.slice(0, term.length - tier.length);
  return word.startsWith('t:') ? `.${word.slice(2)}` : word.slice(word.indexOf(':') + 1);
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)];
}
