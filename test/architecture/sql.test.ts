import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { TABLE_OWNERS } from '../../db/table-owners.ts';
import { SqlStatement } from '../../shared/platform/database/sql-statement.ts';
import type { SqlType } from '../../shared/platform/database/sql-types.ts';
import { createTestDatabase, type TestDatabase } from '../support/database.ts';
import { type PreparedStatement, prepareStatement } from '../support/prepare-statement.ts';
import { readProjectFile, readSources } from '../support/sources.ts';
import {
  readStoreStatements,
  type StoreStatement,
  statementsIn,
  temporaryTablesOf,
} from '../support/store-statements.ts';

/** Stores that read tables of other folders, with those tables. */
const READ_MODELS: Readonly<Record<string, readonly string[]>> = {
  'shared/domains/bulk/console-bulk-jobs.store.ts': ['users'],
  'shared/domains/domain-registrants/domain-registrant.store.ts': ['owned_domains'],
  'shared/domains/owned-domains/console-domains.store.ts': [
    'domain_registrants',
    'listings',
    'orders',
    'transfers_out',
    'users',
  ],
  'shared/domains/owned-domains/owned-domain.store.ts': [
    'legal_holds',
    'listings',
    'orders',
    'payment_disputes',
    'quotes',
    'transfers_out',
    'users',
  ],
  'shared/domains/registrar/epp-registrar.store.ts': [
    'legal_holds',
    'owned_domains',
    'transfers_out',
  ],
  'shared/domains/registrar/held-domain.store.ts': ['legal_holds'],
  'shared/domains/transfers-out/console-transfers-out.store.ts': ['users'],
  'shared/market/inventory/listing.store.ts': ['legal_holds', 'quotes'],
  'shared/market/search/embeddings/embedding.store.ts': ['listings'],
  'shared/market/search/search.store.ts': ['listings', 'quotes'],
  'shared/messaging/events/event.store.ts': ['webhook_deliveries'],
  'shared/messaging/mail/mail.store.ts': ['partner_members', 'partners', 'users'],
  'shared/messaging/webhooks/delivery-backlog.store.ts': ['job_keys', 'outbox'],
  'shared/messaging/webhooks/delivery-work.store.ts': ['events', 'outbox'],
  'shared/messaging/webhooks/delivery.store.ts': ['event_streams', 'events', 'job_keys', 'outbox'],
  'shared/messaging/webhooks/replay.store.ts': ['events'],
  'shared/money/payments/dispute.store.ts': ['orders'],
  'shared/money/payments/repayment.store.ts': ['checkout_sessions', 'orders', 'renewals', 'users'],
  'shared/operations/daily-figures/daily-figures.store.ts': [
    'checkout_sessions',
    'events',
    'orders',
    'outbox',
    'settlements',
    'webhook_deliveries',
  ],
  'shared/operations/demo/demo-accounts.store.ts': ['partners', 'users'],
  'shared/operations/ledger-check/ledger-check.store.ts': [
    'brokerage_cases',
    'document_series',
    'documents',
    'ledger_entries',
    'ledger_postings',
    'orders',
    'payments',
    'payouts',
    'quotes',
    'referral_balances',
    'referral_commissions',
    'referral_sales',
    'refunds',
    'renewals',
    'settlement_lines',
    'settlement_payables',
    'settlements',
    'unsettled_deltas',
    'unsettled_tallies',
  ],
  'shared/operations/ledger-check/recent-changes.store.ts': [
    'brokerage_cases',
    'documents',
    'events',
    'ledger_entries',
    'ledger_postings',
    'orders',
    'payments',
    'payouts',
    'quotes',
    'referral_balances',
    'referral_commissions',
    'referral_sales',
    'refunds',
    'renewals',
    'settlement_lines',
    'settlement_payables',
    'settlements',
    'unsettled_deltas',
    'unsettled_tallies',
  ],
  'shared/operations/monitoring/console-read-model.store.ts': [
    'audit_log',
    'brokerage_cases',
    'buyer_repayments',
    'checkout_sessions',
    'domain_registrants',
    'events',
    'ledger_checks',
    'ledger_entries',
    'ledger_postings',
    'listings',
    'offers',
    'orders',
    'owned_domains',
    'partners',
    'payment_disputes',
    'payouts',
    'refunds',
    'registrar_messages',
    'renewals',
    'sandbox_clocks',
    'screening_hits',
    'settlements',
    'transfers',
    'users',
    'webhook_deliveries',
    'webhook_endpoints',
  ],
  'shared/operations/monitoring/console-search.store.ts': [
    'api_requests',
    'checkout_sessions',
    'credentials',
    'documents',
    'listings',
    'order_search',
    'orders',
    'partners',
    'users',
  ],
  'shared/operations/webhook-overview/webhook-overview.store.ts': [
    'events',
    'partners',
    'webhook_deliveries',
    'webhook_endpoints',
    'webhook_replays',
  ],
  'shared/people/audit/audit-log.store.ts': ['users'],
  'shared/people/members/member.store.ts': ['partners', 'users'],
  'shared/people/notices/notice.store.ts': [
    'brokerage_cases',
    'buyer_repayments',
    'checkout_sessions',
    'credentials',
    'domain_registrants',
    'listings',
    'mail_contacts',
    'mails',
    'offers',
    'orders',
    'outbox',
    'owned_domains',
    'partner_members',
    'payment_disputes',
    'payouts',
    'registrar_messages',
    'renewals',
    'screening_hits',
    'settlements',
    'transfers',
    'users',
    'webhook_endpoints',
  ],
  'shared/people/oauth/oauth.store.ts': ['user_sessions', 'users'],
  'shared/people/screening/screening.store.ts': ['domain_registrants', 'partners', 'users'],
  'shared/people/user-accounts/read-user-accounts.store.ts': [
    'oauth_clients',
    'oauth_grants',
    'oauth_tokens',
    'partner_members',
    'partners',
    'user_sessions',
    'users',
  ],
  'shared/sales/brokerage/brokerage-case.store.ts': ['listings'],
  'shared/sales/checkout/checkout-review.store.ts': ['partners'],
  'shared/sales/checkout/checkout-session.store.ts': [
    'brokerage_cases',
    'legal_holds',
    'listings',
    'orders',
    'partners',
    'payments',
    'quotes',
  ],
  'shared/sales/checkout/console-payments.store.ts': ['partners', 'payments', 'renewals'],
  'shared/sales/offers/offer.store.ts': ['listings', 'quotes'],
  'shared/sales/orders/order-detail.store.ts': [
    'deliveries',
    'delivery_checks',
    'documents',
    'partners',
    'refund_requests',
    'refunds',
    'transfers',
  ],
  'shared/sales/orders/order.store.ts': ['refunds', 'sandbox_clocks', 'screening_lists'],
  'shared/sales/quotes/quote.store.ts': ['checkout_sessions', 'partners'],
  'shared/sales/referral/affiliate-report.store.ts': ['orders'],
  'shared/sales/referral/console-referrals.store.ts': ['orders', 'partners'],
  'shared/sales/refunds/refund.store.ts': ['audit_log', 'orders', 'partners', 'transfers'],
  'shared/sales/renewals/renewal.store.ts': [
    'legal_holds',
    'listings',
    'orders',
    'owned_domains',
    'payments',
    'users',
  ],
  'shared/sales/renewals/undone-renewals.store.ts': ['job_keys', 'outbox', 'users'],
  'shared/sales/transfers/domain-delivery.store.ts': ['orders'],
  'shared/sales/transfers/order-worklist.store.ts': ['orders', 'partners'],
  'shared/sales/transfers/transfer.store.ts': ['orders', 'partners'],
  'shared/settlement/payouts/payout-account.store.ts': ['partners'],
  'shared/settlement/payouts/payee.store.ts': [
    'partner_tax_profiles',
    'partners',
    'screening_lists',
  ],
  'shared/settlement/payouts/payout.store.ts': [
    'documents',
    'partners',
    'payment_disputes',
    'referral_sales',
    'screening_hits',
    'settlement_lines',
  ],
  'shared/settlement/reports/transaction.store.ts': ['ledger_entries', 'orders', 'refunds'],
  'shared/settlement/statements/settlement-run.store.ts': [
    'orders',
    'partners',
    'referral_sales',
    'refunds',
    'settlement_payables',
  ],
  'shared/settlement/statements/statement-read.store.ts': [
    'documents',
    'orders',
    'partners',
    'refunds',
  ],
  'shared/settlement/statements/statement.store.ts': ['audit_log', 'orders', 'partners', 'refunds'],
};

