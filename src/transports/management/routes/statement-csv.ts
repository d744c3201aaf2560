import { csvRow } from '../csv.ts';

/** The usage of one group, as `measuresView` returns it. */
interface Measures {
  readonly requests: number;
  readonly errors: number;
  readonly cache_hits: number;
  readonly input_tokens: number;
  readonly cached_input_tokens: number;
  readonly cache_write_tokens: number;
  readonly output_tokens: number;
  readonly reasoning_tokens: number;
  readonly cost_usd: string;
  /** Requests that `cost_usd` lacks, since their cost is unknown. */
  readonly unpriced_requests: number;
}

interface Ranked<Row> {
  readonly data: readonly (Row & Measures)[];
  readonly others: Measures | null;
}

interface Statement {
  readonly opening_usd: string;
  readonly grants_usd: string;
  readonly refunds_usd: string;
  readonly adjustments_usd: string;
  readonly charges_usd: string;
  readonly closing_usd: string;
  readonly by_model: Ranked<{ readonly model: string | null }>;
  readonly by_key: Ranked<{ readonly key: string | null; readonly name: string | null }>;
  readonly by_day: readonly (Measures & { readonly date: string })[];
}

const SUMS = ['opening', 'grants', 'refunds', 'adjustments', 'charges', 'closing'] as const;
const MEASURES = [
  ...(['cost_usd', 'requests', 'errors', 'cache_hits', 'input_tokens', 'cached_input_tokens'] as const),
  ...(['cache_write_tokens', 'output_tokens', 'reasoning_tokens', 'unpriced_requests'] as const),
];
const HEAD = ['group', 'id', 'name', 'amount_usd', ...MEASURES];

/** Returns a statement as a file that a spreadsheet can open: one table, whose first column tells its parts apart. */
export function statementCsv(statement: Statement): string {
  const { by_model: models, by_key: keys, by_day: days } = statement;
  const rows = [
    HEAD,
    ...SUMS.map((name) => ['summary', name, null, statement[`${name}_usd`], ...MEASURES.map(() => null)]),
    ...models.data.map((row) => usageRow('model', row.model, row.model, row)),
    ...othersOf('model', models.others),
    ...keys.data.map((row) => usageRow('key', row.key, row.name, row)),
    ...othersOf('key', keys.others),
    ...days.map((row) => usageRow('day', row.date, null, row)),
  ];
  return rows.map(csvRow).join('');
}

function usageRow(group: string, id: string | null, name: string | null, measures: Measures) {
  return [group, id, name, null, ...MEASURES.map((measure) => measures[measure])];
}

function othersOf(group: string, others: Measures | null) {
  return others === null ? [] : [usageRow(group, null, 'others', others)];
}
