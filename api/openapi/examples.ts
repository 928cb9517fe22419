import { readFileSync } from 'node:fs';

/** A request that was made and what it was answered. */
export interface Example {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, unknown>>;
  body?: unknown;
  status: number;
  answer?: unknown;
}

/** By operation id. */
export type Examples = Readonly<Record<string, Example>>;

const FILE = new URL('./examples.json', import.meta.url);

/** The recorded examples of both APIs; a test records them again and compares. */
export function readExamples(): { public: Examples; partner: Examples } {
  return JSON.parse(readFileSync(FILE, 'utf8'));
}
