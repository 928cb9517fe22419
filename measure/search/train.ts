import { readFileSync, writeFileSync } from 'node:fs';
import pMap from 'p-map';
import { toCandidateFilter } from '../../shared/market/search/candidate-filter.ts';
import type { SearchModel } from '../../shared/market/search/embeddings/embeddings.ts';
import { bytesOf } from '../../shared/market/search/embeddings/vector.ts';
import { VECTOR_SIZE } from '../../shared/market/search/kinds/kinds-table.ts';
import {
  FEATURES,
  type Feature,
  type Learned,
} from '../../shared/market/search/learned-weights.ts';
import { decodeTrees, encodeTrees } from '../../shared/market/search/ranking-trees.ts';
import { scoreCandidates } from '../../shared/market/search/scorer.ts';
import {
  findCandidates,
  interpretSearch,
  readTopic,
} from '../../shared/market/search/search-listings.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { boostTrees, type RankedGroup } from './boosted-trees.ts';
import { discountedGain, gainOf, mean, ndcg } from './figures.ts';
import type { Grade, LabelledQuery } from './labels.ts';
import { fitLogistic } from './logistic.ts';
import { ENVIRONMENT } from './systems.ts';
import { groupOf } from './tables.ts';

const SEARCH = new URL('../../shared/market/search/', import.meta.url);
/** How likely a name of each grade is a good answer. */
const TARGETS: Record<Grade, number> = { 0: 0, 1: 0.25, 2: 1, 3: 1 };
const PENALTY = { likelihood: 2e-4, answering: 1e-4 } as const;
/** The share of answerable queries that get results, and the score from which names are shown next to the best. */
const ANSWERED = 0.965;
const FILLS = 0.3;
const FOLDS = 3;

/** Features for which more is never worse. */
const RISING: ReadonlySet<number> = new Set(
  (
    [
      ...['coverage', 'suffix', 'precision', 'order', 'agreement', 'meaning', 'kind', 'ownKind'],
      ...['kindMeaning', 'kindShare', 'quality', 'weakest', 'label', 'head'],
    ] as Feature[]
  ).map((feature) => FEATURES.indexOf(feature)),
);
/** Features from the encoder; a search answers without them if it takes too long. */
const ENCODED: ReadonlySet<number> = new Set(
  (['meaning', 'kindMeaning', 'offTopic'] as const).map((feature) => FEATURES.indexOf(feature)),
);
/** One query in this many is also learned as it looks without the encoder. */
const WITHOUT_ENCODER = 4;

/** The trees' score for a name, and its features. */
const JUDGED = ['rank', ...FEATURES] as const;
/** Apart from the trees' score, likelihood depends only on the query. */
const LIKELY_BY = (['rank', 'matchedShare', 'unknownShare', 'length', 'offTopic'] as const).map(
  (feature) => JUDGED.indexOf(feature),
);

/** Whether there is an answer at all depends on how well the best name matches, not on its rank or how it is built. */
const ANSWERED_BY = JUDGED.flatMap((feature, at) =>
  (
    [
      'rank',
      'weakest',
      'label',
      'head',
      'words',
      'narrow',
      'ownKind',
      'kindShare',
    ] as (typeof JUDGED)[number][]
  ).includes(feature)
    ? []
    : [at],
);

type Runtime = TestRuntime & { embeddings: SearchModel };

/** Learns scores from graded queries, and off-topic texts from examples, and saves both in the search folder. */
export async function learnRanking(
  runtime: Runtime,
  labels: readonly LabelledQuery[],
): Promise<void> {
  const graded = labels.filter(({ outOfInventory }) => !outOfInventory);
  await encodeOffTopic(runtime);
  const learned = learn(await readExamples(runtime, graded));
  write('learned-weights.json', learned);
  process.stdout.write(`nDCG@5 ${learned.ndcg} of ${learned.queries} queries\n`);
}

/** Learns the ranking of names, how likely one is a good answer, and whether a query has an answer at all. */
function learn(queries: readonly GradedQuery[]): Learned {
  const count = new Map<string, number>();
  for (const { label } of queries) {
    const kind = groupOf(label.kind);
    count.set(kind, (count.get(kind) ?? 0) + 1);
  }
  // The number of queries written for a kind says little about how often buyers ask them.
  const share = ({ label }: GradedQuery) => 1 / Math.sqrt(count.get(groupOf(label.kind)) ?? 1);
  const usual = mean(queries.map(share));
  const weightOf = (query: GradedQuery) => share(query) / usual;
  const groups = queries.map((query): RankedGroup => {
    const all = [...query.label.grades.values()];
    return {
      rows: query.rows.map(({ features }) => features),
      gains: query.rows.map(({ grade }) => gainOf(grade)),
      ideal: discountedGain(all.sort((a, b) => b - a)),
      weight: weightOf(query),
    };
  });
  // Trees are too sure about names that they were trained on, so each name is ranked by trees that haven't seen it.
  const ranks = crossRanks(groups);
  const judged = queries.map(({ label, rows }, at) => ({
    label,
    weight: weightOf(queries[at] as GradedQuery),
    rows: rows.map(({ features, grade }, row) => ({
      features: [ranks[at]?.[row] ?? 0, ...features],
      grade,
    })),
  }));
  const [bias = 0, ...likely] = fitLogistic(
    judged.flatMap(({ rows, weight }) =>
      rows.map(({ features, grade }) => ({
        features: valuesOf(LIKELY_BY, features),
        target: TARGETS[grade],
        weight: weight / rows.length,
      })),
    ),
    PENALTY.likelihood,
  );
  const best = judged.map(({ label, rows, weight }) => ({
    features: valuesOf(
      ANSWERED_BY,
      rows.reduce((one, other) => (first(other) > first(one) ? other : one)).features,
    ),
    target: label.grades.size > 0 ? 1 : 0,
    weight,
  }));
  const [silent = 0, ...telling] = fitLogistic(best, PENALTY.answering);
  const least = quantile(
    best
      .filter(({ target }) => target === 1)
      .map(({ features, weight }) => ({
        value: sum(features, telling) + silent,
        weight,
      })),
    1 - ANSWERED,
  );
  return {
    date: new Date().toISOString().slice(0, 10),
    queries: queries.length,
    ndcg: rounded(ndcgOf(judged)),
    ranking: grow(groups),
    likelihood: { bias: rounded(bias), weights: byFeature(LIKELY_BY, likely) },
    answering: { bias: rounded(silent - least), weights: byFeature(ANSWERED_BY, telling) },
    fills: FILLS,
  };
}

