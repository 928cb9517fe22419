import { ID_PAGE, idPageSql } from '../../platform/database/id-page.ts';
import { defineStatement, variantsOf } from '../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  bytea,
  integer,
  text,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import { LIST_SORTS } from '../../platform/page.ts';

const FILE = {
  id: text,
  currency: text,
  payouts: integer,
  amountCents: bigint,
  createdBy: text,
  createdAt: timestamptz,
};
const COLUMNS = `e.id, e.currency, e.payouts, e.amount_cents as "amountCents", e.created_by as "createdBy",
  e.created_at as "createdAt"`;

const PENDING = `(select count(*) from payouts p where p.file_id = e.id and p.status = 'pending')`;

/** Inserts a file. */
export const insertFile = defineStatement({
  params: { ...FILE, content: bytea },
  text: `insert into payout_files (id, currency, payouts, amount_cents, content, created_by, created_at)
    values (:id, :currency, :payouts, :amountCents, :content, :createdBy, :createdAt)`,
});

/** Selects a file with its encrypted bytes. */
export const selectFile = defineStatement({
  params: { id: text },
  row: { ...FILE, content: bytea },
  text: `select ${COLUMNS}, e.content from payout_files e where e.id = :id`,
});

/** Selects a file with the number of its pending payouts. */
export const selectFileSummary = defineStatement({
  params: { id: text },
  row: { ...FILE, pending: bigint },
  text: `select ${COLUMNS}, ${PENDING} as pending from payout_files e where e.id = :id`,
});

/** Selects a page of the files with the number of their pending payouts. */
export const selectFiles = variantsOf(LIST_SORTS, (sort) =>
  defineStatement({
    params: ID_PAGE,
    row: { ...FILE, pending: bigint },
    text: `select ${COLUMNS}, ${PENDING} as pending
      from payout_files e where ${idPageSql('e.id', sort)}`,
  }),
);

/** Selects the encrypted bytes of files, by ID. */
export const selectSealedFiles = defineStatement({
  params: { after: text, limit: bigint },
  row: { id: text, content: bytea },
  text: 'select id, content from payout_files where id > :after order by id limit :limit',
});

/** Re-encrypts files. */
export const updateFilesSealed = defineStatement({
  params: { ids: arrayOf(text), befores: arrayOf(bytea), afters: arrayOf(bytea) },
  text: `update payout_files f set content = r.after
    from unnest(:ids::text[], :befores::bytea[], :afters::bytea[]) as r (id, before, after)
    where f.id = r.id and f.content = r.before`,
});
