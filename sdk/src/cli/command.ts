import type { CommandLine } from './settings.ts';

/** The environment of a command. */
export interface Surroundings {
  line: CommandLine;
  /** Writes a line to standard output. */
  say(text: string): void;
  /** Writes a line to standard error. */
  note(text: string): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export interface Command {
  usage: string;
  /** The maximum number of positional arguments. */
  words: number;
  options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;
  run(surroundings: Surroundings): Promise<void>;
}
