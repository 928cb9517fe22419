import { mailResend } from '../../actions/mail-actions.ts';
import { registryMarkMessageRead } from '../../actions/registry-actions.ts';
import * as subjects from '../action-subjects.ts';
import { always, form } from './action-form.ts';

/** Actions on the mails that we send. */
export const MAIL_FORMS = {
  'mail-resend': form({
    action: mailResend,
    section: 'mail',
    given: ['mail'],
    subject: subjects.mail,
    link: 'Send again',
    offered: always,
    title: (name) => `Send this email to ${name} again?`,
    effect: 'It is sent right away unless its address is on the suppression list.',
    button: 'Send again',
    done: (name) => `The email to ${name} is queued.`,
  }),
};

/** Actions on the messages that a registry sends. */
export const REGISTRY_FORMS = {
  'registry-mark-message-read': form({
    action: registryMarkMessageRead,
    section: 'transfers',
    given: ['message'],
    subject: subjects.registryMessage,
    link: 'Mark as read',
    offered: always,
    title: (name) => `Mark ${name} as read?`,
    effect: 'Removes it from the list. Do what it asks first.',
    button: 'Mark as read',
    done: (name) => `You marked ${name} as read.`,
  }),
};
