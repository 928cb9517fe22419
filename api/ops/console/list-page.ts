import type { TProperties } from 'typebox';
import type { TimeOwner } from '../../../shared/messaging/unit-of-work/partner-time.ts';
import { type ListColumn as Column, type List, listInput, showList } from '../../pages/kit/list.ts';
import { pageNowOfEach } from '../../pages/kit/page-time.ts';
import { type ConsolePage, consolePage, type PageContext, type Section } from './console-page.ts';

/** A column of a list of the console. */
export type ListColumn<Row, Sort> = Column<Row, Sort, PageContext>;

type AnyList<F extends TProperties, Row, Sort extends string, Position> = List<
  F,
  Row,
  Sort,
  Position,
  PageContext
>;

/** A list of the console. */
export interface ConsoleList<F extends TProperties, Row, Sort extends string, Position>
  extends Omit<AnyList<F, Row, Sort, Position>, 'columns' | 'contextsOf'> {
  /** Below `/ops`. */
  path: string;
  section: Section;
  /** Ages are relative to the `now` that each cell gets: that of its row. */
  columns(
    filters: Parameters<AnyList<F, Row, Sort, Position>['columns']>[0],
    here: string,
    context: Omit<PageContext, 'now'>,
  ): readonly ListColumn<Row, Sort>[];
}

/** Defines the page of a list in real time, which applies to what machines wait for and all partners share. */
export function listInRealTime<F extends TProperties, Row, Sort extends string, Position = string>(
  list: ConsoleList<F, Row, Sort, Position>,
): ConsolePage {
  return listPage(list);
}

/** Defines the page of a list in the time of each row's owner, whose sandbox may be ahead of real time. */
export function listInOwnTime<
  F extends TProperties,
  Row extends TimeOwner,
  Sort extends string,
  Position = string,
>(list: ConsoleList<F, Row, Sort, Position>): ConsolePage {
  return listPage({
    ...list,
    async contextsOf(context, rows: readonly Row[]) {
      const nowOf = await pageNowOfEach(context, rows);
      return (row) => ({ ...context, now: nowOf(row) });
    },
  });
}

function listPage<F extends TProperties, Row, Sort extends string, Position>(
  list: AnyList<F, Row, Sort, Position> & { path: string; section: Section },
): ConsolePage {
  const file = list.path.replace(/^\//, '').replace(/\W+/g, '-');
  return consolePage({
    path: list.path,
    input: listInput(list),
    async show(context, given) {
      const shown = await showList(list, context, given, { path: `/ops${list.path}`, file });
      return 'csv' in shown ? shown : { ...shown, section: list.section };
    },
  });
}
