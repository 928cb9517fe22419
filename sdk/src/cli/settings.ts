import { parseArgs } from 'node:util';
import { type Client, createClient } from '../client.ts';

/** A wrong command line, reported without a stack trace. */
export class UsageError extends Error {}

type OptionTypes = Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;

/** The flags that every command accepts. */
const COMMON = {
  'base-url': { type: 'string' },
  'key-id': { type: 'string' },
  secret: { type: 'string' },
  help: { type: 'boolean' },
} as const;

export interface CommandLine {
  positionals: string[];
  /** Returns the value of a flag; undefined if it was not given. */
  text(flag: string): string | undefined;
  texts(flag: string): string[];
  on(flag: string): boolean;
  /** Returns the value of a flag, or of its environment variable. @throws UsageError if neither is set */
  needed(flag: string, variable: string): string;
}

/** Parses a command line. @throws UsageError for unknown flags and surplus arguments */
export function readCommandLine(
  args: readonly string[],
  { options, words }: { options: OptionTypes; words: number },
  env: Readonly<Record<string, string | undefined>>,
): CommandLine {
  const { values, positionals } = parse(args, { ...COMMON, ...options });
  const surplus = positionals[words];
  if (surplus !== undefined) throw new UsageError(`Unknown argument: ${surplus}`);
  const text = (flag: string) => {
    const value = values[flag];
    return typeof value === 'string' ? value : undefined;
  };
  return {
    positionals,
    text,
    texts: (flag) =>
      ([values[flag]].flat() as unknown[]).filter((each) => each !== undefined) as string[],
    on: (flag) => values[flag] === true,
    needed(flag, variable) {
      const value = text(flag) ?? env[variable];
      if (value) return value;
      throw new UsageError(`Give --${flag}, or set ${variable}.`);
    },
  };
}

/** Creates a client from `--base-url`, `--key-id` and `--secret`, or from BASE_URL, KEY_ID and SECRET. */
export function clientOf(line: CommandLine): Client {
  return createClient(accessOf(line));
}

export function accessOf(line: CommandLine) {
  return {
    baseUrl: line.needed('base-url', 'BASE_URL'),
    keyId: line.needed('key-id', 'KEY_ID'),
    secret: line.needed('secret', 'SECRET'),
  };
}

function parse(args: readonly string[], options: OptionTypes) {
  try {
    return parseArgs({ args: [...args], options, allowPositionals: true });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}
