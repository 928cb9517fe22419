import { addListings } from '../../shared/market/inventory/import-listings.ts';
import type { ListingInput } from '../../shared/market/inventory/listing.ts';
import type { RESERVED_LABELS } from '../../shared/market/inventory/sandbox-names.ts';
import type { Database } from '../../shared/messaging/unit-of-work/database.ts';
import { seedOnce } from '../../shared/operations/demo/seed-once.ts';
import type { Clock } from '../../shared/platform/clock.ts';
import type { Environment } from '../../shared/platform/config/config.ts';
import {
  ENDINGS,
  IDN_NAMES,
  MODIFIERS,
  SYLLABLES,
  TRADES,
  type Trade,
  WORLD_NAMES,
} from './business-vocabulary.ts';
import { createRandom, type Random } from './random.ts';

/** Generated names per environment, not counting the fixed ones. */
const GENERATED_PER_ENVIRONMENT = 5_200;

/** Label prefixes whose names have a fixed outcome in the sandbox, as the partner API documents them. */
const RESERVED_PREFIXES: Record<keyof typeof RESERVED_LABELS, string> = {
  'hold-': 'goes to manual review when it is ordered',
  'reprice-': 'rises by a tenth once a quote is out',
  'sold-': 'is sold to somebody else when it is ordered',
  'slow-transfer-': 'takes long to transfer',
  'fail-transfer-': 'fails to transfer',
  'screening-': 'is held as if its buyer were on a sanctions list',
  'registrant-': 'waits for its registrant',
  'premium-': 'costs a fee of its own each year',
};

const RESERVED_NAMES =
  `alpha bravo charlie delta echo foxtrot golf hotel india juliett kilo lima`.split(' ');

/** Names that examples and documentation rely on. */
const FIXED: Record<Environment, readonly ListingInput[]> = {
  SANDBOX: [
    named(
      'neonwallet.com',
      485_000,
      420_000,
      'Crypto',
      'a crypto wallet',
      'crypto wallet payments',
    ),
    named('brightharbor.com', 325_000, 280_000, 'Travel', 'a marina', 'harbor marina boats travel'),
    named('tidycart.io', 149_000, 120_000, 'Retail', 'a shopping cart', 'ecommerce cart checkout'),
  ],
  LIVE: [
    named('copperfinch.com', 412_000, 350_000, 'Jewelry', 'a jeweller', 'copper jewelry craft'),
    named('mintparcel.io', 189_000, 150_000, 'Logistics', 'a courier', 'parcel delivery shipping'),
    named(
      'harborlantern.com',
      276_000,
      230_000,
      'Hotels',
      'a seaside inn',
      'hotel harbor inn stay',
    ),
  ],
};

const TLDS: readonly (readonly [tld: string, share: number])[] = [
  ['com', 50],
  ['io', 9],
  ['net', 8],
  ['co', 7],
  ['ai', 5],
  ['app', 4],
  ['org', 4],
  ['shop', 3],
  ['dev', 3],
  ['co.uk', 2],
  ['de', 2],
  ['store', 1],
  ['xyz', 1],
  ['club', 1],
];

const SEED = 20_261_121;

/** Fills each environment once with a made-up inventory, which is always the same. */
export async function seedInventory(
  runtime: { db: Database; clock: Clock },
  environments: readonly Environment[] = ['SANDBOX', 'LIVE'],
): Promise<void> {
  for (const environment of environments) {
    await seedOnce(runtime, `inventory ${environment}`, () =>
      addListings(runtime, { environment, listings: makeInventory()[environment] }),
    );
  }
}

/** Makes the whole inventory; no domain is in both environments. */
export function makeInventory(): Record<Environment, ListingInput[]> {
  const random = createRandom(SEED);
  const taken = new Set([...FIXED.SANDBOX, ...FIXED.LIVE].map(({ domain }) => domain));
  const generated: ListingInput[] = [];
  while (generated.length < 2 * GENERATED_PER_ENVIRONMENT) {
    const listing = makeListing(random);
    if (taken.has(listing.domain)) continue;
    taken.add(listing.domain);
    generated.push(listing);
  }
  const idn = IDN_NAMES.map((domain) => describe(random, domain, random.pick(TRADES), 2));
  const half = Math.ceil(idn.length / 2);
  const world = makeWorldNames();
  return {
    SANDBOX: [
      ...generated.slice(0, GENERATED_PER_ENVIRONMENT),
      ...idn.slice(0, half),
      ...world.filter((_, at) => at % 2 === 1),
      ...reservedNames(random),
      ...FIXED.SANDBOX,
    ],
    LIVE: [
      ...generated.slice(GENERATED_PER_ENVIRONMENT),
      ...idn.slice(half),
      ...world.filter((_, at) => at % 2 === 0),
      ...FIXED.LIVE,
    ],
  };
}

