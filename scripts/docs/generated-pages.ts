import { readFileSync } from 'node:fs';
import { bulkBlocks } from './bulk.ts';
import { configurationBlocks } from './configuration.ts';
import { errorBlocks } from './errors.ts';
import { eventBlocks } from './events.ts';
import { metricBlocks } from './metrics.ts';
import { operationBlocks } from './operations.ts';
import { partnerBlocks, publicBlocks, toolBlocks } from './routes.ts';
import { sandboxBlocks } from './sandbox.ts';
import { paymentBlocks, sessionBlocks, stateBlocks } from './states.ts';

/** Functions that make the text between `<!-- generated: name -->` and `<!-- /generated -->`, by name. */
type Blocks = Readonly<Record<string, () => string>>;

const PAGES: Readonly<Record<string, Blocks>> = {
  'docs/bulk.md': bulkBlocks,
  'docs/checkout.md': sessionBlocks,
  'docs/configuration.md': configurationBlocks,
  'docs/errors.md': errorBlocks,
  'docs/monitoring.md': metricBlocks,
  'docs/operations.md': operationBlocks,
  'docs/partner-api.md': partnerBlocks,
  'docs/payments.md': paymentBlocks,
  'docs/public-api.md': publicBlocks,
  'docs/sandbox.md': sandboxBlocks,
  'docs/states.md': stateBlocks,
  'docs/tool-server.md': toolBlocks,
  'docs/webhooks.md': eventBlocks,
};

const ROOT = new URL('../../', import.meta.url);
const PLACE = /(<!-- generated: ([\w ]+) -->\n)[\s\S]*?(<!-- \/generated -->)/g;

/** A page with tables generated from the code. */
export interface GeneratedPage {
  /** Relative to the root of the repository. */
  file: string;
  url: URL;
  /** The current text. */
  text: string;
  /** The text with up-to-date tables. */
  expected: string;
}

/**
 * Returns every page with generated tables.
 * @throws Error if a page has a placeholder for an unknown table, or lacks one for a table that we generate
 */
export function generatedPages(): GeneratedPage[] {
  return Object.entries(PAGES).map(([file, blocks]) => {
    const url = new URL(file, ROOT);
    const text = readFileSync(url, 'utf8');
    return { file, url, text, expected: withBlocks(file, text, blocks) };
  });
}

function withBlocks(file: string, text: string, blocks: Blocks): string {
  const missing = new Set(Object.keys(blocks));
  const expected = text.replace(PLACE, (_place, begin: string, name: string, end: string) => {
    const make = blocks[name];
    if (!make) throw new Error(`${file}: nothing generates "${name}"`);
    missing.delete(name);
    return `${begin}\n${make()}\n\n${end}`;
  });
  if (missing.size > 0) {
    throw new Error(`${file} has no place for: ${[...missing].join(', ')}`);
  }
  return expected;
}
