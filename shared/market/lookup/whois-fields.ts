import { isKnownLabel } from './whois-labels.ts';
import { MAX_WHOIS_LINES } from './whois-verdict.ts';

/** A field of a WHOIS answer. */
export interface WhoisField {
  /** The heading or object above the field; empty if there is none. */
  section: string;
  /** Lower case, with single spaces for `_` and `-`, without trailing punctuation, numbers and remarks. */
  label: string;
  value: string;
}

const MAX_LINE = 1_000;
/** A longer line without a label is prose, not a heading. */
const LONGEST_HEADING = 60;
const COMMENT = /^\s*(?:%|#|;|>>>|--|\*(?!\* ))/;
const TITLE = /^[%#]+ ?([A-Z][A-Za-z ]{2,40}):\s*$/;

/** JPRS writes `[Domain Name]  EXAMPLE.JP`, `p. [Name Server]  ns1.example.jp`, MYNIC `a [Domain Name]  …`. */
const BRACKETED = /^(\s*)(?:[a-z]\.?\s+)?\[([^\]]{1,60})\]\s*(.*)$/;
const COLON = /^(\s*)([^:\s[][^:[]{0,260}):(?!\/\/)\s*(.*)$/;
/** Dotted leaders: `Nom de domaine#. . . . . . . .shop.dz` */
const LEADERS = /^(\s*)([^\s.][^.]{0,60}?)#?(?:\s?\.){5,}\s*([^\s.].*)$/;
/** Sentences: `Record created on 2005-10-27`, `Registered on 30th April 2003`, `Domain shop.kg (ACTIVE)` */
const SENTENCE =
  /^(\s*)((?:record |domain )?(?:created|expires|registered|last updated) on|domain(?= [^\s:]+\.[^\s:]+(?: \(\w+\))?\s*$))\s+([^\s:].*)$/i;
/** `Domain name<tab>shop.ch`, `dns_name      ns1.host.example`; only known labels may lack a separator. */
const GAP = /^(\s*)([a-z][\w-]*(?: [\w-]+){0,3})(?:\t+| {3,})(\S.*)$/i;

/** Labels that start a separate object, in layouts where each object is a paragraph starting with its type. */
const OBJECTS =
  /^(?:contact|contact id|person|personname|role|nic hdl|nic hdl br|nsset|keyset|ns list|nserver|mntner)$/;
/** Labels found only in the object of a person or company. */
const DETAILS =
  /^(?:address|phone|e mail|email|street|city|country|country code|website|www|organization)$/;

/**
 * Parses the fields of an answer in any layout registries use: `Label: value`, dotted leaders, brackets, columns,
 * headings with values or fields below them, values that continue on the next line, and paragraphs that are objects.
 */
export function whoisFields(text: string): WhoisField[] {
  const reader = createReader();
  for (const paragraph of paragraphsOf(text)) reader.read(paragraph);
  return reader.fields;
}

interface Paragraph {
  /** The title from a comment above: `% Registrar:`. */
  title: string;
  /** Without comments. */
  lines: string[];
}

function paragraphsOf(text: string): Paragraph[] {
  let paragraph: Paragraph = { title: '', lines: [] };
  const paragraphs = [paragraph];
  for (const line of text.split(/\r\n|\n|\r/, MAX_WHOIS_LINES)) {
    if (line.trim() === '') {
      paragraph = { title: '', lines: [] };
      paragraphs.push(paragraph);
    } else if (!COMMENT.test(line)) {
      paragraph.lines.push(line.slice(0, MAX_LINE).trimEnd());
    } else if (paragraph.lines.length === 0) {
      const [, title = ''] = TITLE.exec(line) ?? [];
      if (title !== '') paragraph.title = cleanLabel(title);
    }
  }
  return paragraphs;
}

interface Heading {
  label: string;
  indent: number;
  /** Starts its paragraph, so fields at the same indent belong to it, too. */
  leads: boolean;
  /** Whether it has a value or a field already. */
  filled: boolean;
}

function createReader() {
  const fields: WhoisField[] = [];
  // A heading covers the lines indented below it, even across blank lines.
  let heading: Heading | undefined;

  const read = ({ title, lines }: Paragraph) => {
    const object = title || objectOf(lines);
    let last: { field: WhoisField; indent: number } | undefined;
    let headingHere = false;
    lines.forEach((raw, at) => {
      const line = raw.replace(/^\*\* |^domain:(?=[A-Z][A-Za-z-]*(?:;I)?:)/, '');
      const indent = indentOf(line);
      const pair = pairOf(line);
      if (!pair || pair.value === '') {
        const label = cleanLabel(pair?.label ?? line);
        if (!pair && last && indent > last.indent) {
          fields.push({ ...last.field, value: cleanValue(line) });
        } else if (
          !pair &&
          heading &&
          !isKnownLabel(label) &&
          takes(heading, indent, headingHere)
        ) {
          fields.push({ section: '', label: heading.label, value: cleanValue(line) });
          heading.filled = true;
          headingHere = true;
        } else {
          const isProse = !pair && (label.length > LONGEST_HEADING || /[.,;]\s*$/.test(line));
          heading = isProse ? undefined : { label, indent, leads: at === 0, filled: false };
          headingHere = true;
          last = undefined;
        }
        return;
      }
      const isBeside = headingHere && heading?.leads === true && indent === heading.indent;
      if (heading && indent <= heading.indent && !isBeside) heading = undefined;
      const field = {
        section: heading?.label ?? object,
        label: cleanLabel(pair.label),
        value: pair.value,
      };
      fields.push(field);
      last = { field, indent };
      if (heading) heading.filled = true;
    });
  };
  return { fields, read };
}

/** Returns whether a line without a label is a value of the heading above it. */
function takes({ label, indent, filled }: Heading, at: number, isSameParagraph: boolean): boolean {
  if (at > indent) return true;
  return at === indent && isKnownLabel(label) && (isSameParagraph || !filled);
}

/** Returns the type of object in a paragraph; empty if it describes the domain. */
function objectOf(lines: readonly string[]): string {
  const labels = lines.map((line) => cleanLabel(pairOf(line)?.label ?? ''));
  const [first = ''] = labels;
  if (OBJECTS.test(first)) return first;
  return first === 'registrar' && labels.some((label) => DETAILS.test(label)) ? first : '';
}

function pairOf(line: string): { label: string; value: string } | undefined {
  for (const shape of [BRACKETED, SENTENCE, COLON, LEADERS, GAP]) {
    const [, , spelled = '', value = ''] = shape.exec(line) ?? [];
    const label = spelled.replace(/[\s.]+$/, '');
    if (label === '' || isHostLine(label)) continue;
    if (shape === GAP && !isKnownLabel(cleanLabel(label))) continue;
    return { label, value: cleanValue(value) };
  }
  return undefined;
}

const indentOf = (line: string): number => line.replaceAll('\t', '        ').search(/\S/);

/** Removes leading hyphens and dots, which some registries use for lists. */
const cleanValue = (text: string): string =>
  text
    .trim()
    .replace(/^(?:- +|\.{2,})/, '')
    .trim();

/** Returns whether a label is a host line: `ns1.example.com 2001:db8::1` has a colon but no label. */
const isHostLine = (label: string): boolean => /^\S+\.\S+(?:\s+\S|$)/.test(label.trim());

/** `Data de registo / Creation Date (dd/mm/yyyy)` is `creation date`, `Name Server 1` is `name server`. */
function cleanLabel(label: string): string {
  return label
    .toLowerCase()
    .replace(/;i$/, '')
    .replace(/^.* \/ /, '')
    .replace(/\s*\([^)]*\)/g, '')
    .replace(/[\s_-]+/g, ' ')
    .replace(/[\s.:#]+$/, '')
    .replace(/ ?\d{1,2}$/, '')
    .trim();
}
