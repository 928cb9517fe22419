import { type Command, Option } from 'commander';
import type { TObject } from 'typebox';

/** What the option-maker reads of a field's schema. */
interface Field {
  type?: string;
  enum?: readonly (string | number)[];
  items?: { enum?: readonly string[] };
  description?: string;
}

/** `key_id` is `--key-id` on the command line. */
export function flagOf(field: string): string {
  return `--${field.replaceAll('_', '-')}`;
}

/** Gives a command one option per field of its input. Whether they make sense is the schema's to say. */
export function addOptions(command: Command, input: TObject): void {
  const required = new Set<string>(input.required ?? []);
  for (const [name, schema] of Object.entries(input.properties)) {
    const field = schema as Field;
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
