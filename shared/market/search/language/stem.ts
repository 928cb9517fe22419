import { stemmer } from 'stemmer';

/** Irregular plurals, and words that Porter's rules would merge with unrelated ones. */
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

/** A process sees the same words repeatedly: those of the language and its inventory. */
const MOST_REMEMBERED = 60_000;
const remembered = new Map<string, string>();

/** Returns the stem of a word (Porter, 1980); words with digits or in other scripts stay as they are. */
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
