import path from 'node:path';
import { DEFAULT_QUOTAS } from '../../src/domain/access/object-quotas.ts';
import {
  DEFAULT_BATCHES,
  DEFAULT_MAIL_LIMITS,
  DEFAULT_SERVER,
  DEFAULT_TASKS,
  LARGEST_MEMORY_BOUNDS,
} from '../../src/engine/settings/settings.ts';
import { BODY_BOUNDS } from '../../src/formats/shared/request/scan-levels.ts';
import { MOST_PAGE_BYTES } from '../../src/transports/management/list.ts';

/* docs/security.md is written by hand except for its table of limits, which is generated. */

const BEGIN = '<!-- limits -->';
const END = '<!-- end of limits -->';
const MIB = 1024 * 1024;

const number = (value: number) => value.toLocaleString('en-US');
const mebibytes = (bytes: number) => `${number(bytes / MIB)} MiB`;
const LIMITS = '[limits.md](limits.md)';
const CALLERS = '[limits.md](limits.md#the-management-api-and-pages)';
const BODIES = '[server.md](server.md#bodies-and-memory)';

const ROWS: readonly (readonly [limit: string, usual: string, more: string])[] = [
  [
    'an inference body (`server.max_body_bytes`)',
    `${mebibytes(LARGEST_MEMORY_BOUNDS.maxBodyBytes)}, less with little memory; ${number(BODY_BOUNDS.values)} values, ${number(BODY_BOUNDS.depth)} levels, ${number(BODY_BOUNDS.members)} members of one object`,
    BODIES,
  ],
  ['a file that is passed through (`server.max_upload_bytes`)', mebibytes(DEFAULT_SERVER.maxUploadBytes), BODIES],
  [
    'files of batches of an account (`batches.max_file_bytes`, `max_files_per_account`, `max_file_bytes_per_account`)',
    `${mebibytes(DEFAULT_BATCHES.maxFileBytes)} each; ${number(DEFAULT_BATCHES.maxFilesPerAccount)} files with ${mebibytes(DEFAULT_BATCHES.maxFileBytesPerAccount)} together`,
    '[batches.md](batches.md#files)',
  ],
  [
    'unfinished batches of an account (`batches.max_open_per_account`)',
    `${number(DEFAULT_BATCHES.maxOpenPerAccount)}, with ${number(DEFAULT_BATCHES.maxLines)} lines each`,
    '[batches.md](batches.md#batches)',
  ],
  [
    'a management API body',
    '1 MiB and 20,000 values; on routes that are open to everybody 8 KiB and 100 values',
    CALLERS,
  ],
  [
    'a page of a list',
    `${mebibytes(MOST_PAGE_BYTES)} and the object that exceeds it; 1,000 objects`,
    '[management.md](management.md#conventions)',
  ],
  [
    'objects of an account (`quotas`)',
    `${number(DEFAULT_QUOTAS.keys)} keys, ${DEFAULT_QUOTAS.managementTokens} management tokens, ${DEFAULT_QUOTAS.channels} PRIVATE channels with ${number(DEFAULT_QUOTAS.channelModels)} models together, ${DEFAULT_QUOTAS.members} members, ${DEFAULT_QUOTAS.openInvitations} open invitations, ${DEFAULT_QUOTAS.alertRules} alert rules, ${DEFAULT_QUOTAS.alertWebhooks} webhooks`,
    '[accounts.md](accounts.md#quotas)',
  ],
  ['requests of an account in any 60 s', 'by its role: User 60, Partner 300, VIP 1,000', LIMITS],
  ['unfinished tasks of an account', number(DEFAULT_TASKS.maxOpenPerAccount), '[tasks.md](tasks.md)'],
  [
    'WebSockets of an account (`server.max_sockets_per_account`)',
    number(DEFAULT_SERVER.maxSocketsPerAccount),
    '[clients.md](clients.md#responses-over-websocket)',
  ],
  [
    'management requests of one person or token in any 60 s (`server.management_requests_per_minute`)',
    `${number(DEFAULT_SERVER.managementRequestsPerMinute)}, and 64 in flight`,
    CALLERS,
  ],
  [
    'management requests of an address in a minute without a session or token (`server.anonymous_requests_per_minute`)',
    number(DEFAULT_SERVER.anonymousRequestsPerMinute),
    CALLERS,
  ],
  [
    'requests in flight of an address that need no key (`server.anonymous_requests_in_flight`)',
    number(DEFAULT_SERVER.anonymousRequestsInFlight),
    CALLERS,
  ],
  [
    'wrong keys of an address in a minute (`server.wrong_keys_per_minute`)',
    number(DEFAULT_SERVER.wrongKeysPerMinute),
    '[limits.md](limits.md#requests-without-a-valid-key)',
  ],
  [
    'wrong passwords for one email address in 15 minutes',
    '10, and 100 attempts from one network address',
    '[people.md](people.md#how-sign-in-is-protected)',
  ],
  [
    'mails to one address per hour (`mail.max_per_recipient_per_hour`)',
    `${DEFAULT_MAIL_LIMITS.perRecipientPerHour}; for one account ${DEFAULT_MAIL_LIMITS.perAccountPerHour}, in total ${number(DEFAULT_MAIL_LIMITS.perHour)}`,
    '[people.md](people.md#mail)',
  ],
  ['the slowest upload', '1 KiB/s, and 30 minutes in total', '[limits.md](limits.md#request-bodies)'],
];

/** Returns the page with the table regenerated. */
export async function securityPage(): Promise<string> {
  const page = await Bun.file(path.join(import.meta.dir, '..', '..', 'docs', 'security.md')).text();
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`docs/security.md lacks the markers of its limits: ${BEGIN} … ${END}`);
  const rows = ROWS.map((row) => `| ${row.join(' | ')} |`);
  const table = ['', '', '| limit | default | more |', '|---|---|---|', ...rows, '', ''].join('\n');
  return page.slice(0, begin + BEGIN.length) + table + page.slice(end);
}
