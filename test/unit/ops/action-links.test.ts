import { describe, expect, it } from '@jest/globals';
import { COMMANDS } from '../../../api/ops/cli/run-command.ts';
import { actionLink, offeredLinks } from '../../../api/ops/console/action-links.ts';
import { ACTION_FORMS } from '../../../api/ops/console/forms/action-forms.ts';
import { ORDER_FORMS, type OrderState } from '../../../api/ops/console/forms/order-forms.ts';
import { opsRoutes } from '../../../api/ops/ops-routes.ts';
import type { Staff } from '../../../api/ops/ops-session.ts';
import { ORDER_STATUSES } from '../../../shared/sales/orders/order.ts';
import { TRANSFER_STATUSES } from '../../../shared/sales/transfers/transfer.ts';

const given = { order: 'ord_1' };
const admin = { staff: { role: 'admin', stale: false } } as const;
const reader = { staff: { role: 'read_only', stale: false } } as const;
const offered = (state: OrderState, viewer: { staff: Staff } = admin) =>
  offeredLinks(viewer, ORDER_FORMS, state, { given }).map(
    ({ markup }) => /\/ops\/do\/([\w-]+)/.exec(markup)?.[1],
  );

describe('a link to an action form', () => {
  it('has its subject in the URL', () => {
    const link = actionLink(admin, { form: 'order-clear', given, back: '/ops/review' });
    expect(link?.markup).toBe(
      '<a class="button primary" href="/ops/do/order-clear?order=ord_1&amp;back=%2Fops%2Freview">Approve</a>',
    );
  });

  it('is missing for a role that may not submit the form', () => {
    expect(actionLink(reader, { form: 'order-clear', given })).toBeUndefined();
    expect(offered({ status: 'MANUAL_REVIEW', transfer: null }, reader)).toEqual([]);
    const finance = { staff: { role: 'finance', stale: false } } as const;
    expect(offered({ status: 'MANUAL_REVIEW', transfer: null }, finance)).toEqual(['order-refund']);
  });

  it('compiles only for an existing form and its subject', () => {
    // @ts-expect-error: no form has this name.
    expect(() => actionLink(admin, { form: 'order-steal', given })).toThrow();
    // @ts-expect-error: this form needs an order.
    actionLink(admin, { form: 'order-clear', given: { partner: 'ptr_1' } });
    // @ts-expect-error: this form also needs a client.
    actionLink(admin, { form: 'grant-revoke', given: { user: 'usr_1' } });
  });

  it('prefills only fields of its action', () => {
    for (const { action, given: names } of Object.values(ACTION_FORMS)) {
      for (const name of names) expect(Object.keys(action.input.properties)).toContain(name);
    }
  });
});

describe('the actions offered for an order', () => {
  it('depend on its status', () => {
    expect(offered({ status: 'MANUAL_REVIEW', transfer: null })).toEqual([
      'order-clear',
      'order-cancel',
      'order-refund',
    ]);
    const failed = { status: 'failed', cancellation: null } as const;
    expect(offered({ status: 'TRANSFER_IN_PROGRESS', transfer: failed })).toEqual([
      'order-retry-transfer',
      'order-refund',
    ]);
    expect(offered({ status: 'REFUNDED', transfer: null })).toEqual([]);
  });

  it('are only approve and decline while a refund awaits a decision', () => {
    for (const status of TRANSFER_STATUSES) {
      const waiting = { status, cancellation: 'too_late' } as const;
      const forms = offered({ status: 'TRANSFER_IN_PROGRESS', transfer: waiting });
      expect([status, forms]).toEqual([status, ['refund-approve', 'refund-decline']]);
    }
  });

  it('never include transfer actions while the registrar is asked to stop', () => {
    for (const status of TRANSFER_STATUSES) {
      const asked = { status, cancellation: 'requested' } as const;
      expect(offered({ status: 'TRANSFER_IN_PROGRESS', transfer: asked })).toEqual([]);
    }
  });

  it('are defined for every status', () => {
    for (const status of ORDER_STATUSES) expect(offered({ status, transfer: null })).toBeDefined();
  });
});

describe('ops commands', () => {
  it('have unique names and cover every action of the ops API', () => {
    const names = COMMANDS.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const { action } of opsRoutes) expect(names).toContain(action.name);
  });
});