/** Grows and encodes the trees for some queries. */
function grow(groups: readonly RankedGroup[]): string {
  const answerable = groups.filter(({ ideal }) => ideal > 0);
  const unseen = answerable
    .filter((_, at) => at % WITHOUT_ENCODER === 0)
    .map((group) => ({
      ...group,
      rows: group.rows.map((row) =>
        Float64Array.from(row, (value, feature) => (ENCODED.has(feature) ? 0 : value)),
      ),
    }));
  return encodeTrees(boostTrees([...answerable, ...unseen], RISING));
}

/** Returns the score of each name from trees trained on other queries. */
function crossRanks(groups: readonly RankedGroup[]): number[][] {
  const ranks: number[][] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const sumOf = decodeTrees(grow(groups.filter((_, at) => at % FOLDS !== fold)));
    for (const [at, { rows }] of groups.entries()) {
      if (at % FOLDS === fold) ranks[at] = rows.map((row) => sumOf(Float32Array.from(row)));
    }
  }
  return ranks;
}

/** Returns nDCG@5 of the order by `rank`, which was learned from other queries. */
function ndcgOf(judged: readonly GradedQuery[]): number {
  const asked = judged.filter(({ label }) => label.grades.size > 0);
  return mean(
    asked.map(({ label, rows }) =>
      ndcg(
        [...rows].sort((a, b) => first(b) - first(a)).map(({ grade }) => grade),
        [...label.grades.values()],
      ),
    ),
  );
}

function valuesOf(which: readonly number[], features: readonly number[]): number[] {
  return which.map((feature) => features[feature] ?? 0);
}

function first({ features: [rank = 0] }: { features: readonly number[] }): number {
  return rank;
}

/** Returns the value below which this share of the weight lies. */
function quantile(values: { value: number; weight: number }[], share: number): number {
  const all = values.reduce((total, { weight }) => total + weight, 0);
  let below = 0;
  for (const { value, weight } of values.sort((a, b) => a.value - b.value)) {
    below += weight;
    if (below > share * all) return value;
  }
  return Number.POSITIVE_INFINITY;
}

/** A query with the features and grades of its candidates. */
interface GradedQuery {
  label: LabelledQuery;
  rows: { features: number[]; grade: Grade }[];
}

async function readExamples(
  runtime: Runtime,
  labels: readonly LabelledQuery[],
): Promise<GradedQuery[]> {
  const queries: GradedQuery[] = [];
  for (const label of labels) {
    const asked = interpretSearch({ query: label.query });
    const topic = await readTopic(runtime, asked.topic);
    if (topic.query.words.length === 0) continue;
    const filter = toCandidateFilter(asked, {});
    const candidates = await findCandidates(runtime, ENVIRONMENT, topic, filter);
    const rows = scoreCandidates(topic, candidates)
      .filter(({ reason }) => reason.exact === null)
      .map(({ candidate, reason }) => ({
        features: FEATURES.map((feature) => reason.features[feature]),
        grade: label.grades.get(candidate.domainUnicode) ?? 0,
      }));
    if (rows.length > 0) queries.push({ label, rows });
  }
  return queries;
}

function sum(features: ArrayLike<number>, weights: readonly number[]): number {
  return weights.reduce((all, weight, at) => all + weight * (features[at] ?? 0), 0);
}

function byFeature(which: readonly number[], weights: readonly number[]): Record<string, number> {
  return Object.fromEntries(
    which.map((feature, at) => [JUDGED[feature], rounded(weights[at] ?? 0)]),
  );
}

/** Encodes the texts that no name answers, next to which search tells what is off topic. It sees no query. */
async function encodeOffTopic({ embeddings }: Runtime): Promise<void> {
  const texts = readFileSync(new URL('training/off-topic.txt', import.meta.url), 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  const places = await pMap(texts, (text) => embeddings.placeOf({ asked: text, english: text }), {
    concurrency: 16,
  });
  const vectors = places.map((place) => {
    if (!place?.vector) throw new Error('the encoder gave no vector');
    return bytesOf(place.vector, VECTOR_SIZE);
  });
  writeFileSync(new URL('off-topic.bin', SEARCH), Buffer.concat(vectors));
}

function write(file: string, content: unknown): void {
  writeFileSync(new URL(file, SEARCH), `${JSON.stringify(content, null, 2)}\n`);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
