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

/** A document by its own id; with an owner only if it is theirs. */
export async function findDocumentById(
  sql: Sql,
  { id, owner }: { id: string; owner?: { partnerId: string; environment: Environment } },
): Promise<IssuedDocument | undefined> {
  const { partnerId = null, environment = null } = owner ?? {};
  const row = await selectDocumentById.first(sql, { id, partnerId, environment });
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

/** The documents about an order, statement or payout, oldest first. */
export async function listDocuments(sql: Sql, subject: string): Promise<DocumentSummary[]> {
  return listDocumentsAbout(sql, [subject]);
}

/** The documents about several of them. */
export async function listDocumentsAbout(
  sql: Sql,
  subjects: readonly string[],
): Promise<DocumentSummary[]> {
  return (await selectDocumentsAbout.all(sql, { subjects })).map(summary);
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
