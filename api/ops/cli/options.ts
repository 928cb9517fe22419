import { type Command, Option } from 'commander';
import type { TObject } from 'typebox';

/** What the option-maker reads of a field's schema. */
interface Field {
  type?: string;
  enum?: readonly (string | number)[];
  items?: { enum?: readonly string[] };
  description?: string;
  /** A secret: never an argument. */
  writeOnly?: boolean;
}

/** `key_id` is `--key-id` on the command line. */
export function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

/** The fields of an input that are secrets. */
export function secretFields(input: TObject): string[] {
  return Object.entries(input.properties)
    .filter(([, schema]) => (schema as Field).writeOnly)
    .map(([name]) => name);
}

/**
 * Gives a command one option per field of its input; a secret's is only there to be refused. Whether they
 * make sense is the schema's to say.
 */
export function addOptions(command: Command, input: TObject): void {
  const required = new Set<string>(input.required ?? []);
  for (const [name, schema] of Object.entries(input.properties)) {
    const field = schema as Field;
    if (field.writeOnly) {
      command.addOption(new Option(`${flagOf(name)} [text]`).hideHelp());
      command.addHelpText(
        'after',
        `\n${flagOf(name).slice(2)}: asked for at the terminal, or read from standard input.`,
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

/** Text that is not of the field's type is kept as it is: validation names it. A list grows with each use. */
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

/** The options as the fields of the input; commander spells them in camel case. */
export function readInput(command: Command, input: TObject): Record<string, unknown> {
  const options = command.opts();
  const fields = Object.keys(input.properties).map((name): [string, unknown] => [
    name,
    options[name.replace(/_(\w)/g, (_match, letter: string) => letter.toUpperCase())],
  ]);
  return Object.fromEntries(fields.filter(([, value]) => value !== undefined));
}
