import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import {
  businessKinds,
  createBusinessKinds,
  wordsOfKinds,
} from '../../../shared/market/search/business/business-kinds.ts';
import { decodeKinds, encodeKinds } from '../../../shared/market/search/business/kinds-table.ts';
import { likelyKinds } from '../../../shared/market/search/business/likely-kinds.ts';
import { kindMatcher } from '../../../shared/market/search/business/match-kinds.ts';
import { parseKinds } from '../../../shared/market/search/business/parse-kinds.ts';
import { stem } from '../../../shared/market/search/language/stem.ts';
import { meaningOf, nearness } from '../../../shared/market/search/meaning/meaning.ts';

const asked = (text: string) =>
  text.split(' ').map((word) => ({
    stems: [{ stem: stem(word), likeness: 1 }],
    weight: 1,
  }));
const namesOf = (text: string) =>
  likelyKinds(asked(text)).map(({ kind }) => businessKinds().nameOf(kind));

const kindsOf = (text: string) => createBusinessKinds(parseKinds(text));

const FOLDER = new URL('../../../shared/market/search/business/', import.meta.url);

const numberOf = (name: string) => {
  const { size, nameOf } = businessKinds();
  return Array.from({ length: size }, (_, kind) => nameOf(kind)).indexOf(name);
};

describe('the kinds of business', () => {
  it('can be read from the first line to the last, each under a name of its own', () => {
    const { size, nameOf } = businessKinds();
    expect(size).toBeGreaterThan(1_000);
    expect(new Set(Array.from({ length: size }, (_, kind) => nameOf(kind))).size).toBe(size);
  });

  it('stand in the table as the text has them: else run scripts/language-data/make-kinds.mjs', () => {
    const text = readFileSync(new URL('kinds.txt', FOLDER), 'utf8');
    const table = readFileSync(new URL('kinds.bin', FOLDER));
    expect(encodeKinds(parseKinds(text)).equals(table)).toBe(true);
  });

  it('come out of the bytes of their table as they went in', () => {
    const table = parseKinds(
      'teahouse | chai bar | oolong | cup | parched tongue\nsaloon | bar | ale | keg | dry',
    );
    expect(decodeKinds(new Uint8Array(encodeKinds(table)).buffer)).toEqual(table);
  });

  it.each([
    ['tea house', 1],
    ['tea house | chai bar | leaf', 1],
    ['tea house | chai bar | leaf | cup | thirsty\n\nsaloon | bar | beer | keg | ', 3],
    ['a | b | c | d', 1],
  ])('name the line that is wrong in %j', (text, line) => {
    expect(() => parseKinds(text)).toThrow(`line ${line}`);
  });

  it('say more by what they are called than by what belongs to them, and least by what people need', () => {
    const { evidenceOf } = kindsOf('teahouse | chaibar | oolong | samovar | parched');
    const worth = (term: string) => evidenceOf(stem(term))[0]?.worth ?? 0;
    expect(worth('teahouse')).toBeGreaterThan(worth('oolong'));
    expect(worth('oolong')).toBeGreaterThan(worth('samovar'));
    expect(worth('samovar')).toBeGreaterThan(worth('parched'));
    expect(evidenceOf('nothing')).toEqual([]);
  });

  it('say more with what is said of them again and again than with what is said of many', () => {
    const { evidenceOf, tellingOf } = kindsOf(
      [
        'teahouse | chaibar | oolong | samovar | parched tongue, parched throat, parched again',
        'saloon | taproom | lager | keg | parched lips, lonely evening',
        'bakery | breadshop | loaf | oven | hungry morning',
      ].join('\n'),
    );
    const [often, once] = evidenceOf(stem('parched'));
    expect(often?.worth).toBeGreaterThan(once?.worth ?? 1);
    expect(tellingOf(stem('parched'))).toBe(often?.worth);
  });

  it('say nothing with the places that people name when they need one', () => {
    const { evidenceOf } = kindsOf('teahouse | chaibar | oolong | samovar | parched in lisbon');
    expect(evidenceOf(stem('lisbon'))).toEqual([]);
    expect(evidenceOf(stem('parched'))).toHaveLength(1);
  });

  it('make no names of how a thing of theirs is', () => {
    const { termsOf } = kindsOf('teahouse | chaibar | gentle oolong | samovar | parched');
    expect([...termsOf(0).keys()]).toEqual(
      expect.arrayContaining([stem('oolong'), `${stem('gentle')}_${stem('oolong')}`]),
    );
    expect(termsOf(0).has(stem('gentle'))).toBe(false);
  });

  it('make names of what belongs to them, not of what is spoken of beside them, nor of places', () => {
    const { termsOf } = kindsOf('tulips | florist | bouquet, amsterdam | secateurs | bare table');
    expect([...termsOf(0).keys()]).toEqual([stem('tulips'), stem('florist'), stem('bouquet')]);
  });

  it('know their kin: of which most is said alike', () => {
    const { kinOf } = businessKinds();
    const kin = kinOf(numberOf('dentist')).map(({ kind }) => businessKinds().nameOf(kind));
    expect(kin).toContain('oral surgeon');
    expect(kin).not.toContain('bakery');
  });
});

