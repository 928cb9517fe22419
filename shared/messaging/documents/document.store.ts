import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  integer,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { DocumentKind } from './document.ts';

const SERIES = { environment: textOf<Environment>(), issuer: text, kind: textOf<DocumentKind>() };

/**
 * Takes the next `count` numbers of each series; the lists have one element per series. Locks the series, in a fixed
 * order, until the transaction ends.
 */
export const takeNumbers = defineStatement({
  params: {
    environments: arrayOf(textOf<Environment>()),
    issuers: arrayOf(text),
    kinds: arrayOf(textOf<DocumentKind>()),
    counts: arrayOf(integer),
    year: integer,
  },
  row: { ...SERIES, lastNumber: integer },
  text: `insert into document_series as s (environment, issuer, kind, year, last_number)
    select n.environment, n.issuer, n.kind, :year, n.count
    from unnest(:environments::text[], :issuers::text[], :kinds::text[], :counts::integer[])
      as n (environment, issuer, kind, count)
    order by 1, 2, 3
    on conflict (environment, issuer, kind, year) do update set last_number = s.last_number + excluded.last_number
    returning environment, issuer, kind, last_number as "lastNumber"`,
});

const NEW_DOCUMENT = {
  ...SERIES,
  id: text,
  year: integer,
  number: integer,
  partnerId: nullable(text),
  subject: text,
  currency: text,
  totalCents: bigint,
  taxCents: bigint,
  content: text,
  sha256: text,
  issuedAt: timestamptz,
};

/** Stores a document under its number. */
export const insertDocument = defineStatement({
  params: NEW_DOCUMENT,
  text: `insert into documents (id, environment, issuer, kind, year, number, partner_id, subject, currency,
      total_cents, tax_cents, content, sha256, issued_at)
    values (:id, :environment, :issuer, :kind, :year, :number, :partnerId, :subject, :currency, :totalCents,
      :taxCents, :content, :sha256, :issuedAt)`,
});

const STORED = {
  id: text,
  environment: textOf<Environment>(),
  kind: textOf<DocumentKind>(),
  year: integer,
  number: integer,
  partnerId: nullable(text),
  subject: text,
  content: text,
  sha256: text,
  issuedAt: timestamptz,
};
export type StoredDocument = RowOf<typeof STORED>;

const STORED_COLUMNS = `id, environment, kind, year, number, partner_id as "partnerId", subject, content, sha256,
  issued_at as "issuedAt"`;

const OWNER = { partnerId: nullable(text), environment: textOf<Environment>() };

/** Selects an owner's document of a kind about an order, renewal, statement or payout. */
export const selectDocument = defineStatement({
  params: { ...OWNER, kind: textOf<DocumentKind>(), subject: text },
  row: STORED,
  text: `select ${STORED_COLUMNS} from documents
    where subject = :subject and kind = :kind and partner_id is not distinct from :partnerId::text
      and environment = :environment`,
});

/** Selects a document by its id, for one partner and environment, or for any if they are null. */
export const selectDocumentById = defineStatement({
  params: {
    id: text,
    partnerId: nullable(text),
    environment: nullable(textOf<Environment>()),
  },
  row: STORED,
  text: `select ${STORED_COLUMNS} from documents
    where id = :id and (:partnerId::text is null or partner_id = :partnerId)
      and (:environment::text is null or environment = :environment)`,
});

/** Selects the stored PDF of a document. */
export const selectDocumentFile = defineStatement({
  params: { id: text },
  row: { pdf: bytea },
  text: 'select pdf from document_files where document_id = :id',
});

/** Stores a document's PDF, unless it already has one. */
export const insertDocumentFile = defineStatement({
  params: { id: text, pdf: bytea, now: timestamptz },
  text: `insert into document_files (document_id, pdf, rendered_at) values (:id, :pdf, :now)
    on conflict (document_id) do nothing`,
});

const LISTED = {
  id: text,
  environment: textOf<Environment>(),
  kind: textOf<DocumentKind>(),
  year: integer,
  number: integer,
  subject: text,
  currency: text,
  totalCents: bigint,
  issuedAt: timestamptz,
};

/** Selects an owner's documents about orders, renewals, statements or payouts, oldest first. */
export const selectDocumentsAbout = defineStatement({
  params: { ...OWNER, subjects: arrayOf(text) },
  row: LISTED,
  text: `select id, environment, kind, year, number, subject, currency, total_cents as "totalCents",
      issued_at as "issuedAt"
    from documents
    where subject = any(:subjects) and partner_id is not distinct from :partnerId::text
      and environment = :environment order by id`,
});
