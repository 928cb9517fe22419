import type pg from 'pg';

/** Settings of a session by name, as `set` takes them. */
export type SessionSettings = Readonly<Record<string, string>>;

/** For the start of a session that is ours alone, as `options` of a connection. */
export function startupOptions(settings: SessionSettings): string {
  return Object.entries(settings)
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ');
}

interface Statement {
  text: string;
  values?: unknown[];
  name?: string;
}
type Answer = (error: Error | null, result?: pg.QueryResult | pg.QueryResult[]) => void;
type Send = (statement: Statement, answer: Answer) => void;

/**
 * Makes a connection fit for a pooler that gives every transaction another session of Postgres: each transaction
 * begins with its own settings, a statement outside of one gets one for itself, and none is prepared by name. All
 * of that travels in the round trip of the statement. The connection must be made with `pipeline: true`.
 */
export function adaptToTransactionPooler(connection: pg.Client, settings: SessionSettings): void {
  const send = connection.query.bind(connection) as unknown as Send;
  const begin = { text: beginWith(settings) };
  let open = false;

  /** The session of this transaction is looked for in `pg_stat_activity` when it is silent for long. */
  const sendBegin = (answer: Answer) =>
    send(begin, (error, result) => {
      if (Array.isArray(result)) Object.assign(connection, { processID: result[1]?.rows[0]?.pid });
      answer(error, result);
    });
  const sendAlone: Send = (statement, answer) => {
    let outcome: Parameters<Answer> = [null];
    sendBegin(() => {});
    send(statement, (...given) => {
      outcome = given;
    });
    // What failed is rolled back by it. Only now is it known whether what was written stays.
    send({ text: 'commit' }, (error) =>
      error && !outcome[0] ? answer(error) : answer(...outcome),
    );
  };

  const query: Send = ({ name: _name, ...statement }, answer) => {
    const [word] = /^[a-z]+/i.exec(statement.text) ?? [''];
    const command = word.toLowerCase();
    if (command === 'begin') {
      open = true;
      sendBegin((error, result) => {
        open = !error;
        answer(error, result);
      });
    } else if (open) {
      // A savepoint's `ROLLBACK TO` leaves the transaction open.
      open = !/^(commit|rollback(?! to))\b/i.test(statement.text);
      send(statement, answer);
    } else {
      sendAlone(statement, answer);
    }
  };
  connection.query = query as unknown as pg.Client['query'];
}

/** In one message of the simple protocol; the second result has the session. */
function beginWith(settings: SessionSettings): string {
  const set = Object.entries(settings).map(
    // The default of transactions comes too late for this one.
    ([name, value]) =>
      `set_config('${name.replace('default_transaction', 'transaction')}', '${value}', true)`,
  );
  return `begin; select ${['pg_backend_pid() as pid', ...set].join(', ')}`;
}