interface ExportedStatement extends StoreStatement {
  prepared: PreparedStatement;
}

interface Catalog {
  typeName(oid: number): string;
  /** The table, or a partition's parent; undefined for system tables. */
  tableOf(oid: number): string | undefined;
  allowsNull(column: { table: number; number: number }): boolean;
  tables: readonly string[];
}

const stores = readSources().filter(({ file }) => file.endsWith('.store.ts'));
const found: ExportedStatement[] = [];
const unprepared: string[] = [];
let catalog: Catalog;
let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  const client = new pg.Client(database.url);
  await client.connect();
  const statements = await readStoreStatements();
  for (const each of statements) {
    try {
      const { text } = each.statement;
      const prepared = await prepareStatement(client, text, temporaryTablesOf(each, statements));
      found.push({ ...each, prepared });
    } catch (error) {
      unprepared.push(`${told(each)}: ${error}`);
    }
  }
  catalog = await readCatalog(client);
  await client.end();
});
afterAll(() => database.drop());

describe('SQL statements', () => {
  it('can all be prepared by Postgres', () => {
    expect(unprepared).toEqual([]);
    expect(found.length).toBeGreaterThan(50);
  });

  it('have parameters of the declared types', () => {
    const wrong = found.flatMap((each) =>
      each.statement.uses.flatMap((name, at) => {
        const declared = each.statement.params[name]?.postgres;
        const actual = catalog.typeName(each.prepared.parameters[at] ?? 0);
        return declared === actual
          ? []
          : [`${told(each)}: :${name} is ${actual}, declared ${declared}`];
      }),
    );
    expect(wrong).toEqual([]);
  });

  it('declare only parameters that are used', () => {
    const variantsOf = ({ file, name }: ExportedStatement) => `${file}: ${name.split('.')[0]}`;
    const used = new Set(
      found.flatMap((each) => each.statement.uses.map((name) => `${variantsOf(each)}: :${name}`)),
    );
    const declared = found.flatMap((each) =>
      Object.keys(each.statement.params).map((name) => `${variantsOf(each)}: :${name}`),
    );
    expect(declared.filter((name) => !used.has(name))).toEqual([]);
  });

  it('return columns with the declared names and types', () => {
    const listed = (columns: readonly (readonly [string, string | undefined])[]) =>
      columns.map(([name, type]) => `${name} ${type}`).sort();
    const wrong = found.flatMap((each) => {
      const declared = listed(
        Object.entries(each.statement.row).map(([name, { postgres }]) => [name, postgres]),
      );
      const actual = listed(
        each.prepared.columns.map(({ name, type }) => [name, catalog.typeName(type)]),
      );
      return [
        ...without(actual, declared).map((column) => `${told(each)}: not declared: ${column}`),
        ...without(declared, actual).map((column) => `${told(each)}: declared only: ${column}`),
      ];
    });
    expect(wrong).toEqual([]);
  });

  it('declare a column nullable if its table does, or say why it is present', () => {
    const wrong = found.flatMap((each) =>
      each.prepared.columns.flatMap((column) => {
        const declared: SqlType<unknown> | undefined = each.statement.row[column.name];
        const mayBeNull = column.table !== 0 && catalog.allowsNull(column);
        if (!declared || declared.nullable) return [];
        if (mayBeNull !== (declared.presentBecause !== undefined)) {
          return [
            `${told(each)}: ${column.name} is ${mayBeNull ? 'nullable' : 'no nullable column: present() says nothing'}`,
          ];
        }
        return [];
      }),
    );
    expect(wrong).toEqual([]);
  });
});

