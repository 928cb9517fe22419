import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { invalid } from '../../../shared/platform/errors.ts';
import { flagOf } from './options.ts';

/** Longer input is no password; it is not kept. */
const MAX_CHARACTERS = 4_096;

/** Where a secret is typed, or comes from another program. */
export type SecretSource = NodeJS.ReadableStream & { isTTY?: boolean };

/** How to hand in what is not taken as an argument. */
function howTo(field: string): string {
  const name = field.toUpperCase();
  return `type it at the prompt, or send it on standard input: printf %s "$${name}" | npm run --silent ops -- ...`;
}

/** The fault of a secret on the command line, where everybody on the machine can read it. */
export function secretArgumentError(field: string) {
  const message = `is not taken as an argument, which other people on this machine can read. Leave ${flagOf(field)} out and ${howTo(field)}`;
  return invalid([{ path: `/${field}`, message }]);
}

/**
 * Asks for a secret: at a terminal twice and without showing it, otherwise all of standard input, less one
 * line end. @throws validation_error
 */
export async function readSecret(
  field: string,
  source: SecretSource,
  ask: (text: string) => Promise<void>,
): Promise<string> {
  const secret = source.isTTY ? await typed(field, source, ask) : await piped(source);
  if (secret === '') {
    throw invalid([{ path: `/${field}`, message: `is needed: ${howTo(field)}` }]);
  }
  return secret;
}

async function typed(
  field: string,
  input: SecretSource,
  ask: (text: string) => Promise<void>,
): Promise<string> {
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() });
  const terminal = createInterface({ input, output: unseen, terminal: true, historySize: 0 });
  // Without somebody who listens, Ctrl-C at the prompt would only pause it.
  const interrupted = new AbortController();
  terminal.once('SIGINT', () => interrupted.abort());
  const line = async (label: string) => {
    await ask(`${label}: `);
    try {
      return await terminal.question('', { signal: interrupted.signal });
    } finally {
      await ask('\n');
    }
  };
  const label = field.replace(/^./, (letter) => letter.toUpperCase());
  try {
    const first = await line(label);
    const second = await line(`${label} again`);
    if (first === second) return first;
    throw invalid([{ path: `/${field}`, message: 'was typed in two ways. Try again' }]);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw invalid([{ path: `/${field}`, message: 'was not given' }]);
  } finally {
    terminal.close();
  }
}

async function piped(source: SecretSource): Promise<string> {
  let text = '';
  for await (const chunk of source.setEncoding('utf8')) {
    text += chunk;
    if (text.length > MAX_CHARACTERS) break;
  }
  return text.replace(/\r?\n$/, '');
}
