import { benchAvailability } from './availability.ts';
import { benchBatch } from './batch.ts';
import { benchBulk } from './bulk.ts';
import { benchListings } from './listings.ts';
import { benchOrders } from './orders.ts';
import { benchRedirects } from './redirects.ts';
import { type Figure, printFigures } from './support/figures.ts';
import { benchTransactions } from './transactions.ts';
import { benchWebhooks } from './webhooks.ts';

/** Every benchmark by name; `npm run bench -- orders` runs one. */
const BENCHMARKS: Record<string, () => Promise<Figure | Figure[]>> = {
  availability: benchAvailability,
  batch: benchBatch,
  listings: benchListings,
  bulk: benchBulk,
  orders: benchOrders,
  redirects: benchRedirects,
  transactions: benchTransactions,
  webhooks: benchWebhooks,
};

const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !(name in BENCHMARKS));
if (unknown.length > 0) {
  process.stderr.write(
    `no benchmark ${unknown.join(', ')}; there are ${Object.keys(BENCHMARKS).join(', ')}\n`,
  );
  process.exit(2);
}
const figures: Figure[] = [];
for (const [name, run] of Object.entries(BENCHMARKS)) {
  if (wanted.length > 0 && !wanted.includes(name)) continue;
  process.stderr.write(`measuring ${name} ...\n`);
  figures.push(...[await run()].flat());
}
printFigures(figures);
