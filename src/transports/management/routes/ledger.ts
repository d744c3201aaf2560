import { z } from 'zod';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { existingAccount } from '../../../engine/admin/accounts/read-accounts.ts';
import { entryView, listBalances, listEntries, type WantedEntries } from '../../../engine/admin/ledger/read-ledger.ts';
import { namedPage } from '../../../engine/admin/names.ts';
import { isoTime } from '../../../engine/admin/view-fields.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import { ENTRY_KINDS } from '../../../engine/ports/ledger.ts';
import type { Store } from '../../../engine/ports/store.ts';
import type { RetentionSettings } from '../../../engine/settings/settings.ts';
import { time } from '../../../providers/shared/file-fields.ts';
import { entriesAsText } from '../export/entries.ts';
import { EXPORT_FORMATS, EXPORT_TYPES } from '../export/export-format.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { accountOf, type ManagementRoute, route } from '../route.ts';
import { LEDGER_ENTRY } from './ledger-answers.ts';
import { NAMED } from './named-answers.ts';

export interface LedgerRoutesOptions {
  readonly store: Pick<Store, 'directory' | 'ledger' | 'statements' | 'retention'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly retention: Pick<RetentionSettings, 'minuteSumsMs' | 'hourSumsMs'>;
}

const TAG = 'Balance';
const TIME = { type: 'string', format: 'date-time' } as const;
const READ = { who: 'account', role: 'viewer', scope: 'balance:read' } as const;

const ENTRY = z
  .object({
    object: z.literal('ledger_entry'),
    ...{ ...LEDGER_ENTRY, ...NAMED.account, ...NAMED.key },
    balance_usd: z.string().nullable().optional().meta({
      description:
        'The balance right after the entry. `null` where charges of its time are archived; absent if the list is filtered by `key` or `kind`.',
    }),
  })
  .meta({ id: 'LedgerEntry' });

const FILTERS = z.strictObject({
  key: z.string().optional().meta({ description: 'The id of the key.' }),
  kind: z.enum(ENTRY_KINDS).optional(),
  from: time.optional().meta(TIME),
  to: time.optional().meta({ ...TIME, description: 'Only entries before this time.' }),
});

const EXPORT = FILTERS.extend({
  format: z.enum(EXPORT_FORMATS).optional().meta({ description: 'The default is `csv`.' }),
});
const DAY_MS = 86_400_000;

/** Returns `ledger`: the entries that make up a balance. */
export function ledgerRoutes(options: LedgerRoutesOptions): readonly ManagementRoute[] {
  const { store, clock, retention } = options;
  const { ledger, statements } = store;
  const ports = { statements, clock, retention, thinning: () => store.retention.thinning() };
  return [
    route({
      ...{ method: 'get', path: '/ledger', operationId: 'listLedger', tag: TAG, isList: true, query: FILTERS },
      summary: 'List ledger entries',
      description:
        'Newest first. A page may have fewer entries than `limit` although more follow: check `has_more`, and continue with `next`. Archived charges are not listed.',
      access: READ,
      answer: { description: 'A page of entries', schema: listSchema(ENTRY) },
      handle: async (call) => {
        const { limit, after } = call.query;
        const { keyId, kind, ...wanted } = wantedFrom(accountOf(call), call.query);
        const object = 'ledger_entry' as const;
        if (keyId !== undefined || kind !== undefined) {
          const only = { ...(keyId !== undefined && { keyId }), ...(kind !== undefined && { kind }) };
          const found = await listEntries(ledger, { limit, after, ...wanted, ...only });
          return pageAnswer(await namedPage(call.directory, found, entryView), (view) => ({ object, ...view }));
        }
        const found = await listBalances(ports, { limit, after, ...wanted });
        const page = await namedPage(call.directory, found, ({ entry, balanceNanoUsd }) => ({
          ...entryView(entry),
          balance_usd: balanceNanoUsd === null ? null : formatNanoUsd(balanceNanoUsd),
        }));
        return pageAnswer(page, (view) => ({ object, ...view }));
      },
    }),
    exportRoute(options),
    route({
      ...{ method: 'get', path: '/ledger/verify', operationId: 'verifyLedger', tag: TAG },
      summary: 'Verify all balances',
      description:
        'Reads the whole ledger and reports mismatches, which may take long with millions of entries. For archived charges it reads only the sums; ' +
        '`switchyard ledger verify --archive` reads their files.',
      access: { who: 'operator', scope: 'balance:read' },
      answer: {
        description: 'The result',
        schema: z
          .object({
            object: z.literal('ledger_report'),
            ok: z.boolean(),
            accounts: z.number(),
            entries: z.number(),
            charges: z.number(),
            archived: z.number().meta({ description: 'Archived charges, of which the ledger keeps only the sums.' }),
            problems: z.array(z.string()),
          })
          .meta({ id: 'LedgerReport' }),
      },
      handle: async () => {
        const report = await ledger.verify();
        return { body: { object: 'ledger_report' as const, ok: report.problems.length === 0, ...report } };
      },
    }),
  ];
}

function exportRoute({ store, clock }: LedgerRoutesOptions): ManagementRoute {
  const { directory, ledger } = store;
  return route({
    ...{ method: 'get', path: '/ledger/export', operationId: 'exportLedger', tag: TAG, query: EXPORT, access: READ },
    summary: 'Export ledger entries',
    description:
      'All matching entries, newest first, as a file: CSV with a header row, or one JSON object per line with the members of the list. It contains ' +
      'each entry that existed at the start exactly once.',
    answer: { description: 'The entries', schema: z.string(), contentType: ['text/csv', 'application/jsonl'] },
    errors: ['not_found'],
    handle: async (call) => {
      const { format = 'csv' } = call.query;
      const { id } = await existingAccount(directory, accountOf(call));
      const wanted = wantedFrom(id, call.query);
      const body = await entriesAsText({ ledger, directory }, wanted, { format, hasHead: true });
      const range = [
        wanted.fromMs === undefined ? 'start' : nameOf(wanted.fromMs),
        nameOf(wanted.toMs ?? clock.nowMs()),
      ];
      const name = `ledger-${id}-${range.join('-')}.${format}`;
      return {
        raw: { contentType: EXPORT_TYPES[format], body },
        headers: { 'content-disposition': `attachment; filename="${name}"` },
      };
    },
  });
}

function wantedFrom(accountId: string, { key, kind, from, to }: z.output<typeof FILTERS>): WantedEntries {
  return {
    accountId,
    ...(key !== undefined && { keyId: key }),
    ...(kind !== undefined && { kind }),
    ...(from !== undefined && { fromMs: from }),
    ...(to !== undefined && { toMs: to }),
  };
}

/** Formats a time for a file name: the date, and the time of day unless it is midnight. */
function nameOf(timeMs: number): string {
  const text = isoTime(timeMs);
  return timeMs % DAY_MS === 0 ? text.slice(0, 10) : text.replaceAll(/[-:]/g, '').replace(/\.\d+/, '');
}
