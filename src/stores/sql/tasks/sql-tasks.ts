import type { Task, TaskChanges } from '../../../domain/tasks/task.ts';
import type { OpenTasks, TaskChange, TaskQuery, TaskStore } from '../../../engine/ports/task-store.ts';
import type { ContentBox } from '../../shared/content-box.ts';
import { ask, type SqlDialect, type SqlProgram, type SqlRow, type SqlRunner, type Values } from '../program.ts';
import { isStorable, toLimit } from '../texts.ts';
import { changing, toChangedTask } from './change-programs.ts';
import { conditionsOf, IS_OPEN } from './list-conditions.ts';
import { bytesOf, fromFiguresRow, fromTaskRow, TASK_COLUMNS, type TaskRow, toTaskValues } from './rows.ts';

const CHANGE_OWNER = 'claim = claim + 1';

/**
 * The task store for both databases. Content is encrypted: it is what clients send and receive, and the ticket for polling the upstream.
 */
export class SqlTasks implements TaskStore {
  readonly #runner: SqlRunner;
  readonly #box: ContentBox;
  /** Claims by task id whose outcome is unknown because the connection broke. */
  readonly #unsure = new Map<string, number>();

  /** @param runner must be durable and return integers as `bigint` */
  constructor(runner: SqlRunner, box: ContentBox) {
    this.#runner = runner;
    this.#box = box;
  }

