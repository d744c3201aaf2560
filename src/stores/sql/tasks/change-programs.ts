import { FINAL_STAGES, predecessorsOf, TASK_STAGES, type TaskStage } from '../../../domain/tasks/task.ts';
import type { TaskChange } from '../../../engine/ports/task-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { ask, type Columns, type SqlDialect, type SqlProgram, type Values } from '../program.ts';
import { toStorable } from '../texts.ts';
import { type ChangedColumns, type TaskColumn, toChangedColumns } from './rows.ts';

type SealedColumn = 'sealed_ticket' | 'sealed_ending';

/** The columns that a change may set, with their types. Sealed bytes are passed separately. */
const PLAIN = {
  stage: 'text',
  is_processing: 'bigint',
  progress: 'bigint',
  channel_id: 'text',
  upstream_key: 'text',
  provider: 'text',
  upstream_model: 'text',
  wire: 'text',
  is_private: 'bigint',
  asked: 'text',
  submitted_at_ms: 'bigint',
  poll_errors: 'bigint',
  last_poll_error: 'text',
  kept: 'text',
  cost_nano: 'bigint',
  ended_at_ms: 'bigint',
  expires_at_ms: 'bigint',
} as const satisfies Columns & { readonly [Column in TaskColumn]?: string };
const SEALED: readonly SealedColumn[] = ['sealed_ticket', 'sealed_ending'];

/** The members of a change: the task, the allowed stages, the given columns and their values, and the positions of sealed bytes. */
const MEMBERS: Columns = {
  of_id: 'text',
  of_claim: 'bigint',
  from_stages: 'text',
  given: 'text',
  ...PLAIN,
  ...Object.fromEntries(
    SEALED.flatMap((column) => [`${column}_from`, `${column}_length`]).map((name) => [name, 'bigint' as const]),
  ),
};

interface ChangedTask {
  readonly id: string;
  readonly claim: number;
  readonly fromStages: readonly TaskStage[];
  readonly columns: ChangedColumns;
}

interface Placed {
  readonly changed: ChangedTask;
  /** The index in the list of all changes. */
  readonly place: number;
}

/** Seals new content, once however often the program runs. */
export function toChangedTask({ id, claim, changes }: TaskChange, box: ContentBox): ChangedTask {
  const finals: readonly TaskStage[] = FINAL_STAGES;
  const { stage } = changes;
  const open = TASK_STAGES.filter((known) => !finals.includes(known));
  const fromStages = stage === undefined ? open : predecessorsOf(stage);
  return { id, claim, fromStages, columns: toChangedColumns(id, changes, box) };
}

/** Changes tasks independently; returns whether each was changed. */
export function* changing(dialect: SqlDialect, tasks: readonly ChangedTask[]): SqlProgram<readonly boolean[]> {
  const isChanged = tasks.map(() => false);
  for (const round of inRounds(tasks)) {
    const contents: Uint8Array[] = [];
    const json = JSON.stringify(round.map(({ changed }) => toRow(changed, contents)));
    const rows = yield* ask(dialect, (sql) => changeText(dialect, sql, json, Buffer.concat(contents)));
    const ids = new Set(rows.map(({ id }) => String(id)));
    for (const { changed, place } of round) isChanged[place] = ids.has(changed.id);
  }
  return isChanged;
}

/**
 * Returns the same text for any number and kind of changes. Rows are locked in a fixed order, so that two processes that both believe they
 * own them do not deadlock.
 */
function changeText(dialect: SqlDialect, sql: Values, json: string, contents: Uint8Array): string {
  const [rows, bytes] = [sql.put(json), sql.put(contents)];
  const set = (column: string, value: string) =>
    `${column} = CASE WHEN ${isGiven(column)} THEN ${value} ELSE tasks.${column} END`;
  const sets = [
    ...Object.keys(PLAIN).map((column) => set(column, `wanted.${column}`)),
    ...SEALED.map((column) => set(column, dialect.slice(bytes, `wanted.${column}_from`, `wanted.${column}_length`))),
  ];
  return `
    WITH wanted AS MATERIALIZED (SELECT * FROM ${dialect.rowsOf(rows, 'came', MEMBERS)}),
    locked AS MATERIALIZED (
      SELECT id AS locked_id FROM tasks WHERE id IN (SELECT of_id FROM wanted) ORDER BY id ${dialect.lockRows}
    )
    UPDATE tasks SET ${sets.join(', ')}
    FROM wanted JOIN locked ON locked_id = wanted.of_id
    WHERE tasks.id = wanted.of_id AND tasks.claim = wanted.of_claim
      AND wanted.from_stages LIKE '%"' || tasks.stage || '"%'
      AND (tasks.sealed_ending IS NULL OR NOT (${isGiven('sealed_ending')}))
    RETURNING id${dialect.durably}
  `;
}

/** `given` is the text of a JSON array. */
function isGiven(column: string): string {
  return `wanted.given LIKE '%"${column}"%'`;
}

/** Splits changes into rounds, since one statement changes a row only once. Several changes of one task go to separate rounds, in order. */
function inRounds(tasks: readonly ChangedTask[]): readonly (readonly Placed[])[] {
  const rounds: Placed[][] = [];
  const seen = new Map<string, number>();
  for (const [place, changed] of tasks.entries()) {
    const round = seen.get(changed.id) ?? 0;
    seen.set(changed.id, round + 1);
    rounds[round] ??= [];
    rounds[round].push({ changed, place });
  }
  return rounds;
}

/** @param contents receives the sealed bytes */
function toRow({ id, claim, fromStages, columns }: ChangedTask, contents: Uint8Array[]) {
  const { sealed_ticket, sealed_ending, ...plain } = columns;
  const parts = Object.entries({ sealed_ticket, sealed_ending }).map(([column, bytes]) => {
    if (bytes === undefined || bytes === null) return {};
    const from = contents.reduce((sum, { length }) => sum + length, 1);
    contents.push(bytes);
    return { [`${column}_from`]: from, [`${column}_length`]: bytes.length };
  });
  const values = Object.entries(plain).map(([column, value]) => [
    column,
    typeof value === 'bigint' ? String(value) : value,
  ]);
  return {
    // No task has an id that cannot be stored.
    of_id: toStorable(id),
    of_claim: claim,
    from_stages: fromStages,
    given: Object.keys(columns),
    ...Object.fromEntries(values),
    ...Object.assign({}, ...parts),
  };
}
