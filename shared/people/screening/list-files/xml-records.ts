import { SaxesParser } from 'saxes';
import { invalid } from '../../../platform/errors.ts';

/** An element of a record with its contents. The name has no namespace prefix. */
export interface XmlElement {
  name: string;
  attributes: Readonly<Record<string, string>>;
  children: XmlElement[];
  text: string;
}

/** A record of a file, with the name of the file's root element. */
export type XmlRecord = { root: string; element: XmlElement };

/** The maximum number of characters in a record. The longest real records have about ten thousand. */
const MAX_RECORD = 2_000_000;
const MAX_DEPTH = 32;

/**
 * Reads the elements with these names, at any depth, one by one, so that a file is never completely in memory.
 * @throws validation_error for a file that is not well-formed UTF-8 XML to its end, or declares a document type
 */
export async function* readXmlRecords(
  source: AsyncIterable<Uint8Array>,
  names: ReadonlySet<string>,
): AsyncGenerator<XmlRecord> {
  const parser = new SaxesParser();
  const found: XmlRecord[] = [];
  const open: XmlElement[] = [];
  let root: string | undefined;
  let depth = 0;
  let size = 0;
  const broken = (why: string) => notXml(`is broken at line ${parser.line}: ${why}`);
  const count = (characters: number) => {
    size += characters;
    if (size > MAX_RECORD || depth > MAX_DEPTH) throw broken('an entry is too long or too deep');
  };
  parser.on('error', (error) => {
    throw broken(error.message.replace(/^\d+:\d+: /, ''));
  });
  parser.on('doctype', () => {
    throw broken('a document type is not accepted');
  });
  parser.on('opentag', ({ name, attributes }) => {
    const element = { name: localName(name), attributes, children: [], text: '' };
    root ??= element.name;
    depth += 1;
    const parent = open.at(-1);
    if (parent) parent.children.push(element);
    if (!parent && !names.has(element.name)) return;
    if (!parent) size = 0;
    count(JSON.stringify(attributes).length + name.length);
    open.push(element);
  });
  const addText = (text: string) => {
    const element = open.at(-1);
    if (!element) return;
    count(text.length);
    element.text += text;
  };
  parser.on('text', addText);
  parser.on('cdata', addText);
  parser.on('closetag', () => {
    depth -= 1;
    const element = open.pop();
    if (element && open.length === 0) found.push({ root: root ?? '', element });
  });

  const decoder = new TextDecoder('utf-8', { fatal: true });
  const decode = (bytes?: Uint8Array) => {
    try {
      return decoder.decode(bytes, { stream: bytes !== undefined });
    } catch {
      throw broken('it is not UTF-8');
    }
  };
  for await (const chunk of source) {
    parser.write(decode(chunk));
    yield* found.splice(0);
  }
  parser.write(decode());
  parser.close();
  yield* found.splice(0);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

export function notXml(message: string) {
  return invalid([{ path: '/file', message }]);
}

/** Returns the texts of all children with this name. */
export function textsOf({ children }: XmlElement, name: string): string[] {
  return children.filter((child) => child.name === name).map(({ text }) => text.trim());
}

/** Returns the text of a child; empty if there is none. */
export function textOf(element: XmlElement, name: string): string {
  return textsOf(element, name)[0] ?? '';
}

/** Returns the `item` children of all `list` children. */
export function itemsOf({ children }: XmlElement, list: string, item: string): XmlElement[] {
  return children
    .filter(({ name }) => name === list)
    .flatMap((each) => each.children.filter(({ name }) => name === item));
}
