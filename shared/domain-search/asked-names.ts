import {
  type DomainName,
  isPublicSuffix,
  parseDomain,
  parseDomainOf,
  parseTld,
} from '../inventory/domain-name.ts';
import { invalid, ServiceError } from '../platform/errors.ts';

/** The names that a search is about, the asked-for first, each once. */
export interface SearchInputNames {
  /** The label that they share, as A-label. */
  label: string;
  names: readonly DomainName[];
}

/** What people paste into a search box around a host name: scheme, port, path. */
const SCHEME = /^[a-z][a-z0-9+.-]*:\/\//i;
const AFTER_HOST = /(?::\d+)?(?:[/?#].*)?$/su;
const DOT = /[.\u3002\uff0e\uff61]/u;
const FINAL_DOT = /[.\u3002\uff0e\uff61]$/u;

/**
 * Reads what somebody typed into a search box. A domain, in any spelling, asks for itself or for the
 * registrable domain that it belongs to; a label asks for itself under the first suffix. Blanks are left out:
 * `neon wallet` is `neonwallet`. Then come the siblings: the same label under the other suffixes, where it
 * can be registered.
 * @param suffixes A-labels
 * @throws validation_error (`/q`) saying what is wrong
 */
export function parseSearchInput(q: string, suffixes: readonly string[]): SearchInputNames {
  const text = hostOf(q.trim()).replace(/\s+/gu, '').replace(FINAL_DOT, '');
  if (text === '') {
    throw invalid([
      { path: '/q', message: 'must be a name, such as neonwallet or neonwallet.com' },
    ]);
  }
  const [first = 'com'] = suffixes;
  const asked = DOT.test(text) ? parseDomainOf(text, '/q') : parseDomain(`${text}.${first}`, '/q');
  const names = new Map([[asked.ascii, asked]]);
  for (const suffix of suffixes) {
    const sibling = nameOrNone(`${asked.sld}.${suffix}`);
    if (sibling && !names.has(sibling.ascii)) names.set(sibling.ascii, sibling);
  }
  return { label: asked.sld, names: [...names.values()] };
}

/** The host of a pasted address; text that is none, such as `24/7 plumbing`, stays whole. */
function hostOf(text: string): string {
  const bare = text.replace(SCHEME, '');
  const host = bare.replace(AFTER_HOST, '');
  return bare !== text || DOT.test(host) ? host : bare;
}

/** `co` is no name under `uk`, and a label of digits none under a suffix that is written from right to left. */
function nameOrNone(text: string): DomainName | undefined {
  try {
    return parseDomain(text);
  } catch (error) {
    if (error instanceof ServiceError) return undefined;
    throw error;
  }
}

/** The suffixes that a caller named, as A-labels. @throws validation_error (`/tlds/<n>`) */
export function readSuffixes(texts: readonly string[]): string[] {
  const read = texts.map((text) => parseTld(text));
  const faults = read.flatMap((tld, at) =>
    tld !== undefined && isPublicSuffix(tld)
      ? []
      : [{ path: `/tlds/${at}`, message: 'must be a public suffix, such as com or co.uk' }],
  );
  if (faults.length > 0) throw invalid(faults);
  return read.filter((tld) => tld !== undefined);
}
