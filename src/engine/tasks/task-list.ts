import type { Principal } from '../../domain/access/principal.ts';
import { Failure } from '../../domain/failure/failure.ts';
import { TASK_KINDS, TASK_STATUSES, type Task, type TaskKind } from '../../domain/tasks/task.ts';
import type { TaskQuery, TaskStore } from '../ports/task-store.ts';

const USUAL_PAGE = 20;
const LONGEST_PAGE = 100;
const ID = /^task_[A-Za-z0-9]{32}$/;
const MODEL = /^\S{1,300}$/;

export function isTaskId(id: string): boolean {
  return ID.test(id);
}

/** The query parameters of a list of tasks, as sent. Those that are absent from `names` are refused. */
export interface ListParameters {
  readonly query: URLSearchParams;
  readonly names: readonly string[];
  /** Lists only tasks of this kind. */
  readonly kind?: TaskKind;
}

/** A list of an account's tasks, without the page's bounds. */
interface WantedList {
  readonly filters: TaskQuery;
  readonly limit: number;
  /** The id of the last task of the previous page. */
  readonly after: string | null;
}

export interface TaskPage {
  readonly tasks: readonly Task[];
  readonly hasMore: boolean;
}

/** The names of operations in the catalog, and the categories of models, with their kinds of tasks. */
const KINDS: Readonly<Record<string, TaskKind>> = {
  ...Object.fromEntries(TASK_KINDS.map((kind) => [kind, kind])),
  'videos.generations': 'video',
  'music.generations': 'music',
  '3d.generations': '3d',
  'images.generations': 'image',
  'images.edits': 'image',
};

/** The filters of `GET /v1/tasks`, besides the place and the length of the page. */
export const TASK_FILTERS = [
  'status',
  'model',
  'kind',
  'operation',
  'category',
  'key',
  'created_after',
  'created_before',
];
export const PAGE_PARAMETERS = ['after', 'limit', 'order'];

/**
 * Resolves to a page of the account's tasks that clients can still read, the newest first unless `order` is `asc`. The page is read in one
 * indexed query.
 */
export async function taskPage(
  tasks: Pick<TaskStore, 'find' | 'list'>,
  { account, credential }: Principal,
  nowMs: number,
  parameters: ListParameters,
): Promise<TaskPage | Failure> {
  const wanted = wantedList(parameters, credential.id);
  if (wanted instanceof Failure) return wanted;
  const { filters, limit, after } = wanted;
  // A deleted task is still known for a while, so that a client may delete tasks while it lists them.
  const last = after === null ? null : await tasks.find(after);
  if (after !== null && last?.accountId !== account.id) return unknownPlace(after);
  const { kind } = parameters;
  const own = { accountId: account.id, ...(kind !== undefined && { kind }) };
  const query = { ...filters, ...own, readableAtMs: nowMs, ...(last !== null && { after: last }) };
  const found = await tasks.list(query, limit + 1);
  return { tasks: found.slice(0, limit), hasMore: found.length > limit };
}

function wantedList({ query, names }: ListParameters, keyId: string): WantedList | Failure {
  const unknown = [...query.keys()].find((name) => !names.includes(name));
  if (unknown !== undefined) {
    return wrong(unknown.slice(0, 100), `is not a parameter of this list; it has ${names.join(', ')}`);
  }
  const read = new Parameters(query);
  const kinds = ['kind', 'operation', 'category'].map((name) => read.kind(name));
  const [kind, other] = [...new Set(kinds.filter((one) => one !== null))];
  const order = read.oneOf('order', ['asc', 'desc']);
  const status = read.oneOf('status', TASK_STATUSES);
  const key = read.matching('key', MODEL, 'must be the id of a key, or `current` for the key of this request');
  const model = read.matching('model', MODEL, 'must be the id of a model');
  const [from, before] = [read.seconds('created_after'), read.seconds('created_before')];
  const limit = read.limit();
  const after = read.matching('after', ID, 'must be the id of a task');
  if (read.failure !== null) return read.failure;
  if (other !== undefined) return wrong('operation', 'contradicts `kind` or `category`; send only one of them');
  const filters: TaskQuery = {
    ...(kind !== undefined && { kind }),
    ...(status !== null && { status }),
    ...(model !== null && { modelId: model }),
    ...(key !== null && { keyId: key === 'current' ? keyId : key }),
    // Exclusive, and in whole seconds, as `created` of a task.
    ...(from !== null && { createdFromMs: (from + 1) * 1_000 }),
    ...(before !== null && { createdBeforeMs: before * 1_000 }),
    ...(order === 'asc' && { isAscending: true }),
  };
  return { filters, limit, after };
}

/** Reads query parameters, and keeps the first failure. An empty one counts as absent. */
class Parameters {
  failure: Failure | null = null;

  constructor(private readonly query: URLSearchParams) {}

  oneOf<Name extends string>(name: string, known: readonly Name[]): Name | null {
    const text = this.text(name);
    if (text === null) return null;
    const found = known.find((one) => one === text);
    return found ?? this.wrong(name, `must be ${known.map((one) => `\`${one}\``).join(', ')}`);
  }

  kind(name: string): TaskKind | null {
    const text = this.text(name);
    if (text === null) return null;
    if (Object.hasOwn(KINDS, text)) return KINDS[text] ?? null;
    return this.wrong(name, `must be one of ${Object.keys(KINDS).join(', ')}`);
  }

  matching(name: string, pattern: RegExp, rule: string): string | null {
    const text = this.text(name);
    return text === null || pattern.test(text) ? text : this.wrong(name, rule);
  }

  /** Reads a time in seconds since 1970. */
  seconds(name: string): number | null {
    const text = this.text(name);
    if (text === null) return null;
    return /^\d{1,11}$/.test(text) ? Number(text) : this.wrong(name, 'must be a Unix time in whole seconds');
  }

  limit(): number {
    const text = this.text('limit');
    const limit = text === null ? USUAL_PAGE : /^\d{1,4}$/.test(text) ? Number(text) : 0;
    if (limit >= 1 && limit <= LONGEST_PAGE) return limit;
    return this.wrong('limit', `must be a whole number from 1 to ${LONGEST_PAGE}`) ?? USUAL_PAGE;
  }

  private text(name: string): string | null {
    const given = this.query.getAll(name);
    if (given.length > 1) return this.wrong(name, 'may be sent only once');
    return given[0] === undefined || given[0] === '' ? null : given[0];
  }

  private wrong(name: string, rule: string): null {
    this.failure ??= wrong(name, rule);
    return null;
  }
}

function wrong(param: string, rule: string): Failure {
  return new Failure('invalid_value', { message: `\`${param}\` ${rule}.`, param });
}

/** Returns the same failure for an unknown task and for one of another account. */
function unknownPlace(after: string): Failure {
  return new Failure('invalid_value', {
    message: `\`after\` names the task \`${after}\`, which is not one of the account or is no longer available.`,
    param: 'after',
    hint: 'Start again at the first page, without `after`.',
  });
}
