import { fieldsOf, listOf } from './contact-card.ts';
import type { PublishedRegistrant } from './lookup.ts';

/** What a server says it holds back of the registrant (RFC 9537). */
export interface Redactions {
  /** Whether anything of the registrant is held back, so that nobody else will tell it either. */
  ofRegistrant: boolean;
  /** Fields whose value, if there is one, is not the registrant's own. */
  registrantFields: ReadonlySet<keyof PublishedRegistrant>;
}

const REGISTRANT = /registrant|\broles\b.*registrant/i;

/** How the registered names of redactions (RFC 9537, 6.2) and the paths into a jCard tell the fields. */
const FIELDS: readonly (readonly [keyof PublishedRegistrant, name: RegExp, path: RegExp])[] = [
  ['name', /^registrant name$/i, /['"]fn['"]/],
  ['organization', /^registrant organi[sz]ation$/i, /['"]org['"]/],
  ['country', /^registrant country$/i, /['"]adr['"].*\[3\]\[6\]|['"]adr['"].*\bcc\b/i],
];

/** Reads the `redacted` member of an answer; malformed entries count for nothing. */
export function readRedactions(redacted: unknown): Redactions {
  const registrantFields = new Set<keyof PublishedRegistrant>();
  let ofRegistrant = false;
  for (const each of listOf(redacted).slice(0, 200)) {
    const { name, prePath, postPath, replacementPath } = fieldsOf(each);
    const { type, description } = fieldsOf(name);
    const title = textOf(type) || textOf(description);
    const path = textOf(prePath) || textOf(postPath) || textOf(replacementPath);
    if (!REGISTRANT.test(title) && !REGISTRANT.test(path)) continue;
    ofRegistrant = true;
    for (const [field, byName, byPath] of FIELDS) {
      if (byName.test(title.trim()) || byPath.test(path)) registrantFields.add(field);
    }
  }
  return { ofRegistrant, registrantFields };
}

const textOf = (value: unknown): string => (typeof value === 'string' ? value.slice(0, 1_000) : '');
