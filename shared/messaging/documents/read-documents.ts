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

/** Whose documents, and in which environment; null are those that no partner has a part in. */
export interface DocumentOwner {
  partnerId: string | null;
  environment: Environment;
}

/** An owner's document of a kind about an order, statement or payout (`subject`); undefined when there is none. */
export async function findDocument(
  sql: Sql,
  { partnerId, environment }: DocumentOwner,
  { kind, subject }: { kind: DocumentKind; subject: string },
): Promise<IssuedDocument | undefined> {
  const row = await selectDocument.first(sql, { partnerId, environment, kind, subject });
  return row && issued(row);
}

/** A document by its own id; with an owner only if it is theirs. */
export async function findDocumentById(
  sql: Sql,
  { id, owner }: { id: string; owner?: DocumentOwner },
): Promise<IssuedDocument | undefined> {
  const { partnerId = null, environment = null } = owner ?? {};
  const row = await selectDocumentById.first(sql, { id, partnerId, environment });
  return row && issued(row);
}

/** An owner's documents about an order, statement or payout, oldest first. */
export async function listDocuments(
  sql: Sql,
  owner: DocumentOwner,
  subject: string,
): Promise<DocumentSummary[]> {
  return listDocumentsAbout(sql, owner, [subject]);
}

/** The documents about several of them. */
export async function listDocumentsAbout(
  sql: Sql,
  { partnerId, environment }: DocumentOwner,
  subjects: readonly string[],
): Promise<DocumentSummary[]> {
  const rows = await selectDocumentsAbout.all(sql, { partnerId, environment, subjects });
  return rows.map(summary);
}

/** A document in the row of what it is about, see {@link documentsColumn}. JSON has no dates. */
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
 * An expression of SQL: the documents about `subject` (an expression, too), as JSON. Ids are collated as bytes elsewhere,
 * and subjects are not: compared with those as they are, no index finds them.
 */
export function documentsColumn(subject: string): string {
  return `(select coalesce(json_agg(json_build_object('id', d.id, 'kind', d.kind, 'environment', d.environment,
     'year', d.year, 'number', d.number, 'subject', d.subject, 'totalCents', d.total_cents,
     'currency', d.currency, 'issuedAt', d.issued_at) order by d.id), '[]')
   from documents d where d.subject = ${subject} collate "default")`;
}

/** What such a column holds. */
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
