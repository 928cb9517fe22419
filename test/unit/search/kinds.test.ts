import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { parseKinds } from '../../../scripts/language-data/parse-kinds.ts';
import type { Embedder } from '../../../shared/market/search/embeddings/embedder.ts';
import { createSentenceEncoder } from '../../../shared/market/search/embeddings/sentence-encoder.ts';
import { unitLength, type Vector } from '../../../shared/market/search/embeddings/vector.ts';
import {
  businessKinds,
  createBusinessKinds,
  wordsOfKinds,
} from '../../../shared/market/search/kinds/kinds.ts';
import { kindAgreement, kindsOfName } from '../../../shared/market/search/kinds/kinds-of-name.ts';
import {
  decodeKinds,
  encodeKinds,
  VECTOR_SIZE,
} from '../../../shared/market/search/kinds/kinds-table.ts';
import { likelyKinds } from '../../../shared/market/search/kinds/likely-kinds.ts';
import { kindMatcher } from '../../../shared/market/search/kinds/match-kinds.ts';
import { stem } from '../../../shared/market/search/language/stem.ts';
import { parseQuery } from '../../../shared/market/search/parse-query.ts';

const asked = (text: string, vector: Vector | null = null) => likelyKinds(parseQuery(text), vector);
const namesOf = (text: string, vector: Vector | null = null) =>
  asked(text, vector).map(({ kind }) => businessKinds().nameOf(kind));

/** Dummy vectors. */
const vectorsFor = (text: string) => new Int8Array(text.split('\n').length * VECTOR_SIZE).fill(1);
const parsed = (text: string) => parseKinds(text, vectorsFor(text));
const kindsOf = (text: string) => createBusinessKinds(parsed(text));

const PROJECT = new URL('../../../', import.meta.url);

describe('the table of business kinds', () => {
  it('can be read completely, with a unique name for each kind', () => {
    const { size, nameOf } = businessKinds();
    expect(size).toBeGreaterThan(1_000);
    expect(new Set(Array.from({ length: size }, (_, kind) => nameOf(kind))).size).toBe(size);
  });

  it('matches kinds.txt (run scripts/language-data/make-kinds.mjs)', () => {
    const text = readFileSync(new URL('scripts/language-data/sources/kinds.txt', PROJECT), 'utf8');
    const table = readFileSync(new URL('shared/market/search/kinds/kinds.bin', PROJECT));
    const { vectors } = decodeKinds(new Uint8Array(table).buffer);
    expect(encodeKinds(parseKinds(text, vectors)).equals(table)).toBe(true);
  });

  it('survives encoding and decoding', () => {
    const table = parsed('teahouse | chai bar | oolong, cup\nsaloon | bar | ale, keg');
    expect(decodeKinds(new Uint8Array(encodeKinds(table)).buffer)).toEqual(table);
  });

  it.each([
    ['tea house', 1],
    ['tea house | chai bar', 1],
    ['tea house | chai bar | leaf\n\nsaloon | bar | ', 3],
    ['a | b | c | d', 1],
  ])('reports the wrong line in %j', (text, line) => {
    expect(() => parsed(text)).toThrow(`line ${line}`);
  });

  it('gives the names of a kind more weight than its things', () => {
    const { evidenceOf } = kindsOf('teahouse | chaibar | oolong');
    const worth = (term: string) => evidenceOf(stem(term))[0]?.worth ?? 0;
    expect(worth('teahouse')).toBeGreaterThan(worth('oolong'));
    expect(worth('oolong')).toBeGreaterThan(0);
    expect(evidenceOf('nothing')).toEqual([]);
  });

  it('gives repeated terms more weight than terms that many kinds share', () => {
    const { evidenceOf, tellingOf } = kindsOf(
      [
        'teahouse | chaibar | samovar, samovar urn, samovar tap',
        'saloon | taproom | keg, samovar',
        'bakery | breadshop | oven',
      ].join('\n'),
    );
    const [often, once] = evidenceOf(stem('samovar'));
    expect(often?.worth).toBeGreaterThan(once?.worth ?? 1);
    expect(tellingOf(stem('samovar'))).toBe(often?.worth);
  });

  it('does not suggest names from adjectives', () => {
    const { termsOf } = kindsOf('teahouse | chaibar | gentle oolong');
    expect([...termsOf(0).keys()]).toEqual(
      expect.arrayContaining([stem('oolong'), `${stem('gentle')}_${stem('oolong')}`]),
    );
    expect(termsOf(0).has(stem('gentle'))).toBe(false);
  });

  it("suggests names from a kind's things, not from their places of origin", () => {
    const { termsOf } = kindsOf('tulips | florist | bouquet, amsterdam');
    expect([...termsOf(0).keys()]).toEqual([stem('tulips'), stem('florist'), stem('bouquet')]);
  });
});

