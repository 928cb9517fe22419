import { createInterface } from 'node:readline/promises';
import { Writable } from 'node:stream';
import { type Command, Option } from 'commander';
import type { TObject } from 'typebox';
import { invalid } from '../../../shared/platform/errors.ts';

/** The parts of a field's schema that options are built from. */
interface Field {
  type?: string;
  enum?: readonly (string | number)[];
  items?: { enum?: readonly string[] };
  description?: string;
  /** Sent, but never shown. */
  writeOnly?: boolean;
  /** Shown to people, but never an argument. */
  notAnArgument?: boolean;
}

/** Returns whether a field is read from a prompt or standard input, because everyone here can read arguments. */
function isSecret({ writeOnly, notAnArgument }: Field): boolean {
  return writeOnly === true || notAnArgument === true;
}

/** Converts `key_id` to the option `--key-id`. */
export function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

/** Returns the secret fields of an input. */
export function secretFields(input: TObject): string[] {
  return Object.entries(input.properties)
    .filter(([, schema]) => isSecret(schema as Field))
    .map(([name]) => name);
}

/**
 * Gives a command one option per field of its input; the option of a secret exists only to be refused. The schema
 * validates the values.
 */
export function addOptions(command: Command, input: TObject): void {
  const required = new Set<string>(input.required ?? []);
  for (const [name, schema] of Object.entries(input.properties)) {
    const field = schema as Field;
    if (isSecret(field)) {
      command.addOption(new Option(`${flagOf(name)} [text]`).hideHelp());
      command.addHelpText(
        'after',
        `\n${flagOf(name).slice(2)}: prompted for at the terminal, or read from standard input.`,
      );
      continue;
    }
    const needed = required.has(name) ? ' (required)' : '';
    command.addOption(
      new Option(usageOf(name, field), `${field.description ?? ''}${needed}`).argParser(
        (text, before) => readValue(text, field, before),
      ),
    );
  }
}

function usageOf(name: string, field: Field): string {
  const flag = flagOf(name);
  if (field.type === 'boolean') return flag;
  if (field.enum) return `${flag} <${field.enum.join('|')}>`;
  if (field.type === 'array') return `${flag} <a,b,...>`;
  return `${flag} <${field.type === 'integer' ? 'n' : 'text'}>`;
}

/**
 * Reads an option. Keeps text that does not fit its type, for validation to report. A repeated option adds to a list.
 */
function readValue(text: string, field: Field, before: unknown): unknown {
  if (field.type === 'integer') return /^-?\d{1,16}$/.test(text) ? Number(text) : text;
  if (field.type === 'array') {
    const parts = text
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== '');
    return [...(Array.isArray(before) ? before : []), ...parts];
  }
  return text;
}

/** Returns the options as input fields; commander spells them in camel case. */
export function readInput(command: Command, input: TObject): Record<string, unknown> {
  const options = command.opts();
  const fields = Object.keys(input.properties).map((name): [string, unknown] => [
    name,
    options[name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())],
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}

/** The maximum length of a secret that is read; no password is longer. */
const MAX_CHARACTERS = 4_096;

/** The source of a secret: typed in a terminal, or piped from another program. */
export type SecretSource = NodeJS.ReadableStream & { isTTY?: boolean };

/** Explains how to pass a secret, which is not accepted as an argument. */
function howTo(field: string): string {
  const name = field.toUpperCase();
  return `type it at the prompt, or send it on standard input: printf %s "$${name}" | npm run --silent ops -- ...`;
}

/** Returns the error for a secret on the command line, where everyone on the machine can read it. */
export function secretArgumentError(field: string) {
  const message = `cannot be an argument, since other people on this machine can read those. Omit ${flagOf(field)} and ${howTo(field)}`;
  return invalid([{ path: `/${field}`, message }]);
}

/**
 * Reads a secret: at a terminal twice and without echo, otherwise all of standard input, without a final line end.
 * @throws validation_error
 */
export async function readSecret(
  field: string,
  source: SecretSource,
  ask: (text: string) => Promise<void>,
): Promise<string> {
  const secret = source.isTTY ? await typed(field, source, ask) : await piped(source);
  if (secret === '') {
    throw invalid([{ path: `/${field}`, message: `is required: ${howTo(field)}` }]);
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
  // Without a listener, Ctrl-C at the prompt would only pause it.
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
  const label = field.replaceAll('_', ' ').replace(/^./, (letter) => letter.toUpperCase());
  try {
    const first = await line(label);
    const second = await line(`${label} again`);
    if (first === second) return first;
    throw invalid([{ path: `/${field}`, message: 'did not match. Try again' }]);
  } catch (error) {
    if (!interrupted.signal.aborted) throw error;
    throw invalid([{ path: `/${field}`, message: 'was not entered' }]);
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
