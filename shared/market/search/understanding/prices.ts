import { minorDigits } from '../../../platform/currencies.ts';
import { MAX_PRICE_CENTS } from '../../../platform/money.ts';
import type { PhraseMeaning } from './interpretation.ts';
import { phraseLists, phrases, skip } from './phrase-table.ts';
import {
  ABOVE,
  AROUND,
  AT_LEAST,
  AT_MOST,
  BELOW,
  isBoundary,
  NUMBER_WORDS,
  OR_LESS,
  OR_MORE,
  OR_SO,
  TENS,
  TO,
} from './quantities.ts';
import type { QueryToken } from './query-tokens.ts';
import type { Claim, QueryContext } from './recognizer.ts';
import { NAME_NOUNS } from './wish-phrases.ts';

const CURRENCY_BEFORE = phraseLists([
  ['$, us $, usd, usd $', 'USD'],
  ['€, eur', 'EUR'],
  ['£, gbp', 'GBP'],
]);
const CURRENCY_AFTER = phraseLists([
  [
    '$, usd, us dollars, us dollar, dollars, dollar, bucks, buck, dólares, dolares, dollari, долларов, ドル, 米ドル, 美元, 美金',
    'USD',
  ],
  ['€, eur, euro, euros, евро, ユーロ, 欧元', 'EUR'],
  ['£, gbp, pound, pounds, quid', 'GBP'],
  ['jpy, yen, 円, 日元', 'JPY'],
  ['cny, rmb, yuan, 元, 人民币', 'CNY'],
]);
const FACTORS = phraseLists([
  ['hundred', 100],
  ['k, grand, thousand, 千', 1_000],
  ['万, 萬', 10_000],
  ['million, mil', 1_000_000],
]);

/** What may stand before a factor; of a vague number the most that people mean. */
const SHARES = phraseLists([
  ['half a, half, a half', 0.5],
  ['a couple, a couple of, couple, couple of', 2],
  ['a few, few', 5],
]);

/** `five figure`: the number of digits before the decimal point. */
const FIGURES = phrases('figure, figures, fig, figs');
const FEWEST_FIGURES = 3;
const MOST_FIGURES = 7;

/** Words that make a bare number a price. */
const PRICE_WORDS = phrases(
  `预算, 予算, 价格, 価格, budget, budget of, a budget of, budget is, budget around, budget maybe, budget :, price, price of, price is, price :, priced, priced at, priced from,
   priced between, price range, price range of, price between, prices, costs, costing, cost, cost of, spend, to spend, can spend, pay, to pay,
   can pay, for sale for, prices from`,
);
/** `max budget 500`, like `max 500`. */
const MOST_PRICE = phrases(
  `max price, max price of, maximum price, maximum price of, max budget, max budget of, maximum budget, maximum budget of, price limit,
   price limit of, price cap, price cap of, price ceiling, price ceiling of, budget ceiling, price max, budget max, budget limit, budget cap, max price :, max budget :`,
);
const LEAST_PRICE = phrases(
  `min price, min price of, minimum price, minimum price of, price min, min budget, minimum budget`,
);
const BETWEEN = phrases(
  'between, from, in the range of, range, range of, anywhere between, anywhere from',
);
const FOR = phrases('for, at, of, with');
const AND = phrases('and');
const ARTICLE = phrases('a, my, the');
/** Phrases that make the amount before them a budget. */
const BUDGET_AFTER = phrases('budget, price, price range, range, total, to spend, in total');

/** Smaller bare numbers count people, years or hours, and are not prices. */
const SMALLEST_BARE = 100;
/** How far a price may differ from "around" an amount. */
const AROUND_SHARE = 0.25;

/** Units other than money: "under 30 minute meals". */
const OTHER_UNITS = new Set(
  `minute minutes min mins hour hours hr hrs day days week weeks month months year years yr yrs old yo second seconds
   calorie calories kcal carb carbs gram grams g kg kilo kilos lb lbs ounce ounces oz ml liter liters litre litres mile miles
   km meter meters metre metres ft foot feet inch inches mph percent % people persons person players seats guests users
   employees members kids children items things steps rooms beds bedrooms acres points degrees hp cc words word
   letter letters character characters char chars syllable syllables digit digits am pm st nd rd th`.split(
    /\s+/,
  ),
);

