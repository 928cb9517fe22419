import { readFileSync, writeFileSync } from 'node:fs';
import { median } from '../../support/figures.ts';
import { withTable } from '../../support/figures-table.ts';
import type { Surroundings } from '../../support/report.ts';
import type { KillResult, PeerResult } from '../peers.ts';

const DOCUMENT = new URL('../../../docs/benchmarks.md', import.meta.url);

const WORDS = { deliveries: 'Webhook deliveries', 'no-ops': 'Jobs that do nothing' } as const;

/** Returns the lines of the table, in Markdown. */
export function peersTable(
  { machine, measured, versions }: Surroundings,
  results: readonly PeerResult[],
): string[] {
  return [
    `One run on one machine: ${machine}; ${measured}; ${versions}.`,
    '',
    '|Work|With|A second|Ours, times as fast|CPU each|Missing|Twice|Longest pause|Last after|',
    '|---|---|---|---|---|---|---|---|---|',
    ...results.map((result) => rowOf(result, results)),
  ];
}

function rowOf(result: PeerResult, results: readonly PeerResult[]): string {
  const { work, name, rates, cpuMicros, killed } = result;
  const ours = results.find((each) => each.work === work && each.name === 'ours') ?? result;
  const times = median(ours.rates) / median(rates);
  const cells = [
    WORDS[work],
    name,
    whole(median(rates)),
    result === ours ? '' : times.toFixed(1),
    `${whole(median(cpuMicros))} µs`,
    ...killedCells(killed),
  ];
  return `|${cells.join('|')}|`;
}

function killedCells({ missing, twice, stoodStillMs, lastMs }: KillResult): string[] {
  return [
    whole(missing),
    whole(twice),
    seconds(stoodStillMs),
    lastMs === undefined ? 'never' : seconds(lastMs),
  ];
}

const whole = (value: number) => Math.round(value).toLocaleString('en-US');
const seconds = (ms: number) => `${(ms / 1_000).toFixed(1)} s`;

/** Writes the table to docs/benchmarks.md. */
export function writePeers(lines: readonly string[]): void {
  writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, 'utf8'), lines, 'peers'));
}
