import type { Requester } from '../../../domain/access/actor.ts';
import type { Clock } from '../../ports/clock.ts';
import { MailError, type Mailer, type MailProblem, type MailRefusal } from '../../ports/mailer.ts';
import type { PeopleStore } from '../../ports/people-store.ts';
import type { MailSettings } from '../../settings/settings.ts';
import { AdminError, TooManyError } from '../admin-error.ts';
import type { AuditTrail } from '../audit/audit-trail.ts';
import { reserve } from '../people/links.ts';
import { type MailBranding, signedText } from './mail-text.ts';

const WINDOW_MS = 600_000;
const MOST_IN_WINDOW = 5;

/** The mail server that the process has started with. */
export interface MailInUse {
  /** `null` without a mail server; so are the others. */
  readonly settings: MailSettings | null;
  readonly mailer: Mailer | null;
  /** Returns a mailer for other settings, within the same limits of emails. */
  readonly mailerFor: (settings: MailSettings) => Mailer;
}

/** Resolves to the settings of a test: those that a restart would use, if there are any. */
export async function testedMail({ mail, next }: Pick<TestMailPorts, 'mail' | 'next'>) {
  const settings = (await next()) ?? mail.settings;
  if (settings === null) return null;
  const isPending = JSON.stringify(settings) !== JSON.stringify(mail.settings);
  return { settings, isPending };
}

export interface TestMailPorts {
  readonly people: Pick<PeopleStore, 'countAttempts'>;
  readonly clock: Pick<Clock, 'nowMs' | 'monotonicMs'>;
  readonly mail: MailInUse;
  /** Resolves to the mail server that a restart would use; `null` without one. */
  readonly next: () => Promise<MailSettings | null>;
  readonly branding: () => Promise<MailBranding>;
}

const SENTENCES: Readonly<Record<MailProblem, string>> = {
  host_not_found: 'The mail server’s host name could not be resolved.',
  unreachable: 'The mail server could not be reached.',
  tls: 'The encrypted connection to the mail server failed.',
  timeout: 'The mail server did not answer in time.',
  credentials_refused: 'The mail server refused the user name or the password.',
  address_refused: 'The mail server refused the sender or the recipient.',
  message_refused: 'The mail server refused the email.',
  failed: 'The email could not be sent.',
};

/**
 * Sends an email to the requester's own address through the mail server in use, or the one that was set since the start, and resolves to the outcome, at the latest when the
 * mailer gives up. Throws `AdminError` without a mail server, for a token, which has no address, and above the limits.
 */
export async function sendTestMail(
  { people, clock, mail, next, branding }: TestMailPorts,
  { requester, trail }: { readonly requester: Requester | null; readonly trail: AuditTrail },
) {
  if (requester?.kind !== 'person') {
    throw new AdminError(
      'conflict',
      'to',
      'a management token has no email address: sign in to the dashboard as an admin',
    );
  }
  const tested = await testedMail({ mail, next });
  if (tested === null) {
    throw new AdminError('conflict', 'mail.smtp_url', 'is not set: set mail.smtp_url and mail.from first');
  }
  const { settings, isPending } = tested;
  const mailer = isPending ? mail.mailerFor(settings) : mail.mailer;
  const { userId, email: to } = requester;
  await countTest(people, clock.nowMs(), userId);
  const { name, supportUrl } = await branding();
  const reserved = await reserve(mailer, to, 'operators');
  const startedAtMs = clock.monotonicMs();
  let refusal: MailRefusal | null = null;
  try {
    const text = signedText(`This is a test email from ${name}. The mail server works.`, { name, supportUrl });
    await reserved?.send({ subject: `Test email from ${name}`, text });
  } catch (error) {
    if (!(error instanceof MailError)) throw error;
    refusal = error.refusal;
  }
  const durationMs = Math.round(clock.monotonicMs() - startedAtMs);
  const after = { sent: refusal === null, ...(refusal && { problem: refusal.kind, status: refusal.status }) };
  await trail.note({ action: 'settings.test_mail', accountId: null, objectId: 'mail', after });
  return {
    object: 'mail_test' as const,
    to,
    from: settings.from,
    pending: isPending,
    sent: refusal === null,
    duration_ms: durationMs,
    problem: refusal && {
      kind: refusal.kind,
      message: SENTENCES[refusal.kind],
      status: refusal.status,
      server_said: refusal.said,
    },
  };
}

/** Limits the tests of one person, which would otherwise use up the emails to the own address. Throws `AdminError`. */
async function countTest(people: TestMailPorts['people'], nowMs: number, userId: string): Promise<void> {
  const [counted] = await people.countAttempts([`test mail of ${userId}`], nowMs, WINDOW_MS);
  if (counted === undefined) throw new Error('The store returned no count.');
  if (counted.count <= MOST_IN_WINDOW) return;
  const waitMs = Math.max(1_000, counted.windowEndsAtMs - nowMs);
  const problem = `${MOST_IN_WINDOW} test emails in 10 minutes are enough: try again in ${Math.ceil(waitMs / 60_000)} min`;
  throw new TooManyError('to', problem, waitMs);
}