describe('business kinds of a query', () => {
  it.each([
    ['dentist', 'dentist'],
    ['tooth whitening', 'dentist'],
    ['payment gateway', 'payment processing'],
  ])('are found by its words: %s: %s', (query, kind) => {
    expect(namesOf(query)).toContain(kind);
  });

  it('are none for gibberish', () => {
    expect(namesOf('xqzv wkjh')).toEqual([]);
    expect(namesOf('')).toEqual([]);
  });

  it('are few, most likely first, with a probability of at most 1', () => {
    const word = fc.constantFrom(...[...wordsOfKinds()].filter((_, at) => at % 50 === 0), 'xqzv');
    const kind = fc.integer({ min: 0, max: businessKinds().size - 1 });
    const vector = fc.option(kind.map((each) => unitLength(businessKinds().vectorOf(each))));
    fc.assert(
      fc.property(fc.array(word, { maxLength: 6 }), vector, (words, near) => {
        const kinds = asked(words.join(' '), near);
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

describe('business kinds closest in meaning to a query', () => {
  let encoder: Embedder;
  beforeAll(() => {
    encoder = createSentenceEncoder({ idleMs: Number.POSITIVE_INFINITY });
  });
  afterAll(() => encoder.close());
  const meaningOf = async (query: string) => (await encoder.embed([query]))[0] ?? null;

  it.each([
    ['toothache since yesterday', 'dentist'],
    ['someone to walk my dog while i am at work', 'dog walker'],
    ['nobody to look after the baby tonight', 'babysitter'],
    ['i want to learn the guitar', 'music lessons'],
  ])('are found, too: %s: %s', async (query, kind) => {
    expect(namesOf(query, await meaningOf(query))).toContain(kind);
  });

  it.each(['bakery', 'plumber', 'dentist'])('keep %s as the best match', async (query) => {
    expect(namesOf(query, await meaningOf(query))[0]).toBe(query);
  });
});

describe('matching names to a business kind', () => {
  const match = (query: string, label: string, tags = '') => {
    const matcher = kindMatcher(asked(query));
    const stems = label.split(' ').map(stem);
    return (
      matcher?.({
        stems,
        pairs: stems.slice(1).map((second, at) => `${stems[at]}_${second}`),
        explained: stems.map(() => 0),
        tags: tags.split(' ').map(stem),
        about: [],
      })[0] ?? 0
    );
  };

  it('finds a name that shares no word with the query', () => {
    expect(match('dentist', 'molar')).toBeGreaterThan(0.2);
    expect(match('dentist', 'oak', 'molar')).toBeGreaterThan(0.2);
    expect(match('dentist', 'oak')).toBe(0);
  });

  it('scores two words of a label higher together', () => {
    const apart = Math.max(match('babysitter', 'child'), match('babysitter', 'minding'));
    expect(match('babysitter', 'child minding')).toBeGreaterThan(apart);
  });

  it('scores a label with keywords higher', () => {
    expect(match('dentist', 'molar', 'dentistry')).toBeGreaterThan(match('dentist', 'molar'));
  });

  it('is skipped if no kind is likely', () => {
    expect(kindMatcher([])).toBeNull();
  });
});

describe('the kinds of a name', () => {
  const agreement = (query: string, label: string, owner = '') =>
    kindAgreement(asked(query))(
      kindsOfName(label.split(' ').map(stem), owner.split(' ').filter(Boolean).map(stem)),
    );

  it.each([
    ['plumber', 'drain repair', 'phone repair'],
    ['leather bags', 'leather totes', 'skin care'],
    ['wedding cakes', 'cake bakery', 'wedding band'],
  ])('agree with %j more if it is %j than if it is %j', (query, same, other) => {
    expect(agreement(query, same).ownKind).toBeGreaterThan(agreement(query, other).ownKind);
    expect(agreement(query, same).kindShare).toBeGreaterThan(agreement(query, other).kindShare);
  });

  it("count the owner's texts", () => {
    expect(agreement('plumber', 'zintro', 'drain pipe').ownKind).toBeGreaterThan(0);
  });

  it('agree with nothing if its words say nothing', () => {
    expect(agreement('plumber', 'zintro')).toEqual({ ownKind: 0, kindShare: 0 });
  });
});
