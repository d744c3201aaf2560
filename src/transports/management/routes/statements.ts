import { z } from 'zod';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { existingAccount } from '../../../engine/admin/accounts/read-accounts.ts';
import type { Seller } from '../../../engine/admin/statements/live-seller.ts';
import {
  type AccountStatement,
  accountStatementView,
  type ExportPorts,
  listStatements,
  MOST_STATEMENT_ROWS,
  monthStatementView,
  readStatement,
  type StatementPorts,
  statementExport,
  statementView,
} from '../../../engine/admin/statements/read-statements.ts';
import { keyNames, partiesView } from '../../../engine/admin/statements/statement-parties.ts';
import type { Clock } from '../../../engine/ports/clock.ts';
import type { DirectoryStore } from '../../../engine/ports/directory-store.ts';
import type { Store } from '../../../engine/ports/store.ts';
import { CSV_TYPE, csvRow } from '../csv.ts';
import { listSchema, pageAnswer } from '../list.ts';
import { pagedText } from '../paged-text.ts';
import { accountOf, type ManagementCall, type ManagementRoute, paramOf, route } from '../route.ts';
import { BILLING_DETAILS } from './billing-details.ts';
import { statementCsv } from './statement-csv.ts';
import { SUMS } from './usage-answers.ts';

export interface StatementRoutesOptions {
  readonly store: Pick<Store, 'statements' | 'directory' | 'retention'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly retention: StatementPorts['retention'];
  readonly seller: Seller;
}

const TAG = 'Balance';
const READ = { who: 'account', role: 'viewer', scope: 'balance:read' } as const;

const STATEMENT = z
  .object({
    object: z.literal('statement'),
    account: z.string(),
    month: z.string().meta({ description: 'For example `2026-11`.' }),
    time_zone: z.string(),
    from: z.string(),
    to: z.string().meta({ description: 'The end of the month, exclusive.' }),
    is_final: z
      .boolean()
      .meta({ description: 'Whether it can no longer change, which holds from an hour after the end of the month.' }),
    opening_usd: z.string(),
    grants_usd: z.string(),
    refunds_usd: z.string(),
    adjustments_usd: z.string().meta({ description: 'Negative if more was deducted than added.' }),
    charges_usd: z.string().meta({ description: 'Zero or negative.' }),
    closing_usd: z
      .string()
      .meta({ description: 'Exactly `opening_usd` plus the four amounts. For the current month, the balance now.' }),
  })
  .meta({ id: 'Statement' });

const CUSTOMER = z
  .object({ account_name: z.string(), ...BILLING_DETAILS.shape })
  .meta({ description: 'The account, with its `billing_details`.' });

const ranked = <Id extends z.ZodRawShape>(id: Id) =>
  z.object({
    data: z.array(SUMS.extend(id)),
    others: SUMS.nullable().meta({ description: `The sum of all except the ${MOST_STATEMENT_ROWS} most expensive.` }),
  });

const MONTH_STATEMENT = STATEMENT.extend({
  seller: BILLING_DETAILS.nullable().meta({ description: 'The setting `seller`.' }),
  customer: CUSTOMER,
  usage: SUMS.meta({ description: '`cost_usd` is the charged amount, as a positive number.' }),
  by_model: ranked({ model: z.string().nullable() }),
  by_key: ranked({
    key: z.string().nullable(),
    name: z.string().nullable().meta({ description: 'The name of the key; `null` without a key.' }),
  }),
  by_day: z
    .array(SUMS.extend({ date: z.string(), from: z.string(), to: z.string() }))
    .meta({ description: 'Days without usage are omitted.' }),
}).meta({ id: 'MonthStatement' });

const QUERY = z.strictObject({
  time_zone: z.string().optional().meta({ description: 'The IANA time zone of the months. The default is `UTC`.' }),
});

const FORMATS = { csv: CSV_TYPE, jsonl: 'application/jsonl' } as const;
const EXPORT = QUERY.extend({
  month: z
    .string()
    .optional()
    .meta({ description: 'For example `2026-11`. The default is the last month that has ended.' }),
  format: z.enum(['csv', 'jsonl']).optional().meta({ description: 'The default is `csv`.' }),
  after: z.string().max(64).optional().meta({
    description: 'The `account` of the last line that you received, to continue an interrupted export.',
  }),
});