/** Uses its own random numbers, so that new names here don't change the generated ones. */
function makeWorldNames(): ListingInput[] {
  const random = createRandom(SEED + 1);
  return WORLD_NAMES.flatMap(({ domain, category }) => {
    const trade = TRADES.find((each) => each.category === category);
    return trade ? [describe(random, domain, trade, 2)] : [];
  });
}

function makeListing(random: Random): ListingInput {
  const trade = random.pick(TRADES);
  const noun = random.pick(trade.nouns);
  const kind = random.next();
  let words: string[];
  if (kind < 0.5) words = [random.pick(MODIFIERS), noun];
  else if (kind < 0.75) words = [noun, random.pick(ENDINGS)];
  else if (kind < 0.85) words = [random.pick(trade.nouns), noun];
  else if (kind < 0.92) words = [random.pick(MODIFIERS), noun, random.pick(ENDINGS)];
  else words = [random.pick(SYLLABLES) + random.pick(SYLLABLES) + random.pick(SYLLABLES)];
  const distinct = [...new Set(words)];
  const label = distinct.join(random.chance(0.03) ? '-' : '');
  return describe(random, `${label}.${pickTld(random)}`, trade, distinct.length);
}

function pickTld(random: Random): string {
  const total = TLDS.reduce((sum, [, share]) => sum + share, 0);
  let left = random.next() * total;
  for (const [tld, share] of TLDS) {
    left -= share;
    if (left < 0) return tld;
  }
  return 'com';
}

function describe(random: Random, domain: string, trade: Trade, words: number): ListingInput {
  const priceCents = priceOf(random, domain, words);
  return {
    domain,
    priceCents,
    floorPriceCents: random.chance(0.8)
      ? roundTo(priceCents * random.between(0.7, 0.92), 500)
      : null,
    offersAccepted: random.chance(0.6),
    category: random.chance(0.9) ? trade.category : null,
    description: random.chance(0.6) ? `A good name for ${random.pick(trade.uses)}.` : null,
    keywords: random.chance(0.7)
      ? [
          ...new Set([
            random.pick(trade.keywords),
            random.pick(trade.keywords),
            trade.keywords[0] ?? '',
          ]),
        ]
      : [],
  };
}

/** Short names with few words, no hyphen and a good suffix cost more: from $90 to $90,000. */
function priceOf(random: Random, domain: string, words: number): number {
  const [label = '', tld = ''] = domain.split('.');
  const suffix = tld === 'com' ? 1 : ['io', 'ai', 'co', 'app'].includes(tld) ? 0.5 : 0.25;
  const short = Math.max(0.15, 1 - Math.max(0, label.length - 5) / 14);
  const plain = label.includes('-') ? 0.4 : 1;
  const few = [1, 1.4, 1, 0.5][words] ?? 0.5;
  const taste = Math.exp(random.between(-1.2, 1.4));
  return Math.min(
    9_000_000,
    Math.max(9_000, roundTo(600_000 * suffix * short * plain * few * taste, 500)),
  );
}

function roundTo(amount: number, step: number): number {
  return Math.max(step, Math.round(amount / step) * step);
}

function reservedNames(random: Random): ListingInput[] {
  return Object.entries(RESERVED_PREFIXES).flatMap(([prefix, outcome]) =>
    RESERVED_NAMES.map((name) => ({
      domain: `${prefix}${name}.com`,
      priceCents: roundTo(random.between(20_000, 400_000), 500),
      category: 'Sandbox',
      description: `Reserved for tests: this name ${outcome}.`,
      keywords: ['sandbox', 'test'],
    })),
  );
}

function named(
  domain: string,
  priceCents: number,
  floorPriceCents: number,
  category: string,
  use: string,
  keywords: string,
): ListingInput {
  return {
    domain,
    priceCents,
    floorPriceCents,
    offersAccepted: true,
    category,
    description: `A good name for ${use}.`,
    keywords: keywords.split(' '),
  };
}
