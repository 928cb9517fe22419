import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { wordsOf } from '../../../shared/market/search/language/text-analysis.ts';
import {
  type Meaning,
  NO_LIMITS,
} from '../../../shared/market/search/understanding/interpretation.ts';
import { understandQuery } from '../../../shared/market/search/understanding/understand-query.ts';
import { MAX_PRICE_CENTS } from '../../../shared/platform/money.ts';

/** What buyers type, what is left of it as topic, and what else it says. */
const PHRASES: readonly (readonly [text: string, topic: string, limits: Meaning])[] = [
  ['coffee shop under 500', 'coffee shop', { maxPriceCents: 50000 }],
  ['coffee less than $2k', 'coffee', { maxPriceCents: 200000, currency: 'USD' }],
  ['max 1.5k travel agency', 'travel agency', { maxPriceCents: 150000 }],
  ['dog walking up to 3 grand', 'dog walking', { maxPriceCents: 300000 }],
  ['fintech between 1k and 3k', 'fintech', { minPriceCents: 100000, maxPriceCents: 300000 }],
  [
    'fintech 1000-3000 usd',
    'fintech',
    { minPriceCents: 100000, maxPriceCents: 300000, currency: 'USD' },
  ],
  ['bakery €500', 'bakery', { maxPriceCents: 50000, currency: 'EUR' }],
  ['bakery for 500 €', 'bakery', { maxPriceCents: 50000, currency: 'EUR' }],
  ['bakery max £1,500.50', 'bakery', { maxPriceCents: 150050, currency: 'GBP' }],
  ['budget of 800 for a gym name', 'gym', { maxPriceCents: 80000 }],
  ['cheaper than 300 yoga', 'yoga', { maxPriceCents: 30000 }],
  ['law firm over 10k', 'law firm', { minPriceCents: 1000000 }],
  ['law firm around 500', 'law firm', { minPriceCents: 37500, maxPriceCents: 62500 }],
  ['pizza for 200 dollars', 'pizza', { maxPriceCents: 20000, currency: 'USD' }],
  ['24 hour gym', '24 hour gym', {}],
  ['web 3', 'web 3', {}],
  ['web 3 games', 'web 3 games', {}],
  ['top 10 lists', 'top 10 lists', {}],
  ['365 days of yoga', '365 days of yoga', {}],
  ['24/7 plumbing', '24/7 plumbing', {}],
  ['9 to 5', '9 to 5', {}],
  ['route 66 diner', 'route 66 diner', {}],
  ['coffee .io', 'coffee', { tlds: ['io'] }],
  ['coffee dot com', 'coffee', { tlds: ['com'] }],
  ['on .ai for lawyers', 'lawyers', { tlds: ['ai'] }],
  ['bakery on a .co.uk', 'bakery', { tlds: ['co.uk'] }],
  ['bakery in .de or .eu', 'bakery', { tlds: ['de', 'eu'] }],
  ['bakery com only', 'bakery', { tlds: ['com'] }],
  ['bakery not .com', 'bakery', { excludedTlds: ['com'] }],
  ['bakery no .net', 'bakery', { excludedTlds: ['net'] }],
  ['bakery but not .com or .net', 'bakery', { excludedTlds: ['com', 'net'] }],
  ['yoga studio', 'yoga studio', {}],
  ['yoga studio domain', 'yoga studio', {}],
  ['pet store', 'pet store', {}],
  ['running club', 'running club', {}],
  ['booking app', 'booking app', {}],
  ['app domain', 'app', {}],
  ['ai assistant', 'ai assistant', {}],
  ['ai domain for lawyers', 'lawyers', { tlds: ['ai'] }],
  [
    'four letter com under 500',
    '',
    { tlds: ['com'], maxPriceCents: 50000, minLength: 4, maxLength: 4 },
  ],
  ['four letter com', '', { tlds: ['com'], minLength: 4, maxLength: 4 }],
  ['4-letter .com', '', { tlds: ['com'], minLength: 4, maxLength: 4 }],
  ['LLLL.com', '', { tlds: ['com'], minLength: 4, maxLength: 4, noHyphens: true, noDigits: true }],
  ['LLLL', '', { minLength: 4, maxLength: 4, noHyphens: true, noDigits: true }],
  ['3L com', '', { tlds: ['com'], minLength: 3, maxLength: 3, noHyphens: true, noDigits: true }],
  ['max 6 letters', '', { maxLength: 6 }],
  ['max 6 letters under 50', '', { maxPriceCents: 5000, maxLength: 6 }],
  ['at most five characters pets', 'pets', { maxLength: 5 }],
  ['3 char', '', { minLength: 3, maxLength: 3 }],
  ['pets 5 letters or less', 'pets', { maxLength: 5 }],
  ['shorter than 8 letters', '', { maxLength: 7 }],
  ['coffee shorter than 8', 'coffee', { maxLength: 7 }],
  ['exactly 5', '', { minLength: 5, maxLength: 5 }],
  ['exactly 5 letters', '', { minLength: 5, maxLength: 5 }],
  ['between 4 and 6 letters, tech', 'tech', { minLength: 4, maxLength: 6 }],
  ['4-6 letters tech', 'tech', { minLength: 4, maxLength: 6 }],
  ['tech starting with x', 'tech', { startsWith: 'x' }],
  ['tech starts with neo', 'tech', { startsWith: 'neo' }],
  ['names beginning with z', '', { startsWith: 'z' }],
  ['prefix neo', '', { startsWith: 'neo' }],
  ['ending in ly', '', { endsWith: 'ly' }],
  ['ending with ify', '', { endsWith: 'ify' }],
  ['suffix hub', '', { endsWith: 'hub' }],
  ['ending in .io coffee', 'coffee', { tlds: ['io'] }],
  ['containing coffee', '', { contains: ['coffee'] }],
  ['coffee with the word bean in it', 'coffee', { contains: ['bean'] }],
  ['including yoga', '', { contains: ['yoga'] }],
  ['with yoga in it', '', { contains: ['yoga'] }],
  ['coffee but not tea', 'coffee', { excluded: ['tea'] }],
  ['coffee without tea', 'coffee', { excluded: ['tea'] }],
  ['coffee not starbucks', 'coffee', { excluded: ['starbucks'] }],
  ['coffee except tea and cocoa', 'coffee', { excluded: ['tea', 'cocoa'] }],
  ['coffee excluding tea', 'coffee', { excluded: ['tea'] }],
  ['coffee -tea', 'coffee', { excluded: ['tea'] }],
  ['not for profit', 'not for profit', {}],
  ['no code platform', 'no code platform', {}],
  ['zero waste shop', 'zero waste shop', {}],
  ['sugar free snacks', 'sugar free snacks', {}],
  ['doctors without borders', 'doctors without borders', {}],
  ['e-commerce', 'e-commerce', {}],
  ['no hyphens', '', { noHyphens: true }],
  ['coffee no hyphens or numbers', 'coffee', { noHyphens: true, noDigits: true }],
  ['coffee without hyphens, numbers', 'coffee', { noHyphens: true, noDigits: true }],
  ['short catchy brand name', '', { wishes: ['short', 'brandable'] }],
  ['short catchy name for a coffee shop', 'coffee shop', { wishes: ['short', 'brandable'] }],
  ['premium one word .ai', '', { tlds: ['ai'], wishes: ['one_word', 'premium'] }],
  ['something catchy for a bakery', 'bakery', { wishes: ['brandable'] }],
  ['elegant name for a jewelry store', 'jewelry store', { wishes: ['premium'] }],
  ['elegant jewelry brand', 'elegant jewelry brand', {}],
  ['luxury hotels', 'luxury hotels', {}],
  ['cheap flights', 'cheap flights', {}],
  ['cheap domain for travel', 'travel', { wishes: ['cheap'] }],
  ['short coffee domain', 'coffee', { wishes: ['short'] }],
  ['short-term rentals', 'short-term rentals', {}],
  ['premium coffee', 'premium coffee', {}],
  ['premium .com', '', { tlds: ['com'], wishes: ['premium'] }],
  ['brandable fintech startup name', 'fintech startup', { wishes: ['brandable'] }],
  ['keyword rich domain for plumbers', 'plumbers', { wishes: ['descriptive'] }],
  ['i want a name for a coffee shop', 'coffee shop', {}],
  ['looking for domain for dog walkers please', 'dog walkers', {}],
  ['something', 'something', {}],
  ['the', 'the', {}],
  ['domain broker', 'domain broker', {}],
  ['name tags', 'name tags', {}],
  ['neonwallet.com', 'neonwallet.com', {}],
  ['neonwallet.com under 500', 'neonwallet.com', { maxPriceCents: 50000 }],
  ['https://www.neonwallet.com/offer?x=1', 'https://www.neonwallet.com/offer?x=1', {}],
  ['million dollar homes', 'million dollar homes', {}],
  ['$5 meals', '$5 meals', {}],
  ['under 30 minute meals', 'under 30 minute meals', {}],
  ['dating over 50', 'dating over 50', {}],
  ['under 18 football', 'under 18 football', {}],
  ['iphone 15 pro max', 'iphone 15 pro max', {}],
  ['short', '', { wishes: ['short'] }],
  ['luxury', 'luxury', { wishes: ['premium'] }],
  ['made-up name under 8 letters', '', { maxLength: 7, wishes: ['made_up'] }],
  [
    'i need a short memorable name for my online shoe store, under $1000, no hyphens, .com only',
    'online shoe store',
    {
      tlds: ['com'],
      maxPriceCents: 100000,
      currency: 'USD',
      noHyphens: true,
      wishes: ['short', 'brandable'],
    },
  ],
  ['coffee shop, not too expensive', 'coffee shop', { wishes: ['cheap'] }],
  ['coffee name that is short', 'coffee', { wishes: ['short'] }],
  ['names that are short and elegant', '', { wishes: ['short', 'premium'] }],
  [
    'cool modern sounding name for a gaming startup under 2000',
    'gaming startup',
    { maxPriceCents: 200000, wishes: ['brandable'] },
  ],
  [
    'bakery in berlin under 1000 euros',
    'bakery in berlin',
    { maxPriceCents: 100000, currency: 'EUR' },
  ],
  [
    'crypto wallet .io or .com under $5,000',
    'crypto wallet',
    { tlds: ['io', 'com'], maxPriceCents: 500000, currency: 'USD' },
  ],
  ['solar energy com/net/org', 'solar energy', { tlds: ['com', 'net', 'org'] }],
  ['tech name ≤ 6 letters', 'tech', { maxLength: 6 }],
  [
    'dentist from $100 to $900',
    'dentist',
    { minPriceCents: 10000, maxPriceCents: 90000, currency: 'USD' },
  ],
  ['dentist from 100 to 900', 'dentist', { minPriceCents: 10000, maxPriceCents: 90000 }],
  ['500 max pizza', 'pizza', { maxPriceCents: 50000 }],
  ['pizza 500 or less', 'pizza', { maxPriceCents: 50000 }],
  ['pizza 1000+', 'pizza', { minPriceCents: 100000 }],
  ['pizza 2k budget', 'pizza', { maxPriceCents: 200000 }],
  [
    'my budget is 1500 and i want a name for a pizza place',
    'pizza place',
    { maxPriceCents: 150000 },
  ],
  ['for sale by owner', 'for sale by owner', {}],
  ['safety net', 'safety net', {}],
  ['nonprofit org', 'nonprofit org', {}],
  ['org chart', 'org chart', {}],
  ['coffee io', 'coffee', { tlds: ['io'] }],
  ['io or ai names for chatbots', 'chatbots', { tlds: ['io', 'ai'] }],
  ['4 letter ai', '', { tlds: ['ai'], minLength: 4, maxLength: 4 }],
  ['a name for a book club with no numbers in it', 'book club', { noDigits: true }],
  ['less than five letters', '', { maxLength: 4 }],
  ['over 1 million dollars', '', { minPriceCents: 100000000, currency: 'USD' }],
  ['🦄', '🦄', {}],
  ['🦄 under 500', '🦄', { maxPriceCents: 50000 }],
  ['数字 under 500', '数字', { maxPriceCents: 50000 }],
  ['between 1000 and 2000', '', { minPriceCents: 100000, maxPriceCents: 200000 }],
  ['between 1800 and 2500', '', { minPriceCents: 180000, maxPriceCents: 250000 }],
  ['from 1920 to 1950 vintage', 'from 1920 to 1950 vintage', {}],
  ['startup name, short, punchy', '', { wishes: ['short', 'brandable'] }],
  ['coffee, short, punchy', 'coffee', { wishes: ['short', 'brandable'] }],
  ['forget me not flowers', 'forget me not flowers', {}],
  ['do not disturb', 'do not disturb', {}],
  ['ｕｎｄｅｒ ５００', '', { maxPriceCents: 50000 }],
  [
    'domain for a vegan bakery in portland, ideally .com, less than 1500 usd',
    'vegan bakery in portland',
    { tlds: ['com'], maxPriceCents: 150000, currency: 'USD' },
  ],
  [
    "I'm looking for a short, catchy domain for my dog grooming business",
    'dog grooming business',
    { wishes: ['short', 'brandable'] },
  ],
  [
    'need a name for a platform where students find tutors',
    'platform where students find tutors',
    {},
  ],
  [
    'an online marketplace for handmade furniture',
    'an online marketplace for handmade furniture',
    {},
  ],
  [
    'app that helps people track their water intake',
    'app that helps people track their water intake',
    {},
  ],
  ['premium domain for law firm', 'law firm', { wishes: ['premium'] }],
  ['luxury watch brand name', 'luxury watch brand', {}],
  ['short name for ai startup', 'ai startup', { wishes: ['short'] }],
  [
    'something short and brandable under 1k',
    '',
    { maxPriceCents: 100000, wishes: ['short', 'brandable'] },
  ],
  ['brandable name without hyphens', '', { noHyphens: true, wishes: ['brandable'] }],
  [
    '5 letter brandable .com under $2000',
    '',
    {
      tlds: ['com'],
      maxPriceCents: 200000,
      currency: 'USD',
      minLength: 5,
      maxLength: 5,
      wishes: ['brandable'],
    },
  ],
  ['max 8 characters .io', '', { tlds: ['io'], maxLength: 8 }],
  ['names under 6 characters', '', { maxLength: 5 }],
  ['up to 7 letters', '', { maxLength: 7 }],
  ['domains that start with "go"', '', { startsWith: 'go' }],
  ['domains starting with my', '', { startsWith: 'my' }],
  ['starts with a', '', { startsWith: 'a' }],
  ['starting with a and ending with z', '', { startsWith: 'a', endsWith: 'z' }],
  ['contains pay and under 1000', '', { maxPriceCents: 100000, contains: ['pay'] }],
  ['fintech but not crypto', 'fintech', { excluded: ['crypto'] }],
  ['pets but no dogs', 'pets', { excluded: ['dogs'] }],
  ['shoes not sneakers', 'shoes', { excluded: ['sneakers'] }],
  ['travel without flights', 'travel', { excluded: ['flights'] }],
  ['restaurant -pizza', 'restaurant', { excluded: ['pizza'] }],
  ['gaming not casino under 300', 'gaming', { maxPriceCents: 30000, excluded: ['casino'] }],
  ['health except yoga', 'health', { excluded: ['yoga'] }],
  ['cheap .com', '', { tlds: ['com'], wishes: ['cheap'] }],
  ['cheap domains', '', { wishes: ['cheap'] }],
  ['cheapest .io domains', '', { tlds: ['io'], wishes: ['cheap'] }],
  ['affordable name for a bakery', 'bakery', { wishes: ['cheap'] }],
  ['bakery budget 300', 'bakery', { maxPriceCents: 30000 }],
  ['bakery $300 max', 'bakery', { maxPriceCents: 30000, currency: 'USD' }],
  ['bakery max $300', 'bakery', { maxPriceCents: 30000, currency: 'USD' }],
  ['bakery $300-$600', 'bakery', { minPriceCents: 30000, maxPriceCents: 60000, currency: 'USD' }],
  [
    'bakery 300-600 dollars',
    'bakery',
    { minPriceCents: 30000, maxPriceCents: 60000, currency: 'USD' },
  ],
  ['bakery $1k - $3k', 'bakery', { minPriceCents: 100000, maxPriceCents: 300000, currency: 'USD' }],
  ['bakery 1-3k', 'bakery', { minPriceCents: 100000, maxPriceCents: 300000 }],
  ['bakery <$500', 'bakery', { maxPriceCents: 50000, currency: 'USD' }],
  ['bakery under five hundred dollars', 'bakery', { maxPriceCents: 50000, currency: 'USD' }],
  ['bakery for less than a thousand bucks', 'bakery', { maxPriceCents: 100000, currency: 'USD' }],
  ['bakery in the range of 500 to 900', 'bakery', { minPriceCents: 50000, maxPriceCents: 90000 }],
  ['bakery price under 500', 'bakery', { maxPriceCents: 50000 }],
  ['bakery priced under 500', 'bakery', { maxPriceCents: 50000 }],
  ['bakery at most 500', 'bakery', { maxPriceCents: 50000 }],
  ['bakery not more than 500', 'bakery', { maxPriceCents: 50000 }],
  ['bakery costing less than 500', 'bakery', { maxPriceCents: 50000 }],
  ['bakery 500 dollars or less', 'bakery', { maxPriceCents: 50000, currency: 'USD' }],
  [
    'bakery for around $1000',
    'bakery',
    { minPriceCents: 75000, maxPriceCents: 125000, currency: 'USD' },
  ],
  ['a domain around 5 letters', '', { minLength: 4, maxLength: 6 }],
  ['one-word .com', '', { tlds: ['com'], wishes: ['one_word'] }],
  ['one word names under 1000', '', { maxPriceCents: 100000, wishes: ['one_word'] }],
  ['two-word brandable names', '', { wishes: ['descriptive', 'brandable'] }],
  ['real word .com', '', { tlds: ['com'], wishes: ['descriptive'] }],
  ['dictionary word .io', '', { tlds: ['io'], wishes: ['descriptive'] }],
  ['made up word', '', { wishes: ['made_up'] }],
  ['easy to spell and pronounce', '', { wishes: ['brandable'] }],
  ['catchy', '', { wishes: ['brandable'] }],
  ['catchy fitness brand', 'fitness brand', { wishes: ['brandable'] }],
  ['unique name for clothing line', 'clothing line', { wishes: ['brandable'] }],
  ['modern furniture store', 'modern furniture store', {}],
  ['cool name for band', 'band', { wishes: ['brandable'] }],
  ['fun kids toys', 'fun kids toys', {}],
  ['professional photographer', 'professional photographer', {}],
  ['professional sounding name for consulting', 'consulting', { wishes: ['premium'] }],
  ['trustworthy name for insurance', 'insurance', { wishes: ['premium'] }],
  ['elegant', 'elegant', { wishes: ['premium'] }],
  ['elegant short .com', '', { tlds: ['com'], wishes: ['short', 'premium'] }],
  ['luxury brand', '', { wishes: ['premium'] }],
  ['luxury domain', '', { wishes: ['premium'] }],
  ['short domain', '', { wishes: ['short'] }],
  ['short .com', '', { tlds: ['com'], wishes: ['short'] }],
  ['short io', '', { tlds: ['io'], wishes: ['short'] }],
  ['very short name for a bank', 'bank', { wishes: ['short'] }],
  ['keyword domain for plumber in chicago', 'plumber in chicago', { wishes: ['descriptive'] }],
  ['seo friendly name for roofing', 'roofing', { wishes: ['descriptive'] }],
  ['exact match domain for car insurance', 'car insurance', { wishes: ['descriptive'] }],
  ['descriptive name for tax adviser', 'tax adviser', { wishes: ['descriptive'] }],
  ['net worth calculator', 'net worth calculator', {}],
  ['.com', '', { tlds: ['com'] }],
  ['.com domains', '', { tlds: ['com'] }],
  ['only .com', '', { tlds: ['com'] }],
  ['just .com please', '', { tlds: ['com'] }],
  ['io', '', { tlds: ['io'] }],
  ['co working space', 'co working space', {}],
  ['me time spa', 'me time spa', {}],
  ['it support', 'it support', {}],
  ['in home care', 'in home care', {}],
  ['.net developer jobs', 'developer jobs', { tlds: ['net'] }],
  ['app store optimization', 'app store optimization', {}],
  ['coffee.com', 'coffee.com', {}],
  ['coffee . com', 'coffee', { tlds: ['com'] }],
  ['.xyz or .app for crypto', 'crypto', { tlds: ['xyz', 'app'] }],
  ['gaming .gg', 'gaming', { tlds: ['gg'] }],
  ['.de', '', { tlds: ['de'] }],
  ['de domain für bäckerei', 'für bäckerei', { tlds: ['de'] }],
  ['uk only plumbing', 'plumbing', { tlds: ['uk'] }],
  ['us visa help', 'us visa help', {}],
  ['real estate agency in miami fl', 'real estate agency in miami fl', {}],
  ['vegan -meat -dairy', 'vegan', { excluded: ['meat', 'dairy'] }],
  ['buy gold online', 'buy gold online', {}],
  ['need for speed', 'need for speed', {}],
  ['name of the rose', 'rose', {}],
  ['hello kitty shop', 'hello kitty shop', {}],
  ['sell my car', 'sell my car', {}],
  ['the home depot', 'the home depot', {}],
  ['get fit now', 'get fit now', {}],
  ['how to lose weight', 'how to lose weight', {}],
  ['mothers day gifts under $50', 'mothers day gifts', { maxPriceCents: 5000, currency: 'USD' }],
  ['gifts under 50', 'gifts', { maxPriceCents: 5000 }],
  ['u.s. travel', 'u.s. travel', {}],
  ['node.js hosting', 'node.js hosting', {}],
  ['3d printing', '3d printing', {}],
  ['b2b saas', 'b2b saas', {}],
  ['4x4 parts', '4x4 parts', {}],
  ['7 eleven', '7 eleven', {}],
  ['one piece fan club', 'one piece fan club', {}],
  ['first aid training', 'first aid training', {}],
  ['100 days', '100 days', {}],
  ['500 startups', '500 startups', {}],
  ['studio 54', 'studio 54', {}],
  ['5k run', '5k run', {}],
  ['10k steps', '10k steps', {}],
  ['million dollar listing', 'million dollar listing', {}],
  ['1 million cups', '1 million cups', {}],
  [
    'no hyphens, no numbers, .com, under 10 letters',
    '',
    { tlds: ['com'], maxLength: 9, noHyphens: true, noDigits: true },
  ],
  ['no numbers or dashes please', '', { noHyphens: true, noDigits: true }],
  [
    'letters only .com under 6 characters',
    '',
    { tlds: ['com'], maxLength: 5, noHyphens: true, noDigits: true },
  ],
  ['no digits', '', { noDigits: true }],
  ['domain with no dash', '', { noHyphens: true }],
  ['without numbers', '', { noDigits: true }],
  ['not too long', '', { wishes: ['short'] }],
  ['not expensive coffee shop name', 'coffee shop', { wishes: ['cheap'] }],
  ['tech name not longer than 7 letters', 'tech', { maxLength: 7 }],
  ['length 5 .com', '', { tlds: ['com'], minLength: 5, maxLength: 5 }],
  ['max length 6', '', { maxLength: 6 }],
  ['min 5 max 8 letters', '', { minLength: 5, maxLength: 8 }],
  ['at least 4 letters', '', { minLength: 4 }],
  ['at least 4 letters and at most 6', '', { minLength: 4, maxLength: 6 }],
  ['a 5 or 6 letter name for a bank', 'bank', { minLength: 5, maxLength: 6 }],
  ['5 to 7 letters', '', { minLength: 5, maxLength: 7 }],
  ['word of 5 letters', '', { minLength: 5, maxLength: 5 }],
  ['five-letter word .com', '', { tlds: ['com'], minLength: 5, maxLength: 5 }],
  ['5 letter word game', '5 letter word game', {}],
  ['min 4 and max 6 letters tech', 'tech', { minLength: 4, maxLength: 6 }],
  ['at least 4 letters under 2000', '', { maxPriceCents: 200000, minLength: 4 }],
  ['at most 6 letters and under 500', '', { maxPriceCents: 50000, maxLength: 6 }],
  ['short and elegant', '', { wishes: ['premium', 'short'] }],
  ['easy to spell and pronounce bakery name', 'bakery', { wishes: ['brandable'] }],
];

