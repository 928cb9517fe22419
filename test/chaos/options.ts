import { parseArgs } from 'node:util';
import { FAULT_RUNS } from './fault-runs.ts';
import type { Size } from './trial.ts';

export interface Options {
  /** Empty is all. */
  names: string[];
  size: Size;
  seed: number;
  /** How many seeds, from `seed` on. */
  seeds: number;
}

export const HELP = [
  'npm run chaos -- [F1 F2 ...] [--seed n] [--seeds n] [--short | --long]',
  '',
  ...FAULT_RUNS.map(({ id, title }) => `  ${id.padEnd(4)} ${title}`),
].join('\n');

/** What was asked for; a text is what is wrong with it, and empty when help was asked for. */
export function readOptions(argv: readonly string[]): Options | string {
  try {
    const { values, positionals } = parseArgs({
      args: [...argv],
      allowPositionals: true,
      options: {
        seed: { type: 'string', default: '1' },
        seeds: { type: 'string', default: '1' },
        short: { type: 'boolean', default: false },
        long: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    });
    if (values.help) return '';
    const names = positionals.map((name) => name.toUpperCase());
    const unknown = names.filter((name) => !FAULT_RUNS.some(({ id }) => id === name));
    if (unknown.length > 0) return `there is no fault run ${unknown.join(', ')}`;
    const [seed, seeds] = [Number(values.seed), Number(values.seeds)];
    if (!Number.isSafeInteger(seed) || !Number.isSafeInteger(seeds) || seeds < 1) {
      return '--seed and --seeds take whole numbers';
    }
    if (values.short && values.long) return '--short or --long, not both';
    return { names, seed, seeds, size: values.short ? 'short' : values.long ? 'long' : 'normal' };
  } catch (error) {
    return (error as Error).message;
  }
}