interface Amount {
  end: number;
  value: number;
  currency: string | null;
  /** It has a currency or a factor, so it is almost certainly money. */
  marked: boolean;
  /** A word for a small number, which is an amount only next to another one: "one to two thousand". */
  isPlainWord?: boolean;
}

/** Recognizes amounts of money and their bounds: "under $2k", "between 500 and 1000", "budget of 800". */
export function recognizePrice({ tokens }: QueryContext, at: number): Claim | undefined {
  const told = PRICE_WORDS.at(tokens, at)?.end;
  const start = told ?? at;
  const isTold = told !== undefined;
  return (
    readFigures(tokens, start) ??
    readRange(tokens, start, isTold) ??
    readBound(tokens, start, isTold) ??
    readAmount(tokens, start, isTold)
  );
}

/** `five figure domains`, `4 figures`. */
function readFigures(tokens: readonly QueryToken[], at: number): Claim | undefined {
  const token = tokens[at];
  const word = NUMBER_WORDS.at(tokens, at)?.value;
  const count = word ?? (token?.kind === 'number' && !token.scaled ? token.value : 0);
  const figures = FIGURES.at(tokens, at + 1);
  if (!figures || count < FEWEST_FIGURES || count > MOST_FIGURES) return undefined;
  const end = skip(BUDGET_AFTER, tokens, figures.end);
  // "six figure salary" is a topic.
  if (!isBoundary(tokens, end) && !NAME_NOUNS.at(tokens, end) && tokens[end]?.kind === 'word') {
    return undefined;
  }
  return { end, meaning: priceMeaning(10 ** (count - 1), 10 ** count - 1, null) };
}

/** `between 1k and 3k`, `$500 to $900`, `1000-3000 usd`. */
function readRange(tokens: readonly QueryToken[], at: number, isTold: boolean): Claim | undefined {
  const between = BETWEEN.at(tokens, at)?.end;
  const low = amountAt(tokens, between ?? at) ?? plainAmount(tokens, between ?? at);
  if (!low) return undefined;
  const separator =
    TO.at(tokens, low.end)?.end ??
    (between === undefined ? undefined : AND.at(tokens, low.end)?.end) ??
    (tokens[low.end]?.hyphenated ? low.end : undefined);
  const high = separator === undefined ? undefined : amountAt(tokens, separator);
  if (!high) return undefined;
  // `1-3k` is one thousand to three.
  if (low.value < SMALLEST_BARE && high.value >= 1_000 && !tokens[low.end - 1]?.scaled) {
    const last = tokens[high.end - 1];
    const named = FACTORS.at(tokens, high.end - 1) ?? FACTORS.at(tokens, high.end - 2);
    const factor = last?.scaled ? 1_000 : (named?.value ?? 1);
    if (low.value * factor < high.value) low.value *= factor;
  }
  // "one to one lessons"
  if (low.isPlainWord && low.value < SMALLEST_BARE) return undefined;
  const isSure =
    isTold ||
    low.marked ||
    high.marked ||
    (isRound(low) && isRound(high) && isBoundary(tokens, high.end)) ||
    (between !== undefined && low.value >= SMALLEST_BARE && !areYears(tokens[at], low, high));
  if (!isSure || low.value > high.value || isOfOtherUnit(tokens, high)) return undefined;
  return {
    end: skip(BUDGET_AFTER, tokens, high.end),
    meaning: priceMeaning(low.value, high.value, low.currency ?? high.currency),
  };
}

/** "fitness 500-900" is a price range; "studio 512-514" is not. */
function isRound({ value }: Amount): boolean {
  return value >= SMALLEST_BARE && value % 50 === 0 && (value < 1_800 || value > 2_100);
}

/** "from 1920 to 1950" */
function areYears(word: QueryToken | undefined, low: Amount, high: Amount): boolean {
  return word?.word === 'from' && low.value >= 1_800 && high.value <= 2_100;
}

