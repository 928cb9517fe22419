import type { CommandLine } from './settings.ts';

/** What a command works with. */
export interface Surroundings {
  line: CommandLine;
  /** Writes a line to the output. */
  say(text: string): void;
  /** Writes a line beside the output. */
  note(text: string): void;
  /** Aborted by Ctrl-C. */
  signal: AbortSignal;
}

export interface Command {
  usage: string;
  /** How many words it takes beside its flags. */
  words: number;
  options: Record<string, { type: 'string' | 'boolean'; multiple?: boolean }>;
  run(surroundings: Surroundings): Promise<void>;
}