  async create(task: Task): Promise<void> {
    const values = toTaskValues(task, this.#box);
    const options = { bytes: bytesOf(values), isRepeatable: true };
    await this.#runner.write((attempt) => this.#creating(task, values, attempt), options);
  }

  async find(id: string): Promise<Task | null> {
    if (!isStorable(id)) return null;
    const [row] = await this.#rows((sql) => `SELECT * FROM tasks WHERE id = ${sql.put(id)}`);
    return row === undefined ? null : this.#taskFrom(row);
  }

  async change(id: string, claim: number, changes: TaskChanges): Promise<boolean> {
    const [isChanged = false] = await this.changeAll([{ id, claim, changes }]);
    return isChanged;
  }

  async changeAll(changes: readonly TaskChange[]): Promise<readonly boolean[]> {
    if (changes.length === 0) return [];
    const tasks = changes.map((change) => toChangedTask(change, this.#box));
    const bytes = tasks.reduce((sum, { columns }) => sum + bytesOf(Object.values(columns)), 0);
    return this.#runner.write(() => changing(this.#runner.dialect, tasks), { bytes });
  }

  async alive(owner: string, untilMs: number): Promise<void> {
    await this.#runner.change(
      (sql) => `
        INSERT INTO task_owners (owner, alive_until_ms) VALUES (${sql.put(owner)}, ${sql.put(Math.floor(untilMs))})
        ON CONFLICT (owner) DO UPDATE SET alive_until_ms = excluded.alive_until_ms
      `,
      { isRepeatable: true },
    );
  }

  async claim(owner: string, nowMs: number, limit: number): Promise<readonly Task[]> {
    const known = await this.#claimedUnknowingly(owner);
    const { dialect } = this.#runner;
    let claimed: readonly SqlRow[] = [];
    const program = function* (): SqlProgram<void> {
      claimed = [];
      claimed = yield* claiming(dialect, owner, nowMs, limit);
    };
    try {
      await this.#runner.write(program);
    } catch (error) {
      for (const { id, claim } of claimed) this.#unsure.set(String(id), Number(claim));
      throw error;
    }
    return oldestFirst([...known, ...claimed.map((row) => this.#taskFrom(row))]);
  }

  async takeBack(id: string): Promise<boolean> {
    if (!isStorable(id)) return false;
    const taken = await this.#runner.change(
      (sql) => `UPDATE tasks SET owner = NULL, ${CHANGE_OWNER} WHERE id = ${sql.put(id)} AND ${IS_OPEN}`,
      { isRepeatable: true },
    );
    return taken === 1;
  }

  async askToCancel(id: string, nowMs: number, againAfterMs: number): Promise<boolean> {
    if (!isStorable(id)) return false;
    const asked = await this.#runner.change((sql) => {
      const [now, since] = [Math.floor(nowMs), Math.floor(nowMs - againAfterMs)];
      return `
        UPDATE tasks SET cancel_asked_at_ms = ${sql.put(now)} WHERE id = ${sql.put(id)} AND stage = 'submitted'
          AND (cancel_asked_at_ms IS NULL OR cancel_asked_at_ms <= ${sql.put(since)})
      `;
    });
    return asked === 1;
  }

  async cancelRefused(id: string, askedAtMs: number): Promise<void> {
    if (!isStorable(id)) return;
    await this.#runner.change(
      (sql) => `
        UPDATE tasks SET cancel_asked_at_ms = NULL
        WHERE id = ${sql.put(id)} AND cancel_asked_at_ms = ${sql.put(Math.floor(askedAtMs))}
      `,
      { isRepeatable: true },
    );
  }

  async deleteFinal(id: string, nowMs: number, untilMs: number): Promise<boolean> {
    if (!isStorable(id)) return false;
    const deleted = await this.#runner.change((sql) => {
      const until = Math.floor(untilMs);
      return `
        UPDATE tasks SET deleted_at_ms = ${sql.put(Math.floor(nowMs))}, kept = '{}',
          expires_at_ms = CASE WHEN expires_at_ms < ${sql.put(until)} THEN expires_at_ms ELSE ${sql.put(until)} END,
          sealed_ticket = NULL, sealed_ending = NULL, sealed_request = NULL
        WHERE id = ${sql.put(id)} AND NOT (${IS_OPEN}) AND deleted_at_ms IS NULL
      `;
    });
    return deleted === 1;
  }

  async giveBack(owner: string): Promise<void> {
    await this.#runner.write(() => this.#givingBack(owner), { isRepeatable: true });
    this.#unsure.clear();
  }

  async claimsOf(owner: string): Promise<ReadonlyMap<string, number>> {
    const rows = await this.#rows(
      (sql) => `SELECT id, claim FROM tasks WHERE ${IS_OPEN} AND owner = ${sql.put(owner)}`,
    );
    return new Map(rows.map(({ id, claim }) => [String(id), Number(claim)]));
  }

  async countOpen(accountId: string): Promise<number> {
    const [row] = await this.#rows(
      (sql) => `SELECT count(*) AS tasks FROM tasks WHERE account_id = ${sql.put(accountId)} AND ${IS_OPEN}`,
    );
    return Number(row?.tasks ?? 0);
  }

  async list(query: TaskQuery, limit: number): Promise<readonly Task[]> {
    const rows = await this.#rows((sql) => {
      const conditions = conditionsOf(query, sql);
      const down = query.isAscending === true ? '' : ' DESC';
      return `
        SELECT * FROM tasks WHERE ${conditions.join(' AND ')}
        ORDER BY created_at_ms${down}, id${down} LIMIT ${sql.put(toLimit(limit))}
      `;
    });
    return rows.map((row) => this.#taskFrom(row));
  }

  async figures(): Promise<readonly OpenTasks[]> {
    const rows = await this.#rows(
      () => `
        SELECT kind, provider, stage, count(*) AS tasks, min(created_at_ms) AS oldest_at_ms
        FROM tasks WHERE ${IS_OPEN} GROUP BY kind, provider, stage
      `,
    );
    return rows.map(fromFiguresRow);
  }

  removeExpired(nowMs: number, limit: number): Promise<number> {
    const { dialect } = this.#runner;
    return this.#runner.change((sql) => {
      const [now, most] = [sql.put(Math.floor(nowMs)), sql.put(toLimit(limit))];
      const expired = `WHERE expires_at_ms <= ${now} AND NOT (${IS_OPEN}) ORDER BY expires_at_ms LIMIT ${most}`;
      return `DELETE FROM tasks WHERE ${dialect.firstOf('tasks', ['id'], expired)}`;
    });
  }

  *#creating(task: Task, values: ReturnType<typeof toTaskValues>, attempt: number): SqlProgram<void> {
    const { dialect } = this.#runner;
    const made = yield* ask(
      dialect,
      (sql) => `
        INSERT INTO tasks (${TASK_COLUMNS.join(', ')}) VALUES (${values.map((value) => sql.put(value)).join(', ')})
        ON CONFLICT (id) DO NOTHING RETURNING id${dialect.durably}
      `,
    );
    if (made.length > 0) return;
    const [known] = yield* ask(dialect, (sql) => `SELECT request_id FROM tasks WHERE id = ${sql.put(task.id)}`);
    // An earlier attempt created it, but its response was lost.
    if (attempt > 1 && known?.request_id === task.requestId) return;
    throw new Error(`There is already a task with the id ${task.id}.`);
  }

  *#givingBack(owner: string): SqlProgram<void> {
    const { dialect } = this.#runner;
    yield* ask(dialect, (sql) => `DELETE FROM task_owners WHERE owner = ${sql.put(owner)}`);
    yield* ask(
      dialect,
      (sql) => `UPDATE tasks SET owner = NULL, ${CHANGE_OWNER} WHERE owner = ${sql.put(owner)} AND ${IS_OPEN}`,
    );
  }

  /** Returns the tasks of claims whose commit was not confirmed but happened, since no other process would take care of them. */
  async #claimedUnknowingly(owner: string): Promise<readonly Task[]> {
    if (this.#unsure.size === 0) return [];
    const { dialect } = this.#runner;
    const rows = await this.#rows((sql) => {
      const ids = JSON.stringify([...this.#unsure.keys()]);
      return `
        SELECT * FROM tasks WHERE id ${dialect.inList(sql.put(ids), 'text')} AND owner = ${sql.put(owner)} AND ${IS_OPEN}
      `;
    });
    const known = rows.filter(({ id, claim }) => this.#unsure.get(String(id)) === Number(claim));
    this.#unsure.clear();
    return known.map((row) => this.#taskFrom(row));
  }

  #rows(text: (sql: Values) => string): Promise<readonly SqlRow[]> {
    return this.#runner.read(() => ask(this.#runner.dialect, text));
  }

  #taskFrom(row: SqlRow): Task {
    return fromTaskRow(row as unknown as TaskRow, this.#box); // The table's columns.
  }
}

