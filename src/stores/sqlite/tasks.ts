import type { Database } from 'bun:sqlite';
import type { Task, TaskChanges } from '../../domain/tasks/task.ts';
import type { OpenTasks, TaskChange, TaskQuery, TaskStore } from '../../engine/ports/task-store.ts';
import type { ContentBox } from '../shared/content-box.ts';
import {
  bytesOf,
  CLAIMS_OF,
  type ClaimRow,
  FIGURES,
  type FiguresRow,
  fromFiguresRow,
  fromTaskRow,
  IS_OPEN,
  listTasks,
  oldestFirst,
  stagesBefore,
  TASK_COLUMNS,
  type TaskRow,
  type TaskValue,
  toChangedColumns,
  toClaims,
  toTaskValues,
} from '../shared/tables/tasks.ts';
import { GroupCommit } from './group-commit.ts';

const INSERT = `INSERT INTO tasks (${TASK_COLUMNS.join(', ')}) VALUES (${TASK_COLUMNS.map(() => '?').join(', ')})`;

const ALIVE = `
  INSERT INTO task_owners (owner, alive_until_ms) VALUES (?1, ?2)
  ON CONFLICT (owner) DO UPDATE SET alive_until_ms = ?2
`;

const FORGET_DEAD_OWNERS = 'DELETE FROM task_owners WHERE alive_until_ms <= ?';

const CLAIM = `
  UPDATE tasks SET owner = ?1, claim = claim + 1 WHERE id IN (
    SELECT id FROM tasks
    WHERE ${IS_OPEN} AND (owner IS NULL OR owner IN (
      SELECT DISTINCT owner FROM tasks
      WHERE ${IS_OPEN} AND owner IS NOT NULL AND owner NOT IN (SELECT owner FROM task_owners)
    ))
    ORDER BY created_at_ms, id LIMIT ?2
  )
  RETURNING *
`;

const TAKE_BACK = `UPDATE tasks SET owner = NULL, claim = claim + 1 WHERE id = ? AND ${IS_OPEN}`;
const GIVE_BACK = `UPDATE tasks SET owner = NULL, claim = claim + 1 WHERE owner = ? AND ${IS_OPEN}`;

/** The id alone says which are to go: a row may have megabytes. */
const REMOVE_EXPIRED = `
  DELETE FROM tasks WHERE row_id IN (
    SELECT row_id FROM tasks WHERE expires_at_ms <= ? AND NOT (${IS_OPEN}) ORDER BY expires_at_ms LIMIT ?
  )
`;

export interface SqliteTasksOptions {
  /** Its transactions wait for the disk, integers come back as `bigint`, and it has no busy timeout. */
  readonly database: Database;
  readonly box: ContentBox;
}

/** Changes that are asked for in one turn of the event loop share a transaction, and its wait for the disk. */
export class SqliteTasks implements TaskStore {
  readonly #database: Database;
  readonly #box: ContentBox;
  readonly #writes: GroupCommit;

  constructor({ database, box }: SqliteTasksOptions) {
    this.#database = database;
    this.#box = box;
    this.#writes = new GroupCommit(database);
  }

