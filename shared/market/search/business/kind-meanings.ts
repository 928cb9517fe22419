import { type Meaning, meaningOf, type WeightedStem } from '../meaning/meaning.ts';
import { businessKinds } from './business-kinds.ts';

let made: readonly (Meaning | null)[] | undefined;

/** Where a kind of business lies in the space of meanings, by all that is known of it; null when nothing is. */
export function meaningOfKind(kind: number): Meaning | null {
  made ??= meanings();
  return made[kind] ?? null;
}

function meanings(): (Meaning | null)[] {
  const { size, evidence } = businessKinds();
  const stems: WeightedStem[][] = Array.from({ length: size }, () => []);
  for (const [term, kinds] of evidence()) {
    if (term.includes('_')) continue;
    for (const { kind, worth } of kinds) stems[kind]?.push({ stem: term, weight: worth });
  }
  return stems.map(meaningOf);
}
