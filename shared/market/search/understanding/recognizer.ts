import type { PhraseMeaning } from './interpretation.ts';
import type { QueryToken } from './query-tokens.ts';

/** A phrase that was understood: the tokens before `end` are not part of the topic. */
export interface Claim {
  end: number;
  meaning: PhraseMeaning;
}

/** What a recognizer sees: all tokens, and whether the phrase before this place was understood, too. */
export interface QueryContext {
  tokens: readonly QueryToken[];
  /** Whether the token belongs to a phrase that was understood. */
  isClaimed(at: number): boolean;
}

/** Parses the phrase that begins at `at`, if it is known. Never reads more than a few tokens. */
export type Recognizer = (context: QueryContext, at: number) => Claim | undefined;