describe('stores', () => {
  it('contain SQL only in statements', () => {
    const others = stores.flatMap(({ file, text }) =>
      [
        ...withoutStrings(text).matchAll(/\.raw\(|\b(?:sql|tx|knex)\s*(?:\(|\.\w+\()|from 'knex'/g),
      ].map(([call]) => `${file}: ${call}`),
    );
    expect(others).toEqual([]);
  });

  it('are the only files with SQL, except for the database layer', () => {
    const others = readSources().filter(
      ({ file, text }) =>
        /^(api|workers|shared)\//.test(file) &&
        !file.endsWith('.store.ts') &&
        !file.startsWith('shared/platform/database/') &&
        /\b(?:sql|tx|knex)\s*(?:\(|\.raw\()/.test(withoutStrings(text)),
    );
    expect(others.map(({ file }) => file)).toEqual([]);
  });

  it('export every statement', () => {
    const hidden = stores.flatMap(({ file, text }) =>
      declarationsOf(text)
        .filter((declaration) => /\bdefineStatement\(/.test(declaration))
        .filter((declaration) => {
          const name = /^export const (\w+)/.exec(declaration)?.[1];
          return !found.some((each) => each.file === file && each.name.split('.')[0] === name);
        })
        .map((declaration) => `${file}: ${declaration.split('\n')[0]}`),
    );
    expect(hidden).toEqual([]);
    const elsewhere = readSources().filter(
      ({ file, text }) =>
        /^(api|workers|shared)\//.test(file) &&
        !file.endsWith('.store.ts') &&
        file !== 'shared/platform/database/sql-statement.ts' &&
        /\bdefineStatement\(/.test(text),
    );
    expect(elsewhere.map(({ file }) => file)).toEqual([]);
  });

  it('contain no unused statements', () => {
    const sources = readSources().filter(({ file }) => !/^(?:test|measure)\//.test(file));
    const dead = found.filter(({ file, name }) => {
      const [exported = ''] = name.split('.');
      const users = sources.filter(
        (source) => source.file === file || source.imports.some(({ target }) => target === file),
      );
      const uses = users.flatMap(
        ({ text }) => text.match(new RegExp(`\\b${exported}\\b`, 'g')) ?? [],
      );
      return uses.length < 2;
    });
    expect(dead.map(({ file, name }) => `${file} ${name}`)).toEqual([]);
  });
});

describe('tables', () => {
  it('each have an owner', () => {
    expect(Object.keys(TABLE_OWNERS).sort()).toEqual([...catalog.tables].sort());
    const folders = new Set(stores.map(({ file }) => folderOf(file)));
    expect(without(Object.values(TABLE_OWNERS), [...folders])).toEqual([]);
  });

  it('are listed in docs/locks.md if a statement locks their rows', () => {
    const updates = (text: string, table: string) =>
      new RegExp(`\\b(update ${table}|into ${table}\\b.*\\bdo update)\\b`, 's').test(text);
    const locked = found.flatMap((each) => [
      ...tablesOf(each, (mode) => mode === 'RowShareLock'),
      ...tablesOf(each, (mode) => mode === 'RowExclusiveLock').filter((table) =>
        updates(each.statement.text, table),
      ),
    ]);
    const page = readProjectFile('docs/locks.md');
    const missing = locked.filter((table) => !page.includes(`\`${table}\``));
    expect([...new Set(missing)].sort()).toEqual([]);
  });

  it('are written only by their owner, except for data retention', () => {
    const foreign = found.filter(isOfOwner).flatMap((each) =>
      tablesOf(each, (mode) => mode === 'RowExclusiveLock')
        .filter((table) => TABLE_OWNERS[table] !== folderOf(each.file))
        .map((table) => `${told(each)} writes ${table} of ${TABLE_OWNERS[table]}`),
    );
    expect(foreign).toEqual([]);
  });

  it('are read from other folders only by read models', () => {
    const reads: Record<string, string[]> = {};
    for (const { file } of stores) {
      const tables = found
        .filter((each) => each.file === file && isOfOwner(each))
        .flatMap((each) => tablesOf(each, () => true))
        .filter((table) => TABLE_OWNERS[table] !== folderOf(file));
      if (tables.length > 0) reads[file] = [...new Set(tables)].sort();
    }
    expect(reads).toEqual(READ_MODELS);
  });
});

describe('the store scanner', () => {
  it('finds statements in records and arrays', () => {
    const one = new SqlStatement({ text: 'select 1' });
    expect(statementsIn(['a', { b: one, c: [one], d: 'no' }]).map(([name]) => name)).toEqual([
      'a.b',
      'a.c.0',
    ]);
  });

  it('splits a file into its declarations', () => {
    const file = `import x from 'y';\n\nconst a = 1;\n\n/** b */\nexport const b = f({\n  c,\n});\n`;
    expect(declarationsOf(file)).toEqual([
      `import x from 'y';`,
      'const a = 1;',
      '/** b */',
      'export const b = f({\n  c,\n});',
    ]);
  });
});

/** Excludes the retention store, which may delete rows of any table. */
const isOfOwner = ({ file }: StoreStatement) =>
  file !== 'shared/operations/retention/retention.store.ts';

const told = ({ file, name }: StoreStatement) => `${file}: ${name}`;

/** `market/inventory` */
function folderOf(file: string): string {
  return file.split('/').slice(1, 3).join('/');
}

function without(all: readonly string[], some: readonly string[]): string[] {
  return all.filter((each) => !some.includes(each));
}

/** The tables that Postgres locks for a statement in one of these modes, by name. */
function tablesOf({ prepared }: ExportedStatement, mode: (mode: string) => boolean): string[] {
  const tables = prepared.locks
    .filter((lock) => mode(lock.mode))
    .map(({ relation }) => catalog.tableOf(relation));
  return tables.filter((table) => table !== undefined);
}

/** Splits at lines that start in the first column, since the formatter indents everything within a declaration. */
function declarationsOf(text: string): string[] {
  return text
    .split(/\n(?=[^\s)}\]`])/)
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

/** Removes comments and the text of template literals, which is SQL. */
function withoutStrings(text: string): string {
  return text.replace(/^\s*(?:\/\/|\*|\/\*).*$/gm, '').replace(/`[^`]*`/g, '``');
}

async function readCatalog(client: pg.Client): Promise<Catalog> {
  const { rows: types } = await client.query<{ oid: number; name: string }>(
    'select oid, format_type(oid, null) as name from pg_type',
  );
  const { rows: columns } = await client.query<{ id: string }>(
    `select attrelid || '.' || attnum as id from pg_attribute where attnum > 0 and attnotnull`,
  );
  const { rows: tables } = await client.query<{ oid: number; name: string }>(
    `select c.oid, coalesce(pg_partition_root(c.oid)::regclass, c.oid::regclass)::text as name
     from pg_class c
     where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and relname not like 'knex%'`,
  );
  const typeNames = new Map(types.map(({ oid, name }) => [oid, name]));
  const notNull = new Set(columns.map(({ id }) => id));
  const tableNames = new Map(tables.map(({ oid, name }) => [oid, name]));
  return {
    typeName: (oid) => typeNames.get(oid) ?? `the type ${oid}`,
    tableOf: (oid) => tableNames.get(oid),
    allowsNull: ({ table, number }) => !notNull.has(`${table}.${number}`),
    tables: [...new Set(tableNames.values())],
  };
}
