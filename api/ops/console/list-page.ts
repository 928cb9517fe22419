import type { TProperties } from 'typebox';
import { type ListColumn as Column, type List, listInput, showList } from '../../pages/kit/list.ts';
import { type ConsolePage, consolePage, type PageContext, type Section } from './console-page.ts';

/** A column of a list of the console. */
export type ListColumn<Row, Sort> = Column<Row, Sort, PageContext>;

/** A list of the console. */
export interface ConsoleList<F extends TProperties, Row, Sort extends string, Position>
  extends List<F, Row, Sort, Position, PageContext> {
  /** Below `/ops`. */
  path: string;
  section: Section;
}

/** The page of a list. */
export function listPage<F extends TProperties, Row, Sort extends string, Position = string>(
  list: ConsoleList<F, Row, Sort, Position>,
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
