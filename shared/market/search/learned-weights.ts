import { readFileSync } from 'node:fs';
import { decodeTrees } from './ranking-trees.ts';

/** The features of a score. */
export const FEATURES = [
  /** How much of the query the name matches by its words or by a likely kind of business. */
  'coverage',
  /** How much the suffix matches. */
  'suffix',
  /** How much only synonyms and related words match. */
  'loose',
  /** The share of the label's letters that match the query. */
  'precision',
  /** 1 if the owner's texts match, too; half if there are none. */
  'agreement',
  /** The cosine similarity of query and name in the encoder's space. */
  'meaning',
  /** How strongly the label or the owner's texts indicate a likely kind of business. */
  'kind',
  /** How near the name is to a likely kind in meaning. */
  'kindMeaning',
  /** The evidence of its words for a likely kind, relative to the kind that they indicate most. */
  'ownKind',
  /** The share of the evidence of its words for likely kinds. */
  'kindShare',
  /** 1 if only one of query and name is in Latin letters. */
  'foreign',
  'quality',
  /** The match of the worst-matched significant word. */
  'weakest',
  /** How much the words of the label match on their own. */
  'label',
  /** How well its last word matches a word of the query. */
  'head',
  /** The number of words in the label, out of six. */
  'words',
  /** 1 if the label names an audience or place that the query did not ask for. */
  'narrow',
  /** The share of the query's words that any candidate matches, by weight. */
  'matchedShare',
  /** The share of the query's words that are in no dictionary. */
  'unknownShare',
  /** The number of words in the query, out of eight. */
  'length',
  /** How much nearer the query is to texts that no name answers than to business as a whole. */
  'offTopic',
  /** 1 if two neighboring words of the query are adjacent in the label. */
  'order',
] as const;
export type Feature = (typeof FEATURES)[number];

/** The trees' rank of a name, or one of its features. */
type Judged = Feature | 'rank';

interface LinearModel {
  bias: number;
  weights: Readonly<Partial<Record<Judged, number>>>;
}

export interface Learned {
  /** The training date, the number of graded queries, and their nDCG@5 in cross-validation. */
  date: string;
  queries: number;
  ndcg: number;
  /** Ranks names: trees over {@link FEATURES}. */
  ranking: string;
  /** The likelihood that a name is a good answer. */
  likelihood: LinearModel;
  /** Decides by the best name whether the query has an answer: above 0. */
  answering: LinearModel;
  /** The minimum score of names shown after the best. */
  fills: number;
}

/** Trained by `npm run eval:search -- --train`. */
export const LEARNED = JSON.parse(
  readFileSync(new URL('./learned-weights.json', import.meta.url), 'utf8'),
) as Learned;

const sumOfTrees = decodeTrees(LEARNED.ranking);
const row = new Float32Array(FEATURES.length);
const [likelihood, answering] = [LEARNED.likelihood, LEARNED.answering].map(toSum) as [Sum, Sum];

/** Returns the likelihood that a name with these features is a good answer, 0 to 1. */
export function likelihoodOf(features: Readonly<Record<Feature, number>>): number {
  return 1 / (1 + Math.exp(-likelihood(features)));
}

/** Returns whether a query has an answer, given the features of its best name. */
export function isAnswer(features: Readonly<Record<Feature, number>>): boolean {
  return answering(features) >= 0;
}

type Sum = (features: Readonly<Record<Feature, number>>) => number;

/** Prepares a model's weights as a list, because a search evaluates it for a hundred names. */
function toSum({ bias, weights: { rank = 0, ...others } }: LinearModel): Sum {
  const weights = Object.entries(others) as [Feature, number][];
  return (features) => {
    for (let at = 0; at < row.length; at += 1) row[at] = features[FEATURES[at] as Feature];
    let sum = bias + rank * sumOfTrees(row);
    for (const [feature, weight] of weights) sum += weight * features[feature];
    return sum;
  };
}