/**
 * Dead owners are listed by name: if another process claims a task concurrently, the condition is evaluated again and that process's name
 * is not listed.
 */
function* claiming(dialect: SqlDialect, owner: string, nowMs: number, limit: number): SqlProgram<readonly SqlRow[]> {
  yield* ask(dialect, (sql) => `DELETE FROM task_owners WHERE alive_until_ms <= ${sql.put(Math.floor(nowMs))}`);
  const gone = yield* ask(
    dialect,
    () => `
      SELECT DISTINCT owner FROM tasks
      WHERE ${IS_OPEN} AND owner IS NOT NULL
        AND NOT EXISTS (SELECT 1 FROM task_owners WHERE task_owners.owner = tasks.owner)
    `,
  );
  return yield* ask(dialect, (sql) => {
    const isGone = dialect.inList(sql.put(JSON.stringify(gone.map((row) => row.owner))), 'text');
    return `
      UPDATE tasks SET owner = ${sql.put(owner)}, ${CHANGE_OWNER} WHERE id IN (
        SELECT id FROM tasks WHERE ${IS_OPEN} AND (owner IS NULL OR owner ${isGone})
        ORDER BY created_at_ms, id LIMIT ${sql.put(toLimit(limit))} ${dialect.skipLocked}
      )
      RETURNING *${dialect.durably}
    `;
  });
}

/** Sorts the tasks, since a statement that changes rows returns them in arbitrary order. */
function oldestFirst(tasks: readonly Task[]): Task[] {
  return tasks.toSorted((a, b) => a.createdAtMs - b.createdAtMs || (a.id < b.id ? -1 : 1));
}
