import { defineStatement } from '../../platform/database/sql-statement.ts';
import {
  bigint,
  nullable,
  type RowOf,
  text,
  textOf,
  timestamptz,
} from '../../platform/database/sql-types.ts';

/** What failed: the password of an address, a passkey, or the code of a second factor. */
export type FailureReason = 'password' | 'passkey' | 'code';

const FAILURE = {
  /** Null if no account was found. */
  userId: nullable(text),
  reason: textOf<FailureReason>(),
  address: nullable(text),
  userAgent: nullable(text),
  at: timestamptz,
};

/** Inserts a failed sign-in. */
export const insertFailure = defineStatement({
  params: FAILURE,
  text: `insert into sign_in_failures (user_id, reason, address, user_agent, at)
    values (:userId, :reason, :address, :userAgent, :at)`,
});

const FAILURE_ENTRY = {
  ...FAILURE,
  id: bigint,
  /** The account's email address. An unknown address is not stored. */
  email: nullable(text),
};
/** A failed sign-in with its account's address. */
export type SignInFailure = RowOf<typeof FAILURE_ENTRY>;

/** Selects failed sign-ins with an id below `after`, newest first, for one account or any. */
export const selectFailures = defineStatement({
  params: {
    userId: nullable(text),
    from: nullable(timestamptz),
    to: nullable(timestamptz),
    after: nullable(bigint),
    limit: bigint,
  },
  row: FAILURE_ENTRY,
  text: `select f.id, f.user_id as "userId", f.reason, f.address, f.user_agent as "userAgent", f.at, u.email
    from sign_in_failures f left join users u on u.id = f.user_id
    where (:userId::text is null or f.user_id = :userId)
      and (:from::timestamptz is null or f.at >= :from) and (:to::timestamptz is null or f.at < :to)
      and (:after::bigint is null or f.id < :after)
    order by f.id desc limit :limit`,
});
