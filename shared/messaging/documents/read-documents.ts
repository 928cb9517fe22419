import type { Environment } from '../../platform/config/config.ts';
import type { Sql } from '../../platform/database/postgres.ts';
import { type Cents, Money } from '../../platform/money.ts';
import {
  type StoredDocument,
  selectDocument,
  selectDocumentById,
  selectDocumentsAbout,
} from './document.store.ts';
import {
  type DocumentContent,
  type DocumentKind,
  type DocumentSummary,
  documentNumber,
  type IssuedDocument,
} from './document.ts';

/** The owner of documents in an environment; null for documents without a partner. */
export interface DocumentOwner {
  partnerId: string | null;
  environment: Environment;
}

/** Returns an owner's document of a kind about an order, statement or payout (`subject`); undefined if none. */
export async function findDocument(
  sql: Sql,
  { partnerId, environment }: DocumentOwner,
  { kind, subject }: { kind: DocumentKind; subject: string },
): Promise<IssuedDocument | undefined> {
  const row = await selectDocument.first(sql, { partnerId, environment, kind, subject });
  return row && issued(row);
}

/** Returns a document by its id; if an owner is given, only if it is theirs. */
export async function findDocumentById(
  sql: Sql,
  { id, owner }: { id: string; owner?: DocumentOwner },
): Promise<IssuedDocument | undefined> {
  const { partnerId = null, environment = null } = owner ?? {};
  const row = await selectDocumentById.first(sql, { id, partnerId, environment });
  return row && issued(row);
}

/** Returns an owner's documents about an order, statement or payout, oldest first. */
export async function listDocuments(
  sql: Sql,
  owner: DocumentOwner,
  subject: string,
): Promise<DocumentSummary[]> {
  return listDocumentsAbout(sql, owner, [subject]);
}

/** Like {@link listDocuments}, for several subjects. */
export async function listDocumentsAbout(
  sql: Sql,
  { partnerId, environment }: DocumentOwner,
  subjects: readonly string[],
): Promise<DocumentSummary[]> {
  const rows = await selectDocumentsAbout.all(sql, { partnerId, environment, subjects });
  return rows.map(summary);
}

/** A document in its subject's row, see {@link documentsColumn}. JSON has no dates. */
export interface DocumentInRow {
  id: string;
  kind: DocumentKind;
  environment: Environment;
  year: number;
  number: number;
  subject: string;
  totalCents: Cents;
  currency: string;
  issuedAt: string;
}

/**
 * Returns a SQL expression for the documents about `subject` (also a SQL expression), as JSON. Ids use the byte
 * collation and document subjects do not, so the index works only with an explicit collation.
 */
export function documentsColumn(subject: string): string {
  return `(select coalesce(json_agg(json_build_object('id', d.id, 'kind', d.kind, 'environment', d.environment,
     'year', d.year, 'number', d.number, 'subject', d.subject, 'totalCents', d.total_cents,
     'currency', d.currency, 'issuedAt', d.issued_at) order by d.id), '[]')
   from documents d where d.subject = ${subject} collate "default")`;
}

/** Returns the document summaries from a {@link documentsColumn}. */
export function documentsInRow(documents: readonly DocumentInRow[]): DocumentSummary[] {
  return documents.map((each) => summary({ ...each, issuedAt: new Date(each.issuedAt) }));
}

function summary(row: Omit<DocumentInRow, 'issuedAt'> & { issuedAt: Date }): DocumentSummary {
  const { id, kind, subject, issuedAt } = row;
  const total = new Money(row.totalCents, row.currency);
  return { id, kind, number: documentNumber(row), subject, total, issuedAt };
}

function issued({ content, year, number, ...row }: StoredDocument): IssuedDocument {
  return {
    ...row,
    number: documentNumber({ ...row, year, number }),
    content: JSON.parse(content) as DocumentContent,
  };
}
