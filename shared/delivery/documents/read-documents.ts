import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { Money } from '../../platform/money.ts';
import { type StoredDocument, selectDocument, selectDocumentsAbout } from './document.store.ts';
import {
  type DocumentContent,
  type DocumentKind,
  documentNumber,
  type IssuedDocument,
} from './document.ts';

/**
 * The document of a kind about an order, statement or payout; undefined when none was issued, or when it is not
 * of `partnerId`.
 */
export async function findDocument(
  sql: Sql,
  { kind, subject, partnerId = null }: DocumentAddress,
): Promise<IssuedDocument | undefined> {
  const row = await selectDocument.first(sql, { kind, subject, partnerId });
  return row && issued(row);
}

/** Which document. */
export interface DocumentAddress {
  kind: DocumentKind;
  /** The id of the order, statement or payout. */
  subject: string;
  /** Only if it is of this partner; of any when left out. */
  partnerId?: string | null;
}

/** One line of a list of documents. */
export interface DocumentSummary {
  id: string;
  kind: DocumentKind;
  environment: Environment;
  number: string;
  total: Money;
  issuedAt: Date;
}

/** The documents about an order, statement or payout, oldest first. */
export async function listDocuments(sql: Sql, subject: string): Promise<DocumentSummary[]> {
  const rows = await selectDocumentsAbout.all(sql, { subject });
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    environment: row.environment,
    number: documentNumber(row),
    total: new Money(row.totalCents, row.currency),
    issuedAt: row.issuedAt,
  }));
}

function issued({ content, year, number, ...row }: StoredDocument): IssuedDocument {
  return {
    ...row,
    number: documentNumber({ ...row, year, number }),
    content: JSON.parse(content) as DocumentContent,
  };
}
