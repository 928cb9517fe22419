import { stem } from './stem.ts';
import { wordList } from './word-list.ts';

/** Words that end like somebody who does something, and are nothing of the kind. */
const NOT_AGENT_NOUNS = new Set(
  `after anchor banner better border bother bumper butter center chapter cider cipher copper corner counter
   cover customer dinner enter ever fiber filter finger flower folder former gender ginger hammer harbor honor
   ladder laser later layer leather letter liter lumber luster manner master matter meter mirror motor never
   number offer order other over owner paper partner pepper pillar platter player poster powder power quarter
   rather river rubber saver shower shoulder sister slipper soccer spider sponsor summer super supper tender
   theater tiger timber tower under vapor water weather winter wonder`.split(/\s+/),
);
/** The forms that are made up here have to be commoner than those that are found by taking an ending away. */
const COMMON = { base: 30_000, made: 12_000 } as const;

/**
 * Stems of the words that are made of this one, or that it is made of: a roaster roasts, a bakery bakes. What
 * plurals and -ing forms share is its stem already.
 */
export function formsOf(word: string): string[] {
  if (!/^[a-z]{4,}$/.test(word)) return [];
  if (NOT_AGENT_NOUNS.has(word)) return [];
  const { rankOf } = wordList();
  const realAbove = (rank: number) => (candidate: string) =>
    !NOT_AGENT_NOUNS.has(candidate) && (rankOf(candidate) ?? rank) < rank;
  const forms = [
    ...verbsOfAgent(word.replace(/(?<=er|or|ist)s$|(?<=er)ies$/, '')).filter(
      realAbove(COMMON.base),
    ),
    ...agentsOfVerb(word).filter(realAbove(COMMON.made)),
  ];
  const own = stem(word);
  return [...new Set(forms.map(stem))].filter((stemmed) => stemmed !== own);
}

/** `roaster` to `roast`, `baker` to `bake`, `planner` to `plan`, `bakery` to `bake`. */
function verbsOfAgent(word: string): string[] {
  const bare = /^(.{3,}?)(?:ery|er|or|ist)$/.exec(word)?.[1];
  if (bare === undefined) return [];
  return [bare, `${bare}e`, bare.replace(/(.)\1$/, '$1')];
}

/** And back. */
function agentsOfVerb(word: string): string[] {
  const bare = word.replace(/[ey]$/, '');
  const doubled = /[aeiou][bdgmnpt]$/.test(word) ? [word + word.at(-1)] : [];
  return [bare, ...doubled].flatMap((base) => [`${base}er`, `${base}ery`, `${base}ist`]);
}
