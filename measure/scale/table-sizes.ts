import type pg from 'pg';

/** A table's size on disk, including its partitions. */
export interface TableSize {
  table: string;
  rows: number;
  /** Including indexes and TOAST values. */
  bytes: number;
  indexBytes: number;
}

/** Returns the size of every table, largest first. */
export async function readTableSizes(client: pg.Client): Promise<TableSize[]> {
  const { rows } = await client.query<TableSize>(
    `select coalesce(pg_partition_root(c.oid)::regclass, c.oid::regclass)::text as table,
       sum(greatest(c.reltuples, 0))::float8 as rows, sum(pg_total_relation_size(c.oid))::float8 as bytes,
       sum(pg_indexes_size(c.oid))::float8 as "indexBytes"
     from pg_class c
     where relnamespace = 'public'::regnamespace and relkind = 'r' and relname not like 'knex%'
     group by 1 order by 3 desc, 1`,
  );
  return rows;
}

/** Returns the tables with at least this many rows, and their partitions. */
export async function readLargeTables(client: pg.Client, rows: number): Promise<Set<string>> {
  const { rows: found } = await client.query<{ name: string }>(
    `select relname as name from pg_class
     where relnamespace = 'public'::regnamespace and relkind = 'r' and reltuples >= $1`,
    [rows],
  );
  return new Set(found.map(({ name }) => name));
}
