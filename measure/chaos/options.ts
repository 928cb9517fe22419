import { parseArgs } from 'node:util';
import { FAULT_RUNS } from './fault-runs.ts';
import type { Size } from './trial.ts';

export interface Options {
  /** Ids of fault runs; empty for all. */
  names: string[];
  size: Size;
  seed: number;
  /** How many seeds, starting with `seed`. */
  seeds: number;
  /** How many runs to make at a time; each has its own services, and all share the CPUs. */
  atOnce: number;
}

export const HELP = [
  'npm run chaos -- [F1 F2 ...] [--seed n] [--seeds n] [--at-once n] [--short | --long]',
  '',
  ...FAULT_RUNS.map(({ id, title }) => `  ${id.padEnd(4)} ${title}`),
].join('\n');

/** Parses the options. Returns a text if they are invalid: the error, or an empty string for `--help`. */
export function readOptions(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string', default: '1' },
        'at-once': { type: 'string', default: '1' },
        short: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return '';
    const names = positionals.map((name) => name.toUpperCase());
    const unknown = names.filter((name) => !FAULT_RUNS.some(({ id }) => id === name));
    if (unknown.length > 0) return `there is no fault run ${unknown.join(', ')}`;
    const [seed = 0, ...counts] = [values.seed, values.seeds, values['at-once']].map(Number);
    const [seeds = 0, atOnce = 0] = counts;
    if (!Number.isSafeInteger(seed) || !counts.every((n) => Number.isSafeInteger(n) && n > 0)) {
      return '--seed, --seeds and --at-once take whole numbers';
    }
    if (values.short && values.long) return '--short or --long, not both';
    const size = values.short ? 'short' : values.long ? 'long' : 'normal';
    return { names, seed, seeds, atOnce, size };
  } catch (error) {
    return (error as Error).message;
  }
}
