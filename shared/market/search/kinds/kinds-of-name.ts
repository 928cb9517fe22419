import { businessKinds } from './kinds.ts';
import type { LikelyKind } from './likely-kinds.ts';

/** What all words of a name together say about its kind of business. */
export interface KindsOfName {
  /** The indicated kinds, and how strongly each is. Lists, since a process caches many names. */
  kinds: Uint16Array;
  worths: Float32Array;
  /** The strongest worth, and the sum of the squares of all. */
  strongest: number;
  squares: number;
}

/** How much two adjacent words count together, and a word of the owner's texts. */
const WORTH = { pair: 2, owner: 0.5 } as const;

/** Returns the kinds that a name indicates, by the stems of its words in order and of the owner's texts. */
export function kindsOfName(stems: readonly string[], owner: readonly string[]): KindsOfName {
  const { evidenceOf } = businessKinds();
  const evidence = new Map<number, number>();
  const add = (term: string, factor: number) => {
    for (const { kind, worth } of evidenceOf(term)) {
      evidence.set(kind, (evidence.get(kind) ?? 0) + factor * worth);
    }
  };
  for (const [at, stem] of stems.entries()) {
    add(stem, 1);
    if (at > 0) add(`${stems[at - 1]}_${stem}`, WORTH.pair);
  }
  for (const stem of new Set(owner)) add(stem, WORTH.owner);
  let strongest = 0;
  let squares = 0;
  for (const worth of evidence.values()) {
    strongest = Math.max(strongest, worth);
    squares += worth * worth;
  }
  return {
    kinds: Uint16Array.from(evidence.keys()),
    worths: Float32Array.from(evidence.values()),
    strongest,
    squares,
  };
}

/** How well a name's own kinds agree with the likely kinds of a query, 0 to 1. */
interface KindAgreement {
  /** The best likely kind relative to the kind that the name indicates most. */
  ownKind: number;
  /** The share of the name's evidence that is for likely kinds. */
  kindShare: number;
}

/**
 * Returns a function that compares names with the likely kinds of a query. A name that has a word of the query but is
 * about something else (`skin.care` for leather) agrees little.
 */
export function kindAgreement(likely: readonly LikelyKind[]): (name: KindsOfName) => KindAgreement {
  // A search compares a hundred names, each with dozens of kinds.
  const likenesses = new Float32Array(businessKinds().size);
  for (const { kind, likeness } of likely) likenesses[kind] = likeness;
  return ({ kinds, worths, strongest, squares }) => {
    if (strongest === 0) return { ownKind: 0, kindShare: 0 };
    let best = 0;
    let sum = 0;
    for (let at = 0; at < kinds.length; at += 1) {
      const likeness = likenesses[kinds[at] as number] as number;
      if (likeness === 0) continue;
      const worth = worths[at] as number;
      best = Math.max(best, likeness * worth);
      sum += likeness * worth * worth;
    }
    return { ownKind: best / strongest, kindShare: sum / squares };
  };
}
