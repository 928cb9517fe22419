import { DOMImplementation, DOMParser, type Element, XMLSerializer } from '@xmldom/xmldom';
import { EPP, PREFIXES } from './epp-namespaces.ts';

/** An element that was read or is to be written. One with children has no text. */
export interface XmlElement {
  /** The namespace URI; empty if there is none. */
  readonly namespace: string;
  /** Without prefix. */
  readonly name: string;
  /** Only attributes without a namespace. */
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  readonly text: string;
}

/** The bytes are not a document that EPP allows. */
export class EppXmlError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'EppXmlError';
  }
}

/** EPP's own documents have eight levels. */
const MAX_DEPTH = 32;
const ELEMENT_NODE = 1;
const TEXT_NODE = 3;
const CDATA_NODE = 4;

/**
 * Reads a UTF-8 document. Rejects a document type before parsing anything, so that no entity is ever
 * declared or expanded (RFC 5730 does not use any).
 * @throws EppXmlError
 */
export function readXml(bytes: Uint8Array): XmlElement {
  return parsed(decoded(bytes), {});
}

/**
 * Reads a response like {@link readXml}, but accepts undeclared prefixes, which some registries write. These
 * get their namespaces from the RFCs; unknown ones get a placeholder.
 * @throws EppXmlError
 */
export function readAnswerXml(bytes: Uint8Array): XmlElement {
  const source = decoded(bytes);
  return parsed(source, prefixesIn(source));
}

/** A prefix before a colon, where the name of an element or attribute may begin. */
const PREFIX = /[<\s/]([A-Za-z_][\w.-]*):(?=[A-Za-z_])/g;
const USUAL_NAMESPACES = new Map([
  ...Object.entries(PREFIXES).map(([namespace, prefix]) => [prefix, namespace] as const),
  ['epp', EPP],
]);

/** Returns a default namespace for each prefix of a document, for undeclared ones. */
function prefixesIn(source: string): Record<string, string> {
  const prefixes = new Set(Array.from(source.matchAll(PREFIX), ([, prefix = '']) => prefix));
  prefixes.delete('xml');
  prefixes.delete('xmlns');
  return Object.fromEntries(
    [...prefixes].map((prefix) => [prefix, USUAL_NAMESPACES.get(prefix) ?? `undeclared:${prefix}`]),
  );
}

function parsed(source: string, xmlns: Record<string, string>): XmlElement {
  if (/<!DOCTYPE/i.test(source)) throw new EppXmlError('a document type is not accepted');
  // XML 1.0 forbids NUL (section 2.2) and Postgres rejects it, but the parser accepts it.
  if (source.includes('\0')) throw new EppXmlError('there is a NUL in the document');
  let root: Element | null;
  try {
    const options = { onError: refuse, xmlns, normalizeLineEndings };
    root = new DOMParser(options).parseFromString(source, 'text/xml').documentElement;
  } catch (error) {
    throw error instanceof EppXmlError ? error : new EppXmlError('the document is not well-formed');
  }
  if (!root) throw new EppXmlError('the document is empty');
  return fromDom(root, 1);
}

/** Normalizes line endings as XML 1.0 does (section 2.11). The parser's default follows XML 1.1. */
function normalizeLineEndings(source: string): string {
  return source.replace(/\r\n?/g, '\n');
}

/** Turns parser warnings into errors, except for U+FFFD: bytes that are not UTF-8 were rejected before. */
function refuse(level: string, message: string): void {
  if (level === 'warning' && message.includes('replacement character')) return;
  throw new EppXmlError('the document is not well-formed');
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new EppXmlError('the document is not UTF-8');
  }
}

function fromDom(element: Element, depth: number): XmlElement {
  if (depth > MAX_DEPTH) throw new EppXmlError(`the document has more than ${MAX_DEPTH} levels`);
  const children: XmlElement[] = [];
  let text = '';
  for (let node = element.firstChild; node; node = node.nextSibling) {
    if (node.nodeType === ELEMENT_NODE) children.push(fromDom(node as Element, depth + 1));
    else if (node.nodeType === TEXT_NODE || node.nodeType === CDATA_NODE) {
      text += node.nodeValue ?? '';
    }
  }
  const attributes: Record<string, string> = {};
  for (let at = 0; at < element.attributes.length; at += 1) {
    const attribute = element.attributes.item(at);
    if (attribute && attribute.namespaceURI === null) {
      attributes[attribute.name] = carried(attribute.value);
    }
  }
  return {
    namespace: element.namespaceURI ?? '',
    name: element.localName ?? element.nodeName,
    attributes,
    children,
    text: children.length > 0 ? '' : carried(text.trim()),
  };
}

/** The content of an element: its text, or its children; undefined children are omitted. */
export type XmlContent = string | readonly (XmlElement | undefined)[];

/** Builds an element of `namespace`. */
export function xml(
  namespace: string,
  name: string,
  content: XmlContent = [],
  attributes: Readonly<Record<string, string>> = {},
): XmlElement {
  const isText = typeof content === 'string';
  return {
    namespace,
    name,
    attributes,
    children: isText ? [] : content.filter((child) => child !== undefined),
    text: isText ? content : '',
  };
}

/** Characters that XML 1.0 cannot represent, not even escaped. */
const UNFIT = /[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u;

/** Writes the document of a root element. @throws EppXmlError for a character that XML cannot represent */
export function writeXml(root: XmlElement): string {
  const document = new DOMImplementation().createDocument(root.namespace, root.name, null);
  const build = (of: XmlElement, into: Element): Element => {
    for (const [name, value] of Object.entries(of.attributes)) {
      into.setAttribute(name, carried(value));
    }
    if (of.text !== '') into.appendChild(document.createTextNode(carried(of.text)));
    for (const child of of.children) {
      const prefix = PREFIXES[child.namespace];
      const name = prefix === undefined ? child.name : `${prefix}:${child.name}`;
      into.appendChild(build(child, document.createElementNS(child.namespace, name)));
    }
    return into;
  };
  if (document.documentElement) build(root, document.documentElement);
  const body = new XMLSerializer().serializeToString(document);
  return `<?xml version="1.0" encoding="UTF-8" standalone="no"?>\n${body}`;
}

function carried(text: string): string {
  if (UNFIT.test(text)) throw new EppXmlError('a text has a character that XML cannot carry');
  return text;
}

/** Returns the children of that name in the element's own namespace. */
export function childrenOf(element: XmlElement | undefined, name: string): readonly XmlElement[] {
  return (
    element?.children.filter(
      (child) => child.name === name && child.namespace === element.namespace,
    ) ?? []
  );
}

/** Returns the first child of that name in the element's own namespace. */
export function childOf(element: XmlElement | undefined, name: string): XmlElement | undefined {
  return childrenOf(element, name)[0];
}

/** Returns the text of the first child of that name; null if there is none or it is empty. */
export function textOf(element: XmlElement | undefined, name: string): string | null {
  return childOf(element, name)?.text || null;
}

/** Returns the texts of the children of that name. */
export function textsOf(element: XmlElement | undefined, name: string): string[] {
  return childrenOf(element, name).map(({ text }) => text);
}

/** Returns the first child of that namespace and name, such as the object in a command. */
export function findChild(
  element: XmlElement | undefined,
  namespace: string,
  name: string,
): XmlElement | undefined {
  return element?.children.find((child) => child.name === name && child.namespace === namespace);
}
