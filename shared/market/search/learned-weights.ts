import { readFileSync } from 'node:fs';
import { decodeTrees } from './ranking-trees.ts';

/** What a score is made of. */
export const FEATURES = [
  /** How much of the query the name meets by its words, or by being of a kind of business that is meant. */
  'coverage',
  /** How much the suffix meets. */
  'suffix',
  /** How much is only met by synonyms and related words. */
  'loose',
  /** The share of the label's letters that the query asked for. */
  'precision',
  /** 1 when two neighboring words of the query are side by side in the label. */
  'order',
  /** 1 when the owner's texts match, too; half where there are none. */
  'agreement',
  /** The cosine of query and name in the space of the encoder. */
  'meaning',
  /** How surely the label or its owner says a kind of business that is meant. */
  'kind',
  /** How near the name is to such a kind in meaning. */
  'kindMeaning',
  /** How much it looks like a made-up name that was asked for. */
  'alike',
  /** 1 for a label in letters that the query does not have. */
  'foreign',
  'quality',
  /** How well the telling word is met that is met least. */
  'weakest',
  /** How much the words of the label meet by themselves. */
  'label',
  /** How well its last word meets a word of the query. */
  'head',
  /** How many words the label has, of six. */
  'words',
  /** 1 for a label that says for whom or where it is when nobody asked. */
  'narrow',
  /** Of the query, the share that some name meets, the share that is no word, and its length. */
  'known',
  'unknown',
  'length',
  /** How likely the query asks for nothing that a name could be for. */
  'offTopic',
] as const;
export type Feature = (typeof FEATURES)[number];

/** What trees say of a name beside others, and its features. */
type Judged = Feature | 'rank';

interface LinearModel {
  bias: number;
  weights: Readonly<Partial<Record<Judged, number>>>;
}

export interface Learned {
  /** When, of how many graded queries, and the nDCG@5 that they got in cross-validation. */
  date: string;
  queries: number;
  ndcg: number;
  /** Which of two names is the better answer: trees over {@link FEATURES}. */
  ranking: string;
  /** How likely a name is a good answer. */
  likelihood: LinearModel;
  /** By the best name, whether the query has an answer at all: above 0. */
  answering: LinearModel;
  /** From which score on names are shown beside the best. */
  fills: number;
}

/**
 * Learned as `npm run eval:search -- --train` does; the bias of `answering` was set by hand, between those at which 95
 * and 96 % of the queries that have an answer get one.
 */
export const LEARNED = JSON.parse(
  readFileSync(new URL('./learned-weights.json', import.meta.url), 'utf8'),
) as Learned;

const sumOfTrees = decodeTrees(LEARNED.ranking);
const row = new Float32Array(FEATURES.length);
const [likelihood, answering] = [LEARNED.likelihood, LEARNED.answering].map(toSum) as [Sum, Sum];

/** How likely a name of these features is a good answer, 0 to 1. */
export function likelihoodOf(features: Readonly<Record<Feature, number>>): number {
  return 1 / (1 + Math.exp(-likelihood(features)));
}

/** Whether a query whose best name has these features has an answer. */
export function isAnswer(features: Readonly<Record<Feature, number>>): boolean {
  return answering(features) >= 0;
}

type Sum = (features: Readonly<Record<Feature, number>>) => number;

/** A model with its weights in a list: a search asks it of a hundred names. */
function toSum({ bias, weights: { rank = 0, ...others } }: LinearModel): Sum {
  const weights = Object.entries(others) as [Feature, number][];
  return (features) => {
    for (let at = 0; at < row.length; at += 1) row[at] = features[FEATURES[at] as Feature];
    let sum = bias + rank * sumOfTrees(row);
    for (const [feature, weight] of weights) sum += weight * features[feature];
    return sum;
  };
}
