import type { Environment } from '../../platform/config/config.ts';
import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  integer,
  jsonb,
  nullable,
  present,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';
import type { RejectedLine } from '../../platform/line-reader.ts';
import type { ListingFileFormat } from './listing-file.ts';

const COUNTS = { inserted: integer, updated: integer, unchanged: integer, rejected: integer };
const IMPORT = {
  id: bigint,
  environment: textOf<Environment>(),
  actor: text,
  fileName: text,
  format: textOf<ListingFileFormat>(),
  /** The number of lines in the file, and the last line written. */
  lines: integer,
  line: integer,
  ...COUNTS,
  /** The first rejected rows. */
  rejections: jsonb<RejectedLine[]>(),
  state: textOf<'queued' | 'running' | 'completed' | 'failed'>(),
  /** Why the file could not be read at all. */
  problem: nullable(text),
  createdAt: timestamptz,
  finishedAt: nullable(timestamptz),
};
/** An import from the console. */
export type ListingImport = RowOf<typeof IMPORT>;
const COLUMNS = `id, environment, actor, file_name as "fileName", format, lines, line, inserted, updated,
  unchanged, rejected, rejections, state, problem, created_at as "createdAt", finished_at as "finishedAt"`;

export const insertImport = defineStatement({
  params: {
    environment: textOf<Environment>(),
    actor: text,
    fileName: text,
    format: textOf<ListingFileFormat>(),
    content: text,
    lines: integer,
    now: timestamptz,
  },
  row: { id: bigint },
  text: `insert into listing_imports (environment, actor, file_name, format, content, lines, created_at)
    values (:environment, :actor, :fileName, :format, :content, :lines, :now) returning id`,
});

export const selectImport = defineStatement({
  params: { id: bigint },
  row: IMPORT,
  text: `select ${COLUMNS} from listing_imports where id = :id`,
});

/** The most recent imports, newest first, by primary key. */
export const selectRecentImports = defineStatement({
  params: { limit: bigint },
  row: IMPORT,
  text: `select ${COLUMNS} from listing_imports order by id desc limit :limit`,
});

/** Starts an unfinished import and returns its file. */
export const startImport = defineStatement({
  params: { id: bigint },
  row: {
    content: present(text, 'an import that is not finished has its file'),
    environment: textOf<Environment>(),
    format: textOf<ListingFileFormat>(),
    actor: text,
    fileName: text,
  },
  text: `update listing_imports set state = 'running', line = 0
    where id = :id and finished_at is null
    returning content, environment, format, actor, file_name as "fileName"`,
});

export const updateProgress = defineStatement({
  params: { id: bigint, line: integer, ...COUNTS },
  text: `update listing_imports set line = :line, inserted = :inserted, updated = :updated,
      unchanged = :unchanged, rejected = :rejected
    where id = :id and finished_at is null`,
});

/** Finishes an import and deletes its file. */
export const finishImport = defineStatement({
  params: {
    id: bigint,
    ...COUNTS,
    rejections: jsonb<RejectedLine[]>(),
    problem: nullable(text),
    now: timestamptz,
  },
  text: `update listing_imports set state = case when :problem::text is null then 'completed' else 'failed' end,
      line = lines, inserted = :inserted, updated = :updated, unchanged = :unchanged, rejected = :rejected,
      rejections = :rejections, problem = :problem, content = null, finished_at = :now
    where id = :id and finished_at is null`,
});
