import { contextOf as contextOfTarget } from '../../sql/alerts/rows.ts';
import { placeOfContent, placeOfVerdicts } from '../../sql/batches/relay-rows.ts';
import { placeOfLine as placeOfBatchLine, placeOfNotes } from '../../sql/batches/rows.ts';
import { placeOfChunk, placeOfName } from '../../sql/batches/sql-files.ts';
import { placeOf as placeOfReport } from '../../sql/cache-reports.ts';
import { placeOf as placeOfCapture } from '../../sql/captures/sql-captures.ts';
import { placeOf as placeOfRequest } from '../../sql/idempotency.ts';
import { placeOf as placeOfResponse } from '../../sql/responses.ts';
import { placeOf as placeOfTask } from '../../sql/tasks/rows.ts';
import { createContentBox } from '../content-box.ts';
import { createSecretBox } from '../secret-box.ts';
import { placeOf as placeOfChannel, placeOfKeys } from '../tables/channels.ts';
import { placeOfGuard } from '../tables/guards.ts';
import { placeOf as placeOfLine } from '../tables/sealed-failure.ts';
import { hasSealed, openedWords, sealedWords } from '../tables/settings.ts';

export type Sealed = string | Uint8Array;

/** A column encrypted with a key derived from the master secret. */
export interface SealedColumn {
  readonly table: string;
  /** The columns that identify a row, in index order. */
  readonly keys: readonly string[];
  readonly column: string;
  /** Returns whether the value of a row is encrypted; absent if all are. */
  isSealed?(value: Sealed, keys: readonly string[]): boolean;
  /** Decrypts the value of the row with these keys and encrypts it for the same row with the new secret. */
  reseal(sealed: Sealed, keys: readonly string[]): Sealed | Promise<Sealed>;
}

interface Place {
  readonly table: string;
  readonly keys: readonly string[];
  readonly column: string;
}

/** Secrets that the gateway needs in order to work, stored as text. */
const SECRETS: readonly (Place & { readonly contextOf: (keys: readonly string[]) => string })[] = [
  { table: 'channels', keys: ['id'], column: 'sealed_api_key', contextOf: ([id = '']) => placeOfChannel({ id }) },
  { table: 'guards', keys: ['id'], column: 'secrets', contextOf: ([id = '']) => placeOfGuard(id) },
  { table: 'channels', keys: ['id'], column: 'sealed_api_keys', contextOf: ([id = '']) => placeOfKeys({ id }) },
  {
    table: 'alert_targets',
    keys: ['owner', 'id'],
    column: 'sealed',
    contextOf: ([owner = '', id = '']) => contextOfTarget({ accountId: owner || null, id }),
  },
];

/** Clients' content, stored as bytes. */
const CONTENTS: readonly (Place & { readonly placeOf: (keys: readonly string[]) => readonly string[] })[] = [
  ...(['input', 'response'] as const).map((part) => ({
    table: 'responses',
    keys: ['account_id', 'id'],
    column: `sealed_${part}`,
    placeOf: ([account = '', id = '']: readonly string[]) => placeOfResponse(account, id, part),
  })),
  ...(['ticket', 'ending', 'request'] as const).map((part) => ({
    table: 'tasks',
    keys: ['id'],
    column: `sealed_${part}`,
    placeOf: ([id = '']: readonly string[]) => placeOfTask(id, part),
  })),
  { table: 'files', keys: ['id'], column: 'sealed_name', placeOf: ([id = '']) => placeOfName(id) },
  {
    table: 'file_chunks',
    keys: ['file_id', 'number'],
    column: 'sealed',
    placeOf: ([file = '', number = '']) => placeOfChunk(file, number),
  },
  { table: 'batches', keys: ['id'], column: 'sealed_notes', placeOf: ([id = '']) => placeOfNotes(id) },
  {
    table: 'batch_lines',
    keys: ['batch_id', 'number'],
    column: 'sealed_result',
    placeOf: ([batch = '', number = '']) => placeOfBatchLine(batch, number),
  },
  {
    table: 'relayed_lines',
    keys: ['relay_id', 'number'],
    column: 'sealed_content',
    placeOf: ([relay = '', number = '']) => placeOfContent(relay, number),
  },
  {
    table: 'relayed_lines',
    keys: ['relay_id', 'number'],
    column: 'sealed_verdicts',
    placeOf: ([relay = '', number = '']) => placeOfVerdicts(relay, number),
  },
  {
    table: 'cache_reports',
    keys: ['id', 'account_id'],
    column: 'sealed_description',
    placeOf: ([id = '', account = '']) => placeOfReport(account, id),
  },
  {
    table: 'idempotent_requests',
    keys: ['scope', 'key'],
    column: 'sealed_answer',
    placeOf: ([scope = '', key = '']) => placeOfRequest(scope, key),
  },
  ...(['request', 'answer'] as const).map((column, at) => ({
    table: 'captures',
    keys: ['request_id', 'account_id'],
    column,
    placeOf: ([request = '', account = '']: readonly string[]) => placeOfCapture(account, request, at),
  })),
];

/** Contents of rows that are written as JSON, stored as base64. */
const TEXTS: typeof CONTENTS = [
  {
    table: 'request_log',
    // The log is indexed by time only.
    keys: ['at_ms', 'request_id'],
    column: 'sealed_failure',
    placeOf: ([, request = '']) => placeOfLine(request),
  },
];

/** Returns all sealed columns except those of the sign-in library (`twoFactorColumns`), which has its own encryption. */
export function sealedColumns(from: string, to: string): readonly SealedColumn[] {
  const boxes = [createSecretBox(from), createSecretBox(to)] as const;
  const contents = [createContentBox(from), createContentBox(to)] as const;
  return [
    ...SECRETS.map(({ contextOf, ...place }) => ({
      ...place,
      reseal: (sealed: Sealed, keys: readonly string[]) =>
        boxes[1].seal(boxes[0].open(String(sealed), contextOf(keys)), contextOf(keys)),
    })),
    {
      ...{ table: 'settings', keys: ['section'], column: 'words' },
      isSealed: (words: Sealed, [section = '']: readonly string[]) => hasSealed(section, String(words)),
      reseal: (words: Sealed, [section = '']: readonly string[]) =>
        sealedWords(boxes[1], section, openedWords(boxes[0], section, String(words))),
    },
    ...CONTENTS.map(({ placeOf, ...place }) => ({
      ...place,
      reseal: (sealed: Sealed, keys: readonly string[]) => {
        if (typeof sealed === 'string') throw new Error(`${place.table}.${place.column} holds text, not bytes`);
        return contents[1].seal(contents[0].openBytes(sealed, placeOf(keys)), placeOf(keys));
      },
    })),
    ...TEXTS.map(({ placeOf, ...place }) => ({
      ...place,
      reseal: (sealed: Sealed, keys: readonly string[]) => {
        const plain = contents[0].openBytes(Buffer.from(String(sealed), 'base64'), placeOf(keys));
        return Buffer.from(contents[1].seal(plain, placeOf(keys))).toString('base64');
      },
    })),
  ];
}

/** Returns the columns that the sign-in library encrypts, with its own `reseal`. */
export function twoFactorColumns(reseal: (sealed: string) => Promise<string>): readonly SealedColumn[] {
  return ['secret', 'backup_codes'].map((column) => ({
    table: 'sign_in_two_factors',
    keys: ['id'],
    column,
    reseal: (sealed) => reseal(String(sealed)),
  }));
}
