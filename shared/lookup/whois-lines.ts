/** A field of a WHOIS answer; labels are in lower case and without punctuation at their end. */
export interface WhoisField {
  /** The heading above it, empty when there is none. */
  section: string;
  label: string;
  value: string;
}

const MOST_LINES = 5_000;
const COMMENT = /^\s*(?:%|#|;|>>>|--|\*)/;
const PAIR = /^(\s*)([^:\s[][^:[]{0,60}?)[.\s]*:(?!\/\/)\s*(.*)$/;
/** JPRS writes `[Domain Name]  EXAMPLE.JP` and `p. [Name Server]  ns1.example.jp`. */
const BRACKETED = /^(\s*)(?:[a-z]\.\s*)?\[([^\]]{1,60})\]\s*(.*)$/;

/**
 * The fields of an answer in any of the layouts that registries use: `Label: value`, dotted leaders, brackets,
 * and headings with values or further fields indented below them.
 */
export function whoisFields(text: string): WhoisField[] {
  const fields: WhoisField[] = [];
  let section = '';
  let sectionIndent = -1;
  for (const line of text.split(/\r\n|\n|\r/, MOST_LINES)) {
    if (line.trim() === '' || COMMENT.test(line)) continue;
    const expanded = line.replace(/\t/g, '        ').slice(0, 1_000);
    const indent = expanded.length - expanded.trimStart().length;
    if (indent <= sectionIndent) {
      section = '';
      sectionIndent = -1;
    }
    const [, , label, value = ''] = BRACKETED.exec(expanded) ?? PAIR.exec(expanded) ?? [];
    if (label === undefined || isHostLine(label)) {
      // Under a heading it is a value; elsewhere it is a heading itself, or prose that nobody asks for.
      if (sectionIndent >= 0) fields.push({ section: '', label: section, value: expanded.trim() });
      else [section, sectionIndent] = [cleanLabel(expanded), indent];
    } else if (value.trim() === '') {
      [section, sectionIndent] = [cleanLabel(label), indent];
    } else {
      fields.push({ section, label: cleanLabel(label), value: value.trim() });
    }
  }
  return fields;
}

/** `ns1.example.com 2001:db8::1` has a colon, but no label. */
const isHostLine = (label: string): boolean => /^\S+\.\S+\s+\S/.test(label.trim());

const cleanLabel = (label: string): string =>
  label
    .trim()
    .replace(/[.:\s]+$/, '')
    .replace(/\s+/g, ' ')
    .toLowerCase();
