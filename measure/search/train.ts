import { readFileSync, writeFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import pMap from 'p-map';
import { toCandidateFilter } from '../../shared/market/search/candidate-filter.ts';
import type { SearchModel } from '../../shared/market/search/embeddings/embeddings.ts';
import type { Vector } from '../../shared/market/search/embeddings/vector.ts';
import { FEATURES } from '../../shared/market/search/learned-weights.ts';
import { scoreCandidates } from '../../shared/market/search/scorer.ts';
import {
  findCandidates,
  interpretSearch,
  readTopic,
} from '../../shared/market/search/search-listings.ts';
import type { TestRuntime } from '../../test/support/runtime.ts';
import { ndcg } from './figures.ts';
import type { Grade, LabelledQuery } from './labels.ts';
import { type Example, fitLogistic } from './logistic.ts';
import { ENVIRONMENT } from './systems.ts';

const SEARCH = new URL('../../shared/market/search/', import.meta.url);
/** What a name of each grade is worth as an answer. */
const TARGETS: Record<Grade, number> = { 0: 0, 1: 0.25, 2: 1, 3: 1 };
const PENALTY = { ranking: 2e-4, answering: 1e-4, gate: 2e-3 } as const;
/** Of what businesses are called, and what people say who need one, so many tell the gate what is on topic. */
const ON_TOPIC = 4_000;
/** The share of queries with an answer that get one, and the score from which names are shown beside the best. */
const ANSWERED = 0.97;
const FILLS = 0.25;
const FOLDS = 5;

type Runtime = TestRuntime & { embeddings: SearchModel };

/** Learns what a score is made of, and what is off topic, from graded queries, and keeps both beside the search. */
export async function learnRanking(
  runtime: Runtime,
  labels: readonly LabelledQuery[],
): Promise<void> {
  const graded = labels.filter(({ outOfInventory }) => !outOfInventory);
  await trainGate(runtime);
  const queries = await readExamples(runtime, graded);
  const figures = crossValidate(queries);
  const [bias = 0, ...weights] = fitLogistic(examplesOf(queries), PENALTY.ranking);
  const best = queries.map((each) => bestOf(each, weights));
  const [silent = 0, ...telling] = fitLogistic(best, PENALTY.answering);
  const sure = best
    .filter(({ target }) => target === 1)
    .map(({ features }) => sum(features, telling) + silent);
  const least = sure.sort((a, b) => a - b)[Math.floor((1 - ANSWERED) * sure.length)] ?? 0;
  const learned = {
    date: new Date().toISOString().slice(0, 10),
    queries: graded.length,
    ndcg: rounded(figures),
    ranking: { bias: rounded(bias), weights: byFeature(weights) },
    answering: { bias: rounded(silent - least), weights: byFeature(telling) },
    fills: FILLS,
  };
  write('learned-weights.json', learned);
  process.stdout.write(`${JSON.stringify(learned, null, 2)}\n`);
}

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

/** Each query counts the same, however many names come into question. */
function examplesOf(queries: readonly GradedQuery[]): Example[] {
  return queries.flatMap(({ rows }) =>
    rows.map(({ features, grade }) => ({
      features,
      target: TARGETS[grade],
      weight: 1 / rows.length,
    })),
  );
}

/** nDCG@5 of the order that is learned from other queries. */
function crossValidate(queries: readonly GradedQuery[]): number {
  const found: number[] = [];
  for (let fold = 0; fold < FOLDS; fold += 1) {
    const [, ...weights] = fitLogistic(
      examplesOf(queries.filter((_, at) => at % FOLDS !== fold)),
      PENALTY.ranking,
    );
    for (const { label, rows } of queries.filter((_, at) => at % FOLDS === fold)) {
      if (label.grades.size === 0) continue;
      const best = [...rows].sort((a, b) => sum(b.features, weights) - sum(a.features, weights));
      found.push(
        ndcg(
          best.slice(0, 5).map(({ grade }) => grade),
          [...label.grades.values()],
        ),
      );
    }
  }
  return found.reduce((sum, value) => sum + value, 0) / found.length;
}

/** The name that comes first, and whether any was wanted. */
function bestOf({ label, rows }: GradedQuery, weights: readonly number[]): Example {
  const first = rows.reduce((best, row) =>
    sum(row.features, weights) > sum(best.features, weights) ? row : best,
  );
  return { features: first.features, target: label.grades.size > 0 ? 1 : 0, weight: 1 };
}

function sum(features: ArrayLike<number>, weights: readonly number[]): number {
  return weights.reduce((all, weight, at) => all + weight * (features[at] ?? 0), 0);
}

function byFeature(weights: readonly number[]): Record<string, number> {
  return Object.fromEntries(FEATURES.map((feature, at) => [feature, rounded(weights[at] ?? 0)]));
}

/**
 * What tells texts that ask for nothing from wishes, by the vectors of what understanding leaves of them. No query of the
 * evaluation is among them, so that the ranking learns how far the gate is to be trusted.
 */
async function trainGate({ embeddings }: Runtime): Promise<void> {
  const off = linesOf(readFileSync(new URL('training/off-topic.txt', import.meta.url), 'utf8'));
  const needs = linesOf(gunzipSync(readFileSync(new URL('kinds/needs.txt.gz', SEARCH))).toString());
  const names = linesOf(readFileSync(new URL('kinds/kinds.txt', SEARCH), 'utf8'));
  const said = [...needs, ...names].map((line) => line.split(' | ')[1]?.split(', ') ?? []);
  const stride = Math.floor(said.flat().length / ON_TOPIC);
  const texts = [
    ...off.map((text) => ({ text, target: 1, weight: 1 })),
    ...said
      .flat()
      .filter((_, at) => at % stride === 0)
      .map((text) => ({ text, target: 0, weight: off.length / ON_TOPIC })),
  ].map((each) => ({ ...each, text: interpretSearch({ query: each.text }).topic }));
  const vectors = await pMap(texts, ({ text }) => vectorOf(embeddings, text), { concurrency: 16 });
  const examples = texts.flatMap(({ target, weight }, at): Example[] => {
    const vector = vectors[at];
    return vector ? [{ features: vector, target, weight }] : [];
  });
  if (examples.length < texts.length / 2) throw new Error('the encoder gave too few vectors');
  const [bias = 0, ...weights] = fitLogistic(examples, PENALTY.gate);
  const bytes = Buffer.alloc(4 * weights.length);
  for (const [at, weight] of weights.entries()) bytes.writeFloatLE(weight, 4 * at);
  write('topic-gate.json', { bias: rounded(bias), weights: bytes.toString('base64') });
}

/** Lines without comments and empty ones. */
function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

async function vectorOf(embeddings: SearchModel, text: string): Promise<Vector | null> {
  return (await embeddings.placeOf({ asked: text, english: text }))?.vector ?? null;
}

function write(file: string, content: unknown): void {
  writeFileSync(new URL(file, SEARCH), `${JSON.stringify(content, null, 2)}\n`);
}

function rounded(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