/** `under 500`, `at least $1k`, `around 800`, `500 or less`. */
function readBound(tokens: readonly QueryToken[], at: number, isTold: boolean): Claim | undefined {
  const most =
    MOST_PRICE.at(tokens, at)?.end ?? AT_MOST.at(tokens, at)?.end ?? BELOW.at(tokens, at)?.end;
  if (most !== undefined) {
    const start = skip(AT_MOST, tokens, most);
    const amount = amountAt(tokens, start) ?? amountAt(tokens, skip(ARTICLE, tokens, start));
    if (!amount || !isPrice(tokens, amount, isTold || isPlainBound(tokens, at))) return undefined;
    return {
      end: skip(BUDGET_AFTER, tokens, amount.end),
      meaning: priceMeaning(null, amount.value, amount.currency),
    };
  }
  const least =
    LEAST_PRICE.at(tokens, at)?.end ??
    AT_LEAST.at(tokens, at)?.end ??
    ABOVE.at(tokens, at)?.end ??
    (tokens[at]?.word === 'from' ? at + 1 : undefined);
  if (least !== undefined) {
    const amount = amountAt(tokens, least);
    const mayBeBare = tokens[at]?.word !== 'from' && (amount?.value ?? 0) >= SMALLEST_BARE;
    if (!amount || !isPrice(tokens, amount, isTold || mayBeBare)) return undefined;
    return { end: amount.end, meaning: priceMeaning(amount.value, null, amount.currency) };
  }
  const around = AROUND.at(tokens, at)?.end;
  if (around !== undefined) {
    const amount = amountAt(tokens, around);
    const mayBeBare = (amount?.value ?? 0) >= SMALLEST_BARE;
    return amount && isPrice(tokens, amount, isTold || mayBeBare) ? aroundPrice(amount) : undefined;
  }
  return undefined;
}

/** After a plain bound, small numbers are also prices, unless they could count what follows. */
function isPlainBound(tokens: readonly QueryToken[], at: number): boolean {
  return BELOW.at(tokens, at) !== undefined || AT_MOST.at(tokens, at) !== undefined;
}

/** `for 200 dollars`, `budget 800`, `500 max`, `$500`. */
function readAmount(tokens: readonly QueryToken[], at: number, isTold: boolean): Claim | undefined {
  const led = FOR.at(tokens, at)?.end;
  const start = led ?? at;
  const amount = amountAt(tokens, start) ?? amountAt(tokens, skip(ARTICLE, tokens, start));
  if (!amount) return undefined;
  const { end, value, currency } = amount;
  const mayBeBare = isTold || value >= SMALLEST_BARE;
  const less = OR_LESS.at(tokens, end)?.end ?? BUDGET_AFTER.at(tokens, end)?.end;
  if (less !== undefined) {
    if (!isPrice(tokens, amount, mayBeBare)) return undefined;
    const meaning = priceMeaning(null, value, currency);
    return { end: skip(OR_LESS, tokens, skip(BUDGET_AFTER, tokens, less)), meaning };
  }
  const more = OR_MORE.at(tokens, end)?.end;
  // A plus sign must follow its number without a space: "500+".
  if (more !== undefined && (tokens[end]?.text !== '+' || tokens[end]?.glued)) {
    if (!isPrice(tokens, amount, mayBeBare)) return undefined;
    return { end: more, meaning: priceMeaning(value, null, currency) };
  }
  const around = OR_SO.at(tokens, end)?.end;
  if (around !== undefined) {
    return isPrice(tokens, amount, mayBeBare) ? { ...aroundPrice(amount), end: around } : undefined;
  }
  const isMoney =
    isTold || (currency !== null && (led !== undefined || standsAlone(tokens, amount)));
  if (!isMoney || !isPrice(tokens, amount, isTold)) return undefined;
  return { end, meaning: priceMeaning(null, value, currency) };
}

/** Returns false if an amount may belong to a topic: `$5 meals`, `million dollar homes`. */
function standsAlone(tokens: readonly QueryToken[], { end, value }: Amount): boolean {
  if (isBoundary(tokens, end)) return true;
  const last = tokens[end - 1]?.word;
  return value >= SMALLEST_BARE && last !== 'dollar' && last !== 'euro' && last !== 'pound';
}

function aroundPrice({ end, value, currency }: Amount): Claim {
  return {
    end,
    meaning: priceMeaning(value * (1 - AROUND_SHARE), value * (1 + AROUND_SHARE), currency),
  };
}

function isPrice(tokens: readonly QueryToken[], amount: Amount, mayBeBare: boolean): boolean {
  if (isOfOtherUnit(tokens, amount)) return false;
  if (amount.marked) return true;
  if (!mayBeBare) return false;
  const next = tokens[amount.end];
  // "under 18 football"
  return (
    amount.value >= SMALLEST_BARE ||
    next === undefined ||
    next.kind !== 'word' ||
    isAfterPrice(next)
  );
}