describe('understanding a query', () => {
  it.each(PHRASES)('reads %j', (text, topic, limits) => {
    expect(understandQuery(text)).toEqual({ ...NO_LIMITS, topic, ...limits });
  });

  /** Words of the grammar among others, so that phrases meet in every order. */
  const anyQuery = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 200 }),
    fc.string({ unit: 'grapheme', maxLength: 100 }),
    fc
      .array(
        fc.oneof(
          fc.constantFrom(
            ...'under over max between and to or 500 1k $ € usd 6 letters four letter .com dot io ai only not no without but - coffee shop short premium brandable name for a with in it starting ending containing x hyphens , one word cheap domain budget of 青空 🦄'.split(
              ' ',
            ),
          ),
          fc.string({ maxLength: 6 }),
        ),
        { maxLength: 25 },
      )
      .map((words) => words.join(' ')),
  );

  it('reads any text, and its topic has only words of the text', () => {
    fc.assert(
      fc.property(anyQuery, (text) => {
        const { topic } = understandQuery(text);
        const known = wordsOf(text).join(' ');
        for (const word of wordsOf(topic)) expect(known).toContain(word);
      }),
      { numRuns: 2_000 },
    );
  });

  it('finds no limit in its own topic', () => {
    fc.assert(
      fc.property(anyQuery, (text) => {
        const { topic } = understandQuery(text);
        // A word that is a wish as well stays one.
        expect({ ...understandQuery(topic), wishes: [] }).toEqual({ ...NO_LIMITS, topic });
      }),
      { numRuns: 2_000 },
    );
  });

  it('reads every number as it was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: Math.floor(MAX_PRICE_CENTS / 100) }), (amount) => {
        const cents = amount * 100;
        for (const text of [
          `under ${amount}`,
          `coffee under $${amount}`,
          `coffee max ${amount} usd`,
          `up to ${amount.toLocaleString('en-US')}`,
        ]) {
          expect(understandQuery(text)).toMatchObject({
            minPriceCents: null,
            maxPriceCents: cents,
          });
        }
        expect(understandQuery(`coffee over $${amount}`).minPriceCents).toBe(cents);
      }),
    );
    for (let count = 1; count <= 63; count += 1) {
      expect(understandQuery(`max ${count} letters`).maxLength).toBe(count);
      expect(understandQuery(`at least ${count} letters`).minLength).toBe(count);
    }
  });

  it('leaves numbers without a word for money to the topic', () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.constantFrom('gym', 'hour cafe', 'days'), (amount, noun) => {
        const text = `${amount} ${noun}`;
        expect(understandQuery(text)).toEqual({ ...NO_LIMITS, topic: text });
      }),
    );
  });

  it('takes time by the length of the text', () => {
    for (const part of ['under ', 'not ', '-a ', 'a-', '.a', '9,', 'short and ', '$', 'or .com ']) {
      const started = performance.now();
      understandQuery(part.repeat(100_000));
      expect(performance.now() - started).toBeLessThan(1_000);
    }
  });
});
