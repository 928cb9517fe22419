import type { Environment } from '../../../platform/config/config.ts';
import { defineStatement } from '../../../platform/database/sql-statement.ts';
import {
  arrayOf,
  bigint,
  date,
  integer,
  jsonb,
  nullable,
  text,
  textOf,
} from '../../../platform/database/sql-types.ts';
import type { MissReading } from './read-miss.ts';

const DAY = { environment: textOf<Environment>(), day: date };

/** Adds searches to the total of a day. */
export const addToDay = defineStatement({
  params: { ...DAY, searches: integer },
  text: `insert into search_miss_days as d (environment, day, searches)
    values (:environment, :day::date, :searches)
    on conflict (environment, day) do update set searches = d.searches + excluded.searches`,
});

/** Adds searches to a day's queries; ignores new queries once the day has about `limit`. */
export const addQueries = defineStatement({
  params: { ...DAY, queries: arrayOf(text), searches: arrayOf(integer), limit: integer },
  text: `insert into search_misses as m (environment, day, query, searches)
    select :environment, :day::date, c.query, c.searches
    from (
      select u.query, u.searches, row_number() over (order by u.query) as place
      from unnest(:queries::text[], :searches::integer[]) as u(query, searches)
    ) c
    where c.place + (select count(*) from search_misses k
        where k.environment = :environment and k.day = :day::date) <= :limit::integer
      or exists (select from search_misses k
        where k.environment = :environment and k.day = :day::date and k.query = c.query)
    order by c.query
    on conflict (environment, day, query) do update set searches = m.searches + excluded.searches`,
});

/** Days before `before` without a report, oldest first. */
export const selectDaysWithoutReport = defineStatement({
  params: { before: date, limit: bigint },
  row: { environment: textOf<Environment>(), day: text },
  text: `select environment, day::text from search_miss_days
    where queries is null and day < :before::date order by day, environment limit :limit`,
});

/** Counts the distinct queries of a day, once. */
export const countQueries = defineStatement({
  params: DAY,
  text: `update search_miss_days d
    set queries = (select count(*) from search_misses m
      where m.environment = d.environment and m.day = d.day)
    where d.environment = :environment and d.day = :day::date and d.queries is null`,
});

/** Deletes a day's queries except the `kept` most frequent. */
export const deleteRareQueries = defineStatement({
  params: { ...DAY, kept: bigint },
  text: `delete from search_misses m
    where m.environment = :environment and m.day = :day::date
      and m.query in (select r.query from search_misses r
        where r.environment = :environment and r.day = :day::date
        order by r.searches desc, r.query offset :kept)`,
});

/** The most frequent queries of a day. */
export const selectFrequentOfDay = defineStatement({
  params: { ...DAY, limit: bigint },
  row: { query: text },
  text: `select query from search_misses where environment = :environment and day = :day::date
    order by searches desc, query limit :limit`,
});

/** Records how a day's queries were understood. */
export const writeReadings = defineStatement({
  params: { ...DAY, readings: jsonb<readonly { query: string; reading: MissReading }[]>() },
  text: `update search_misses m set reading = r.reading
    from jsonb_to_recordset(:readings::jsonb) as r(query text, reading jsonb)
    where m.environment = :environment and m.day = :day::date and m.query = r.query`,
});

/** The queries since a day that most often found nothing. */
export const selectFrequent = defineStatement({
  params: { environment: textOf<Environment>(), from: date, limit: bigint },
  row: {
    query: text,
    searches: bigint,
    days: bigint,
    lastDay: text,
    reading: nullable(jsonb<MissReading>()),
  },
  text: `select query, sum(searches) as searches, count(*) as days, max(day)::text as "lastDay",
      (array_agg(reading order by day desc) filter (where reading is not null))[1] as reading
    from search_misses
    where environment = :environment and day >= :from::date
    group by query order by sum(searches) desc, query limit :limit`,
});

/** The daily totals since a day, newest first. */
export const selectDays = defineStatement({
  params: { environment: textOf<Environment>(), from: date },
  row: { day: text, searches: integer, queries: nullable(integer) },
  text: `select day::text, searches, queries from search_miss_days
    where environment = :environment and day >= :from::date order by day desc`,
});