function isAfterPrice({ word }: QueryToken): boolean {
  return ['budget', 'and', 'or', 'but', 'for', 'with', 'in', 'on', 'please', 'price'].includes(
    word,
  );
}

function isOfOtherUnit(tokens: readonly QueryToken[], { end }: Amount): boolean {
  const next = tokens[end];
  return next !== undefined && OTHER_UNITS.has(next.word);
}

/** `$2k`, `1,500 usd`, `3 grand`, `a thousand dollars`, `three fifty usd`. */
function amountAt(tokens: readonly QueryToken[], at: number): Amount | undefined {
  const before = CURRENCY_BEFORE.at(tokens, at);
  let end = before?.end ?? at;
  const number = tokens[end];
  let value: number;
  let marked = before !== undefined;
  if (number?.kind === 'number') {
    value = number.value;
    marked ||= number.scaled;
    end += 1;
    for (let factors = 0; factors < 2; factors += 1) {
      const factor = FACTORS.at(tokens, end);
      if (!factor) break;
      value *= factor.value;
      marked = true;
      end = factor.end;
    }
  } else {
    const written = writtenAmount(tokens, end);
    if (!written) return undefined;
    ({ end, value } = written);
    marked ||= written.marked;
    // Number words are an amount only with a factor or a currency, and not with pounds, which people also lose.
    const named = CURRENCY_AFTER.at(tokens, end);
    if (!marked && (!named || named.value === 'GBP')) return undefined;
  }
  const after = CURRENCY_AFTER.at(tokens, end);
  const takes = after && !(before && CURRENCY_BEFORE.at(tokens, end));
  return {
    end: takes ? after.end : end,
    value,
    currency: before?.value ?? (takes ? after.value : null),
    marked: marked || takes === true,
  };
}

/** `two`, of `two to three thousand`. */
function plainAmount(tokens: readonly QueryToken[], at: number): Amount | undefined {
  const word = NUMBER_WORDS.at(tokens, at);
  return word && { ...word, currency: null, marked: false, isPlainWord: true };
}

/** `ninety`, `seven hundred and fifty`, `twelve hundred`, `half a million`, `a few hundred`; marked by a factor. */
function writtenAmount(
  tokens: readonly QueryToken[],
  at: number,
): { end: number; value: number; marked: boolean } | undefined {
  const share = SHARES.at(tokens, at);
  const shared = share && FACTORS.at(tokens, share.end) ? share : undefined;
  const first = shared ?? NUMBER_WORDS.at(tokens, at) ?? TENS.at(tokens, at);
  const isOne = tokens[at]?.word === 'a' && FACTORS.at(tokens, at + 1) !== undefined;
  if (!first && !isOne) return undefined;
  let end = first?.end ?? at + 1;
  let value = first?.value ?? 1;
  let marked = false;
  for (let factor = FACTORS.at(tokens, end); factor; factor = FACTORS.at(tokens, end)) {
    value *= factor.value;
    marked = true;
    end = factor.end;
  }
  const rest = TENS.at(tokens, marked ? skip(AND, tokens, end) : end);
  if (rest && value < 1_000) {
    // "three fifty" is three hundred and fifty, "twenty five" is twenty-five.
    const unit = NUMBER_WORDS.at(tokens, rest.end);
    const small = rest.value + (unit && unit.value < 10 ? unit.value : 0);
    value = marked ? value + small : value * 100 + small;
    end = unit && unit.value < 10 ? unit.end : rest.end;
  } else if (!marked && value >= 20) {
    const unit = NUMBER_WORDS.at(tokens, end);
    if (unit && unit.value < 10) return { end: unit.end, value: value + unit.value, marked };
  }
  return { end, value, marked };
}

function priceMeaning(
  low: number | null,
  high: number | null,
  currency: string | null,
): PhraseMeaning {
  const unit = 10 ** minorDigits(currency ?? '');
  const toCents = (units: number) => Math.min(Math.round(units * unit), MAX_PRICE_CENTS);
  return {
    minPriceCents: low === null ? null : toCents(low),
    maxPriceCents: high === null ? null : toCents(high),
    currency,
  };
}
