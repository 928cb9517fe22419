import type pg from 'pg';

/** Session settings by name, as for `set`. */
export type SessionSettings = Readonly<Record<string, string>>;

/** Returns the `options` of a connection that has its session to itself. */
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
 * Adapts a connection to a pooler in transaction mode. Each transaction begins with the settings, a statement outside
 * a transaction gets its own, and no statement is prepared by name. This needs no extra round trips. The connection
 * must be created with `pipeline: true`.
 */
export function adaptToTransactionPooler(connection: pg.Client, settings: SessionSettings): void {
  const send = connection.query.bind(connection) as unknown as Send;
  const begin = { text: beginWith(settings) };
  let open = false;

  /** Stores the session's process ID, to look it up in `pg_stat_activity` if it is silent for long. */
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
    // Rolls back a failed statement. Only its result shows whether a write was committed.
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
      // `ROLLBACK TO` a savepoint leaves the transaction open.
      open = !/^(commit|rollback(?! to))\b/i.test(statement.text);
      send(statement, answer);
    } else {
      sendAlone(statement, answer);
    }
  };
  connection.query = query as unknown as pg.Client['query'];
}

/** Returns one message of the simple protocol. Its second result has the session's process ID. */
function beginWith(settings: SessionSettings): string {
  const set = Object.entries(settings).map(
    // The default for transactions would come too late for this one.
    ([name, value]) =>
      `set_config('${name.replace('default_transaction', 'transaction')}', '${value}', true)`,
  );
  return `begin; select ${['pg_backend_pid() as pid', ...set].join(', ')}`;
}