  async create(task: Task): Promise<void> {
    const values = toTaskValues(task, this.#box);
    await this.#writes.run(bytesOf(values), () => void this.#database.query(INSERT).run(...values));
  }

  async find(id: string): Promise<Task | null> {
    const row = this.#database.query<TaskRow, [string]>('SELECT * FROM tasks WHERE id = ?').get(id);
    return row === null ? null : fromTaskRow(row, this.#box);
  }

  async change(id: string, claim: number, changes: TaskChanges): Promise<boolean> {
    const [isChanged = false] = await this.changeAll([{ id, claim, changes }]);
    return isChanged;
  }

  async changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]> {
    if (changes.length === 0) return [];
    const updates = changes.map((change) => toUpdate(change, this.#box));
    const bytes = updates.reduce((sum, { values }) => sum + bytesOf(values), 0);
    return this.#writes.run(bytes, () =>
      updates.map(({ sql, values }) => this.#database.query(sql).run(...values).changes === 1),
    );
  }

  async alive(owner: string, untilMs: number): Promise<void> {
    await this.#writes.run(0, () => void this.#database.query(ALIVE).run(owner, BigInt(Math.floor(untilMs))));
  }

  async claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]> {
    return this.#writes.run(0, () => {
      this.#database.query(FORGET_DEAD_OWNERS).run(BigInt(Math.floor(nowMs)));
      const claim = this.#database.query<TaskRow, [string, number]>(CLAIM);
      return oldestFirst(claim.all(owner, rows(limit)).map((row) => fromTaskRow(row, this.#box)));
    });
  }

  async takeBack(id: string): Promise<boolean> {
    return this.#writes.run(0, () => this.#database.query(TAKE_BACK).run(id).changes === 1);
  }

  async giveBack(owner: string): Promise<void> {
    await this.#writes.run(0, () => {
      this.#database.query('DELETE FROM task_owners WHERE owner = ?').run(owner);
      this.#database.query(GIVE_BACK).run(owner);
    });
  }

  async claimsOf(owner: string): Promise<ReadonlyMap<string, number>> {
    return toClaims(this.#database.query<ClaimRow, [string]>(`${CLAIMS_OF} ?`).all(owner));
  }

  async countOpen(accountId: string): Promise<number> {
    const sql = `SELECT count(*) AS tasks FROM tasks WHERE account_id = ? AND ${IS_OPEN}`;
    return Number(this.#database.query<{ readonly tasks: bigint }, [string]>(sql).get(accountId)?.tasks ?? 0n);
  }

  async list(query: TaskQuery, limit: number): Promise<readonly Task[]> {
    const { sql, values } = listTasks(query, limit, '?');
    const found = this.#database.query<TaskRow, (string | number)[]>(sql).all(...values);
    return found.map((row) => fromTaskRow(row, this.#box));
  }

  async figures(): Promise<readonly OpenTasks[]> {
    return this.#database.query<FiguresRow, []>(FIGURES).all().map(fromFiguresRow);
  }

  async removeExpired(nowMs: number, limit: number): Promise<number> {
    return this.#writes.run(
      0,
      () => this.#database.query(REMOVE_EXPIRED).run(BigInt(Math.floor(nowMs)), rows(limit)).changes,
    );
  }

  /** Writes what waits. The connection stays its opener's to close. */
  async close(): Promise<void> {
    await this.#writes.close();
  }
}

/** Nobody looks after tasks any more; only a process with exclusive use of the data folder can know that. */
export function endTaskOwners(database: Database): void {
  database.run('DELETE FROM task_owners');
}

/** One statement for the comparison and the change. Its text depends on which columns change, which are few sets in all. */
function toUpdate({ id, claim, changes }: TaskChange, box: ContentBox): { sql: string; values: TaskValue[] } {
  const columns = toChangedColumns(id, changes, box);
  const values: TaskValue[] = [];
  const assignments = TASK_COLUMNS.flatMap((column) => {
    const value = columns[column];
    return value === undefined ? [] : [`${column} = ?${values.push(value)}`];
  });
  // A change of nothing tells whether one would be possible.
  const set = assignments.length === 0 ? 'stage = stage' : assignments.join(', ');
  const stages = stagesBefore(changes).map((stage) => `'${stage}'`);
  const sql = `
    UPDATE tasks SET ${set}
    WHERE id = ?${values.push(id)} AND claim = ?${values.push(BigInt(claim))} AND stage IN (${stages.join(', ')})
    ${changes.ending === undefined ? '' : 'AND sealed_ending IS NULL'}
  `;
  return { sql, values };
}

function rows(limit: number): number {
  return Math.max(0, Math.floor(limit));
}
