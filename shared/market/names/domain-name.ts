import { parse as parseHost } from 'tldts';
import { toASCII, toUnicode } from 'tr46';
import { invalid } from '../../platform/errors.ts';
import { hasEmoji, isJoined, withoutEmoji } from './emoji-label.ts';

/** A registrable domain in both spellings, and its parts as A-labels. */
export interface DomainName {
  ascii: string;
  unicode: string;
  /** The label before the public suffix. */
  sld: string;
  /** The public suffix: `com`, `co.uk`, `xn--p1ai`. */
  tld: string;
}

/** More characters than any domain has as U-labels; longer input is rejected unread. */
const MAX_INPUT = 512;
const MAX_ASCII = 253;
/** The maximum length of a label in characters (RFC 1035, section 2.3.4). */
export const MAX_LABEL_LENGTH = 63;

/** Reserved for tests and documentation (RFC 6761): not public suffixes, but allowed in sandbox inventory. */
const RESERVED_TLDS = new Set(['example', 'test']);

const STRICT = {
  checkBidi: true,
  checkHyphens: true,
  checkJoiners: true,
  useSTD3ASCIIRules: true,
  transitionalProcessing: false,
} as const;

/** The suffixes (A-labels) that allow emoji in labels, and the error for the others. */
interface EmojiRule {
  takes(tld: string): boolean;
  refusal: string;
}

const NOT_LDH = 'must contain only letters, digits and hyphens (IDNA 2008)';

const NO_EMOJI: EmojiRule = {
  takes: () => false,
  refusal: `${NOT_LDH}; emoji domains cannot be registered here, only bought where they are listed`,
};

/** ICANN requires IDNA 2008 of generic TLDs; country registries decide for themselves. */
const ANY_COUNTRY: EmojiRule = {
  takes: (tld) => /(?:^|\.)[a-z]{2}$/.test(tld),
  refusal: `${NOT_LDH}; emoji are possible only under some country codes: see "emoji" in GET /api/tlds`,
};

/**
 * Parses a registrable domain: trims it, drops one trailing dot, maps it by UTS 46 to lower case, and checks it against
 * IDNA 2008 and the ICANN section of the public suffix list.
 * @param path where the text came from, for the error: a JSON pointer or `?domain`
 * @throws validation_error saying what is wrong with it
 */
export function parseDomain(input: string, path = '/domain'): DomainName {
  return parseRegistrable(input, path, NO_EMOJI);
}

/**
 * Like {@link parseDomain}, for a domain that may be on the market, including emoji domains. Accepts emoji under any
 * country code: none is listed where registries reject them, and a listed one stays readable if its registry's policy
 * changes.
 * @throws validation_error saying what is wrong with it
 */
export function parseMarketDomain(input: string, path = '/domain'): DomainName {
  return parseRegistrable(input, path, ANY_COUNTRY);
}

/**
 * Returns a search as typed. An emoji domain in another spelling (A-labels, `https://`, with variation selectors)
 * becomes its Unicode spelling, whose emoji search can read.
 */
