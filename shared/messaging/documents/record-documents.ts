import { createHash } from 'node:crypto';
import type { Tx } from '../../platform/database/postgres.ts';
import { insertDocument, takeNumbers } from './document.store.ts';
import { issuerOf, type NewDocument } from './document.ts';

/** A document without a number. */
type Numberless = NewDocument & { id: string; issuedAt: Date };

/**
 * Numbers and stores documents. Locks their series until the transaction ends, so the unit of work calls it near its
 * end, with the documents added to `uow.documents`.
 */
export async function recordDocuments(tx: Tx, documents: readonly Numberless[]): Promise<void> {
  const yearOf = ({ issuedAt }: Numberless) => issuedAt.getUTCFullYear();
  for (const year of new Set(documents.map(yearOf))) {
    await recordYear(
      tx,
      year,
      documents.filter((document) => yearOf(document) === year),
    );
  }
}

async function recordYear(tx: Tx, year: number, documents: readonly Numberless[]): Promise<void> {
  const bySeries = new Map<string, [Numberless, ...Numberless[]]>();
  for (const document of documents) {
    const key = seriesKey(document);
    const others = bySeries.get(key);
    if (others) others.push(document);
    else bySeries.set(key, [document]);
  }
  const series = [...bySeries.values()];
  const taken = await takeNumbers.all(tx, {
    environments: series.map(([{ environment }]) => environment),
    issuers: series.map(([first]) => issuerOf(first)),
    kinds: series.map(([{ kind }]) => kind),
    counts: series.map(({ length }) => length),
    year,
  });
  for (const { environment, issuer, kind, lastNumber } of taken) {
    const own = bySeries.get(`${environment} ${issuer} ${kind}`) ?? [];
    for (const [at, document] of own.entries()) {
      const { partnerId, subject } = document;
      const content = JSON.stringify(document.content);
      await insertDocument.run(tx, {
        id: document.id,
        environment,
        issuer,
        kind,
        year,
        number: lastNumber - own.length + at + 1,
        partnerId,
        subject,
        currency: document.content.currency,
        totalCents: document.content.totalCents,
        taxCents: document.content.tax?.taxCents ?? 0,
        content,
        sha256: createHash('sha256').update(content).digest('hex'),
        issuedAt: document.issuedAt,
      });
    }
  }
}

function seriesKey(document: NewDocument): string {
  return `${document.environment} ${issuerOf(document)} ${document.kind}`;
}