/** Returns `statements`: what each month has done to a balance. */
export function statementRoutes({
  store,
  clock,
  retention,
  seller,
}: StatementRoutesOptions): readonly ManagementRoute[] {
  const { statements, directory } = store;
  const ports = { statements, directory, clock, retention, thinning: () => store.retention.thinning() };
  return [
    // Must precede the statement of a month, whose path looks the same.
    exportRoute(ports),
    route({
      ...{ method: 'get', path: '/statements', operationId: 'listStatements', tag: TAG, isList: true, query: QUERY },
      summary: 'List months with their sums',
      description: 'Newest first, back to the month of the first ledger entry.',
      access: READ,
      answer: { description: 'A page of months', schema: listSchema(STATEMENT) },
      handle: async (call) => {
        const { time_zone: timeZone = DEFAULT_TIME_ZONE, ...page } = call.query;
        const { id } = await existingAccount(store.directory, accountOf(call));
        return pageAnswer(await listStatements(ports, { accountId: id, timeZone, ...page }), (statement) => ({
          object: 'statement' as const,
          ...statementView(id, timeZone, statement),
        }));
      },
    }),
    route({
      ...{ method: 'get', path: '/statements/{month}', operationId: 'getStatement', tag: TAG, query: QUERY },
      summary: 'Read the statement of a month',
      description:
        'The opening and closing balance, and the charges by model, key and day, all from one snapshot, with the details of seller and customer.',
      access: READ,
      answer: { description: 'The statement', schema: MONTH_STATEMENT },
      handle: async (call) => ({ body: await wholeStatement(ports, seller, call) }),
    }),
    route({
      ...{ method: 'get', path: '/statements/{month}/csv', operationId: 'exportStatement', tag: TAG, query: QUERY },
      summary: 'Export the statement of a month',
      description:
        'As CSV with a header row. The column `group` tells the lines apart: `summary` has the amounts of the balance in `amount_usd`; `model`, `key` ' +
        'and `day` have the usage, with the charge in `cost_usd`.',
      access: READ,
      answer: { description: 'The statement', schema: z.string(), contentType: 'text/csv' },
      errors: ['not_found'],
      handle: async (call) => {
        const statement = await wholeStatement(ports, seller, call);
        const name = `statement-${statement.account}-${statement.month}.csv`;
        return {
          raw: { contentType: CSV_TYPE, body: statementCsv(statement) },
          headers: { 'content-disposition': `attachment; filename="${name}"` },
        };
      },
    }),
  ];
}

/** Resolves to the statement of the month that the path names. Throws `AdminError`. */
async function wholeStatement(
  ports: StatementPorts & { readonly directory: Pick<DirectoryStore, 'read' | 'accounts'> },
  seller: Seller,
  call: ManagementCall<z.output<typeof QUERY>>,
) {
  const { time_zone: timeZone = DEFAULT_TIME_ZONE } = call.query;
  const account = await existingAccount(ports.directory, accountOf(call));
  const { id } = account;
  const statement = await readStatement(ports, { accountId: id, timeZone, month: paramOf(call, 'month') });
  const { by_key: keys, ...view } = monthStatementView(id, timeZone, statement);
  const names = await keyNames(
    ports.directory,
    id,
    keys.data.map(({ key }) => key),
  );
  const data = keys.data.map((row) => ({ ...row, name: row.key === null ? null : (names.get(row.key) ?? row.key) }));
  return { object: 'statement' as const, ...view, by_key: { ...keys, data }, ...partiesView(await seller(), account) };
}

function exportRoute(ports: ExportPorts): ManagementRoute {
  return route({
    ...{ method: 'get', path: '/statements/export', operationId: 'exportStatements', tag: TAG, query: EXPORT },
    summary: 'Export the statements of all accounts',
    description:
      'One month of every account, including archived ones, ordered by id, as a file: CSV with a header row, or one JSON object per line. A line has ' +
      'the members of `GET /statements` for the month, the name of the account, and its usage; each line is a consistent snapshot. The data are read ' +
      'as fast as they are sent. Continue an interrupted export with `after`.',
    access: { who: 'operator', scope: 'balance:read' },
    answer: { description: 'The statements', schema: z.string(), contentType: ['text/csv', 'application/jsonl'] },
    handle: async ({ query }) => {
      const { format = 'csv', after = null, time_zone: timeZone = DEFAULT_TIME_ZONE } = query;
      const { month, read } = await statementExport(ports, { month: query.month, timeZone });
      const line = LINES[format];
      const body = await pagedText<AccountStatement>({
        ...(format === 'csv' && { head: csvRow(COLUMNS) }),
        read: ({ after: place, limit }) => read({ after: place ?? after, limit }),
        line: (statement) => line(accountStatementView(timeZone, statement)),
      });
      return {
        raw: { contentType: FORMATS[format], body },
        headers: { 'content-disposition': `attachment; filename="statements-${month.name}.${format}"` },
      };
    },
  });
}

type Line = ReturnType<typeof accountStatementView>;

const COLUMNS = [
  ...([
    'account',
    'name',
    'month',
    'time_zone',
    'from',
    'to',
    'is_final',
    'opening_usd',
    'grants_usd',
    'refunds_usd',
  ] as const),
  ...(['adjustments_usd', 'charges_usd', 'closing_usd', 'requests', 'errors', 'cache_hits', 'input_tokens'] as const),
  ...(['cached_input_tokens', 'cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'saved_usd'] as const),
  'unpriced_requests' as const,
];

const LINES = {
  csv: (line: Line) => csvRow(COLUMNS.map((column) => (column === 'is_final' ? String(line.is_final) : line[column]))),
  jsonl: (line: Line) => `${JSON.stringify({ object: 'statement', ...line })}\n`,
};
