import { stemmer } from 'stemmer';

/** Plurals that no rule finds, and words that Porter's rules would merge with a stranger. */
const IRREGULAR: ReadonlyMap<string, string> = new Map(
  Object.entries({
    children: 'child',
    men: 'man',
    women: 'woman',
    mice: 'mouse',
    feet: 'foot',
    leaves: 'leaf',
    loaves: 'loaf',
    knives: 'knife',
    wives: 'wife',
    lives: 'life',
    shelves: 'shelf',
    wolves: 'wolf',
    scarves: 'scarf',
    candidate: 'candidate',
    candidates: 'candidate',
    candidacy: 'candidate',
    people: 'people',
    news: 'news',
    used: 'used',
    university: 'university',
    universe: 'universe',
    organic: 'organic',
    organ: 'organ',
    general: 'general',
    policy: 'policy',
    police: 'police',
    animation: 'animation',
    animal: 'animal',
    marketing: 'marketing',
    marketer: 'marketing',
    wedding: 'wedding',
    booking: 'booking',
    training: 'training',
    bedding: 'bedding',
    housing: 'housing',
    flooring: 'flooring',
    building: 'build',
    builder: 'build',
    clothing: 'cloth',
    clothes: 'cloth',
  }),
);

/** A process meets the same words over and over: those of the language and of its inventory. */
const MOST_REMEMBERED = 60_000;
const remembered = new Map<string, string>();

/** What the forms of a word share (Porter, 1980); words of other scripts and with digits are their own. */
export function stem(word: string): string {
  let found = remembered.get(word);
  if (found === undefined) {
    found =
      IRREGULAR.get(word) ?? (word.length > 3 && /^[a-z]+$/.test(word) ? stemmer(word) : word);
    if (remembered.size >= MOST_REMEMBERED) remembered.clear();
    remembered.set(word, found);
  }
  return found;
}
