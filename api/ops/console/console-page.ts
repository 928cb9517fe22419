import { type Static, type TObject, Type } from 'typebox';
import { fail } from '../../../shared/platform/errors.ts';
import { type IdKind, isId } from '../../../shared/platform/ids.ts';
import type { Markup } from '../../pages/html.ts';
import type { OpsContext } from '../action.ts';
import type { Section } from './layout.ts';

/** What a page reads with: the runtime, who is looking, and the moment to which ages refer. */
export interface PageContext extends OpsContext {
  now: Date;
}

export interface PageView {
  title: string;
  section: Section | null;
  content: Markup;
  searched?: string;
}

/** One page: its path below `/ops`, what its path and query may hold, and what it shows. */
export interface ConsolePage {
  path: string;
  /** Path and query in one. Empty fields of a filter count as left out. */
  input: TObject;
  /** A view, or the path to go to instead. @throws errors of the catalogue, shown as a page */
  show(context: PageContext, input: unknown): Promise<PageView | string>;
}

/** A page whose `show` is typed by its input. */
export function consolePage<I extends TObject>(
  page: Omit<ConsolePage, 'input' | 'show'> & {
    input: I;
    show(context: PageContext, input: Static<I>): Promise<PageView | string>;
  },
): ConsolePage {
  return page as unknown as ConsolePage;
}

/** Rows of a list on one page. */
export const PAGE_SIZE = 50;

/** Where a list goes on: the last id of the page before. */
export const CursorField = Type.Optional(Type.String({ maxLength: 64 }));
export const EnvironmentFilter = Type.Optional(Type.Enum(['LIVE', 'SANDBOX']));
export const IdField = Type.String({ maxLength: 64 });

/** @throws not_found for what is no id of this kind, before anything is asked */
export function requireId(kind: IdKind, id: string, message: string): string {
  if (!isId(kind, id)) throw fail('not_found', { message });
  return id;
}
