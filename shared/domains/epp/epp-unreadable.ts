import { EppRefused, type EppUnreadable } from './epp-errors.ts';
import type { PollMessage } from './epp-objects.ts';
import { isResultCode, meaningOf } from './epp-result-codes.ts';
import { readXml } from './epp-xml.ts';

const NAME = String.raw`(?:[\w.-]+:)?`;
const RESULT = new RegExp(String.raw`<${NAME}result\s[^>]*?\bcode\s*=\s*["'](\d{4})["']`);
const QUEUE = new RegExp(String.raw`<${NAME}msgQ(\s[^>]*?)/?>`);
const DOMAIN_NAME = new RegExp(String.raw`<${NAME}name(?:\s[^>]*)?>\s*([^<>\s]{1,253})\s*<`);
const NO_MESSAGES = 1300;
const MESSAGE = 1301;

/**
 * Extracts the essentials of a poll response that cannot be parsed: malformed, wrongly encoded, too long, or with an
 * unknown result code. The message ID is enough to acknowledge it, and the domain name to check what happens to the
 * domain. Undefined if the queue is empty.
 * @throws EppRefused if the registry refused the poll, and the given error if the response shows no message
 */
export function readUnreadableAnswer(error: EppUnreadable): PollMessage | undefined {
  const source = Buffer.from(error.answer).toString('latin1').replaceAll('\0', '');
  const code = Number(RESULT.exec(source)?.[1]);
  if (code === NO_MESSAGES) return undefined;
  if (isResultCode(code) && meaningOf(code) !== 'done') {
    throw new EppRefused(code, 'the rest of the answer cannot be read', '');
  }
  const id = idOf(QUEUE.exec(source)?.[1]);
  if (id === undefined && code !== MESSAGE) throw error;
  return {
    id: id ?? '',
    count: null,
    queuedAt: null,
    text: '',
    domain: DOMAIN_NAME.exec(source)?.[1]?.toLowerCase() ?? null,
    transfer: null,
    action: null,
    change: null,
    maintenance: [],
    fault: `The answer cannot be read: ${error.message}.`,
    raw: error.answer,
  };
}

/** Reads the ID from the attributes of a start tag. */
function idOf(attributes: string | undefined): string | undefined {
  if (attributes === undefined) return undefined;
  try {
    return readXml(Buffer.from(`<msgQ${attributes}/>`)).attributes.id || undefined;
  } catch {
    return /\bid\s*=\s*["']([^"'<>&]+)["']/.exec(attributes)?.[1];
  }
}