describe('the kinds that a query is about', () => {
  it.each([
    ['dentist', 'dentist'],
    ['toothache since yesterday', 'dentist'],
    ['payment gateway', 'payment processing'],
  ])('%s: %s', (query, kind) => {
    expect(namesOf(query)).toContain(kind);
  });

  it.each([
    ['keep the sun out of my bedroom', 'blinds'],
    ['nobody to look after the baby tonight', 'babysitter'],
  ])('are told by words that are said together: %s', (query, kind) => {
    expect(namesOf(query)[0]).toBe(kind);
  });

  it('are told by nearness in meaning where words alone leave it open', () => {
    const dentist = businessKinds().meaningOf(numberOf('dentist'));
    const bakery = businessKinds().meaningOf(numberOf('bakery'));
    const molar = meaningOf([{ stem: stem('molar'), weight: 1 }]);
    if (!dentist || !bakery || !molar) throw new Error('no meaning');
    expect(nearness(molar, dentist)).toBeGreaterThan(nearness(molar, bakery));
  });

  it('are none for gibberish', () => {
    expect(namesOf('xqzv wkjh')).toEqual([]);
    expect(likelyKinds([])).toEqual([]);
  });

  it('are few, likeliest first, and never surer than sure', () => {
    const word = fc.constantFrom(...[...wordsOfKinds()].filter((_, at) => at % 50 === 0), 'xqzv');
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), (words) => {
        const kinds = likelyKinds(asked(words.join(' ')));
        expect(kinds.length).toBeLessThanOrEqual(8);
        const likenesses = kinds.map(({ likeness }) => likeness);
        expect(likenesses).toEqual([...likenesses].sort((a, b) => b - a));
        for (const { likeness, support } of kinds) {
          expect(likeness).toBeGreaterThan(0);
          expect(likeness).toBeLessThanOrEqual(1);
          for (const each of support) expect(each).toBeLessThanOrEqual(1);
        }
      }),
    );
  });
});

describe('a name of a kind of business', () => {
  const termsOf = (label: string, tags = '') => ({
    stems: label.split(' ').map(stem),
    explained: label.split(' ').map(() => 0),
    tags: tags.split(' ').map(stem),
    about: [],
  });
  const match = (query: string, label: string, tags = '', beside: readonly string[] = []) => {
    const name = termsOf(label, tags);
    const matcher = kindMatcher(likelyKinds(asked(query)), [
      name,
      ...beside.map((each) => termsOf(each)),
    ]);
    return matcher?.match(name)[0] ?? 0;
  };

  it('answers a need without a word of it', () => {
    expect(match('toothache', 'molar')).toBeGreaterThan(0.2);
    expect(match('toothache', 'oak', 'dentist')).toBeGreaterThan(0.2);
    expect(match('toothache', 'oak')).toBe(0);
  });

  it('answers it better by its label and keywords together', () => {
    expect(match('toothache', 'molar', 'dentist')).toBeGreaterThan(match('toothache', 'molar'));
  });

  it('answers it better where no name of a likelier kind is listed', () => {
    const [first, second] = likelyKinds(asked('horology'));
    const nameOf = (kind = 0) =>
      [...businessKinds().termsOf(kind).keys()][0]?.replace('_', ' ') ?? '';
    const alone = match('horology', nameOf(second?.kind));
    const beside = match('horology', nameOf(second?.kind), '', [nameOf(first?.kind)]);
    expect(alone).toBeGreaterThan(beside);
  });

  it('is not looked for where no kind is likely', () => {
    expect(kindMatcher([], [termsOf('oak')])).toBeNull();
  });
});