export function searchTextOf(typed: string): string {
  if (!/xn--|[^ -~]/i.test(typed)) return typed;
  const host = typed.replace(/^[a-z]+:\/\//i, '').replace(/[/?#].*$/s, '');
  try {
    const { unicode } = parseMarketDomain(host);
    return hasEmoji(unicode) ? unicode : typed;
  } catch {
    return typed;
  }
}

/**
 * Parses the name of a domain to list like {@link parseDomain}, but allows emoji domains.
 * @param emojiTlds the suffixes (A-labels) whose registries accept emoji
 * @throws validation_error saying what is wrong with it
 */
export function parseDomainToList(
  input: string,
  path: string,
  emojiTlds: ReadonlySet<string>,
): DomainName {
  return parseRegistrable(input, path, emojiRuleOf(emojiTlds));
}

function emojiRuleOf(emojiTlds: ReadonlySet<string>): EmojiRule {
  const suffixes = [...emojiTlds].sort().map((tld) => `.${tld}`);
  const known = new Intl.ListFormat('en').format(suffixes);
  return {
    takes: (tld) => emojiTlds.has(tld),
    refusal: `${NOT_LDH}; emoji are possible only under ${known || 'suffixes whose registry takes them'}`,
  };
}

function parseRegistrable(input: string, path: string, emoji: EmojiRule): DomainName {
  const refuse = refusalAt(path);
  const { ascii, registrable } = parseName(input, refuse, emoji);
  if (registrable.ascii !== ascii) {
    throw refuse(
      `must be a registrable domain, not a subdomain: did you mean ${registrable.ascii}?`,
    );
  }
  return registrable;
}

/**
 * Returns the registrable domain of a name, including emoji domains: `example.com` for `www.example.com`.
 * @param emojiTlds the suffixes (A-labels) whose registries accept emoji
 * @throws validation_error saying what is wrong with it
 */
export function parseDomainOf(
  input: string,
  path: string,
  emojiTlds: ReadonlySet<string>,
): DomainName {
  return parseName(input, refusalAt(path), emojiRuleOf(emojiTlds)).registrable;
}

/**
 * Returns the Unicode spelling of a stored domain (A-labels). Never fails: a name accepted under earlier rules stays
 * readable, and a name without a Unicode spelling is returned unchanged.
 */
export function unicodeOf(domain: string): string {
  const { domain: unicode, error } = toUnicode(domain);
  return error ? domain : unicode;
}

type Refuse = (message: string) => Error;

const refusalAt =
  (path: string): Refuse =>
  (message) =>
    invalid([{ path, message }]);

function parseName(
  input: string,
  refuse: Refuse,
  emoji: EmojiRule,
): { ascii: string; registrable: DomainName } {
  const trimmed = input.trim().replace(/[.\u3002\uff0e\uff61]$/u, '');
  if (trimmed === '') throw refuse('must be a domain name, such as example.com');
  if (trimmed.length > MAX_INPUT)
    throw refuse(`must be at most ${MAX_ASCII} characters as A-labels`);
  const fault = shapeFault(trimmed);
  if (fault) throw refuse(fault);

  const plain = isPlainAscii(trimmed);
  const ascii = plain ? trimmed.toLowerCase() : toASCII(trimmed, STRICT);
  if (ascii === null) throw refuse(isJoined(trimmed) ? JOINED_EMOJI : INVALID_LABELS);
  const labels = ascii.split('.');
  if (labels.includes('')) throw refuse('must not contain an empty label');
  if (labels.some((label) => label.length > MAX_LABEL_LENGTH)) {
    throw refuse(`must have labels of at most ${MAX_LABEL_LENGTH} characters as A-labels`);
  }
  if (ascii.length > MAX_ASCII) throw refuse(`must be at most ${MAX_ASCII} characters as A-labels`);

  const parts = registrableParts(ascii, refuse);
  if (plain) return { ascii, registrable: { ...parts, unicode: parts.ascii } };
  const { domain: unicode } = toUnicode(ascii, STRICT);
  if (hasEmoji(unicode) && !emoji.takes(parts.tld)) throw refuse(emoji.refusal);
  const unicodeFault = idnaViolation(withoutEmoji(unicode));
  if (unicodeFault) throw refuse(unicodeFault);
  const { length } = parts.ascii.split('.');
  const ofRegistrable = unicode.split('.').slice(-length).join('.');
  return { ascii, registrable: { ...parts, unicode: ofRegistrable } };
}

const INVALID_LABELS = 'must be a domain name whose labels are valid under IDNA 2008';
const JOINED_EMOJI =
  'must not have emoji that combine several, such as \u{1f468}\u200d\u{1f4bb}: browsers do not open them';

const LDH_LABELS = /^(?:[a-z0-9](?:[a-z0-9-]*[a-z0-9])?\.)+[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i;
const RESERVED_HYPHENS = /(?:^|\.)..--/;

/** Returns whether a text is letters, digits and hyphens without A-labels: UTS 46 would change only its case. */
function isPlainAscii(text: string): boolean {
  return LDH_LABELS.test(text) && !RESERVED_HYPHENS.test(text);
}

/** Describes the most common mistakes, for which the general rules have less helpful messages. */
function shapeFault(text: string): string | undefined {
  if (/[\p{Cc}\p{Cs}]/u.test(text)) return 'must not contain control characters';
  if (/\p{White_Space}/u.test(text)) return 'must not contain spaces';
  if (/^(?:mailto:)?[^/\\:?#@]+@[^/\\:?#@]+$/iu.test(text)) {
    return 'must be a domain name, not an email address';
  }
  if (/[/\\:?#@\uff0f\uff1a]/u.test(text)) {
    return 'must be a domain name alone, without scheme, port, path or user';
  }
  if (text.includes('*')) return 'must not be a wildcard';
  const [sign] = /[!-,;-@[-`{-~]/.exec(text) ?? [];
  if (sign) return `must contain only letters, digits and hyphens, not ${sign}`;
  if (text.split('.').some(isHyphenEnded)) return 'must not have a hyphen at either end of a label';
  return undefined;
}

/** A-labels are left to the rules of IDNA. */
function isHyphenEnded(label: string): boolean {
  return /^-|-$/.test(label) && !/^xn--/i.test(label);
}

function registrableParts(
  ascii: string,
  refuse: Refuse,
): Pick<DomainName, 'ascii' | 'sld' | 'tld'> {
  const host = parseHost(ascii, { allowPrivateDomains: false, extractHostname: false });
  if (host.isIp) throw refuse('must be a domain name, not an IP address');
  const tld = host.publicSuffix;
  if (tld === null || !(host.isIcann || RESERVED_TLDS.has(tld))) {
    throw refuse('must end in a public suffix, such as .com or .co.uk');
  }
  if (host.domain === null) {
    throw refuse(`must have a name before the public suffix .${tld}`);
  }
  return { ascii: host.domain, sld: host.domain.slice(0, -tld.length - 1), tld };
}

/** Parses a suffix filter (`.COM`, `co.uk` or `рф`) as A-labels; undefined if it can't be a suffix. */
export function parseTld(input: string): string | undefined {
  const text = input.trim().replace(/^\./, '');
  if (text === '' || text.length > MAX_ASCII || shapeFault(text)) return undefined;
  return toASCII(text, { ...STRICT, verifyDNSLength: true }) ?? undefined;
}

/** Returns whether names are registered under this suffix (A-labels): `com`, `co.uk`, not `github.io`. */
export function isPublicSuffix(tld: string): boolean {
  const host = parseHost(tld, { allowPrivateDomains: false, extractHostname: false });
  return host.publicSuffix === tld && (host.isIcann === true || RESERVED_TLDS.has(tld));
}

/**
 * RFC 5892, section 2.1 (LetterDigits) with the hyphen, and the exceptions that section 2.6 allows, such as the
 * ideographic zero. Upper case has been mapped to lower case already.
 */
const ALLOWED = /[\p{Ll}\p{Lu}\p{Lo}\p{Nd}\p{Lm}\p{Mn}\p{Mc}\u06fd\u06fe\u0f0b\u3007-]/u;

/** Letters that are still disallowed: those of section 2.6, such as the tatweel, and old Hangul (section 2.9). */
const REFUSED =
  /[\u0640\u07fa\u302e\u302f\u3031-\u3035\u303b\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;

/** RFC 5892, appendix A: characters that are valid only in certain contexts. */
const CONTEXTUAL: Record<string, (before: string, after: string, label: string) => boolean> = {
  '\u00b7': (before, after) => before === 'l' && after === 'l',
  '\u0375': (_before, after) => /\p{Script=Greek}/u.test(after),
  '\u05f3': (before) => /\p{Script=Hebrew}/u.test(before),
  '\u05f4': (before) => /\p{Script=Hebrew}/u.test(before),
  '\u30fb': (_before, _after, label) =>
    /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(label),
  // The joiners' own rules were checked by UTS 46 processing (CheckJoiners).
  '\u200c': () => true,
  '\u200d': () => true,
};

const ARABIC_INDIC = /[\u0660-\u0669]/u;
const EXTENDED_ARABIC_INDIC = /[\u06f0-\u06f9]/u;

/** Scripts with look-alike letters; registries reject labels that mix them. */
const LOOKALIKE_SCRIPTS = [
  /\p{Script=Latin}/u,
  /\p{Script=Cyrillic}/u,
  /\p{Script=Greek}/u,
  /\p{Script=Armenian}/u,
  /\p{Script=Cherokee}/u,
];

/**
 * Returns why IDNA 2008 (RFC 5892) or registry practice rejects a name beyond UTS 46: symbols, characters out of
 * context, mixed look-alike scripts. Takes U-labels; undefined if valid.
 */
function idnaViolation(unicode: string): string | undefined {
  for (const label of unicode.split('.')) {
    const chars = Array.from(label);
    for (const [at, char] of chars.entries()) {
      const rule = CONTEXTUAL[char];
      const good = rule
        ? rule(chars[at - 1] ?? '', chars[at + 1] ?? '', label)
        : ALLOWED.test(char) && !REFUSED.test(char);
      if (!good) return NOT_LDH;
    }
    if (ARABIC_INDIC.test(label) && EXTENDED_ARABIC_INDIC.test(label)) {
      return 'must not mix Arabic-Indic and extended Arabic-Indic digits in a label';
    }
    if (LOOKALIKE_SCRIPTS.filter((script) => script.test(label)).length > 1) {
      return 'must not mix look-alike scripts, such as Latin and Cyrillic, in a label';
    }
  }
  return undefined;
}
