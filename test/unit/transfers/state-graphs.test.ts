import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { CASE_MOVES, CASE_STATUSES } from '../../../shared/sales/brokerage/brokerage-case.ts';
import { OFFER_MOVES, OFFER_STATUSES } from '../../../shared/sales/offers/offer.ts';
import { ORDER_MOVES, ORDER_STATUSES } from '../../../shared/sales/orders/order.ts';
import {
  DELIVERY_MOVES,
  DELIVERY_STATUSES,
} from '../../../shared/sales/transfers/domain-delivery.ts';
import { TRANSFER_MOVES, TRANSFER_STATUSES } from '../../../shared/sales/transfers/transfer.ts';

interface Graph {
  statuses: readonly string[];
  initial: readonly string[];
  terminal: readonly string[];
  moves: Readonly<Record<string, { from: readonly string[]; to: string }>>;
}

const graphs: Record<string, Graph> = {
  order: {
    statuses: ORDER_STATUSES,
    initial: ['EXTERNALLY_PAID', 'MANUAL_REVIEW', 'PAID'],
    terminal: ['REFUNDED', 'CANCELLED'],
    moves: ORDER_MOVES,
  },
  transfer: {
    statuses: TRANSFER_STATUSES,
    initial: ['queued'],
    terminal: ['completed', 'cancelled'],
    moves: TRANSFER_MOVES,
  },
  delivery: {
    statuses: DELIVERY_STATUSES,
    initial: ['awaiting_claim'],
    terminal: ['delivered', 'failed'],
    moves: DELIVERY_MOVES,
  },
  offer: {
    statuses: OFFER_STATUSES,
    initial: ['OPEN'],
    terminal: ['ACCEPTED', 'DECLINED', 'EXPIRED'],
    moves: OFFER_MOVES,
  },
  'brokerage case': {
    statuses: CASE_STATUSES,
    initial: ['OPEN'],
    terminal: ['COMPLETED', 'CLOSED_NO_DEAL', 'CANCELLED'],
    moves: CASE_MOVES,
  },
};

function reachable(graph: Graph, from: readonly string[]): Set<string> {
  const seen = new Set(from);
  for (const status of seen) {
    for (const move of Object.values(graph.moves)) {
      if (move.from.includes(status)) seen.add(move.to);
    }
  }
  return seen;
}

describe.each(Object.entries(graphs))('the states of an %s', (_name, graph) => {
  it('can all be reached', () => {
    expect([...reachable(graph, graph.initial)].sort()).toEqual([...graph.statuses].sort());
  });

  it('have a next state, except for terminal ones', () => {
    const ends = graph.statuses.filter((status) =>
      Object.values(graph.moves).every((move) => !move.from.includes(status)),
    );
    expect(ends.sort()).toEqual([...graph.terminal].sort());
  });

  it('all eventually lead to a terminal one', () => {
    for (const status of graph.statuses) {
      const after = reachable(graph, [status]);
      expect(graph.terminal.some((end) => after.has(end))).toBe(true);
    }
  });

  it('are never left once terminal, whatever moves are tried', () => {
    const names = Object.keys(graph.moves);
    fc.assert(
      fc.property(
        fc.constantFrom(...graph.initial),
        fc.array(fc.constantFrom(...names), { maxLength: 30 }),
        (start, tries) => {
          let status = start;
          for (const name of tries) {
            const move = graph.moves[name];
            if (!move?.from.includes(status)) continue;
            if (graph.terminal.includes(status)) return false;
            status = move.to;
          }
          return graph.statuses.includes(status);
        },
      ),
    );
  });
});
