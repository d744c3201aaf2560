import { subjectFrom } from '../../../domain/alerts/alert-state.ts';
import type { Clock, Sleep } from '../../ports/clock.ts';
import type { GatewayNode } from '../../ports/node-registry.ts';
import type { Store, StoreDescription } from '../../ports/store.ts';

/** The action under which `switchyard ledger verify` records its result in the audit log. */
export const LEDGER_VERIFIED = 'ledger.verify';

/** The result of the latest verification of the ledger. */
export interface LedgerVerification {
  readonly atMs: number;
  /** The number of mismatches. */
  readonly problems: number;
}

/** An active alert of the operators. */
export interface ActiveAlert {
  readonly ruleId: string;
  readonly name: string;
  /** The id of the account, key, model or channel that it is about. */
  readonly subject: string;
  readonly sinceMs: number;
}

/** The open tasks of all processes on the database. */
export interface TaskBacklog {
  readonly open: number;
  /** When the oldest open task was created, and the oldest whose job is over but not settled; `null` for none. */
  readonly oldestAtMs: number | null;
  readonly oldestClosingAtMs: number | null;
}

/** Facts from the database. */
export interface StoreFigures {
  readonly database: StoreDescription;
  readonly nodes: readonly (GatewayNode & { readonly isCurrent: boolean })[];
  readonly tasks: TaskBacklog;
  /** The number of active alerts of all owners, and the first of the operators' own. */
  readonly alerts: { readonly active: number; readonly own: readonly ActiveAlert[] };
  /** `null` if the ledger was never verified, or the entry of the audit log has expired. */
  readonly ledger: LedgerVerification | null;
}

export type StatusStore = Pick<Store, 'describe' | 'nodes' | 'directory' | 'tasks' | 'alerts' | 'audit'>;

const MOST_ALERTS = 20;
/** How long the figures are used, and how long a reader of the status waits for new ones. */
const FRESH_MS = 5_000;
const WAIT_MS = 1_000;

/** Reads facts from the database, at most once in five seconds and without ever waiting for long. */
export class StoreFigureReader {
  private known: { readonly atMs: number; readonly figures: StoreFigures } | null = null;
  private reading: Promise<StoreFigures | null> | null = null;

  constructor(
    private readonly store: StatusStore,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
    private readonly sleep: Sleep,
  ) {}

  /** Resolves to `null` if the database does not answer within a second. Never rejects. */
  async read(): Promise<StoreFigures | null> {
    if (this.known !== null && this.clock.monotonicMs() - this.known.atMs < FRESH_MS) return this.known.figures;
    this.reading ??= this.readNow();
    const answered = new AbortController();
    const late = this.sleep(WAIT_MS, answered.signal).then(() => null);
    try {
      return await Promise.race([this.reading, late]);
    } finally {
      answered.abort();
    }
  }

  private async readNow(): Promise<StoreFigures | null> {
    try {
      const figures = await readFigures(this.store);
      this.known = { atMs: this.clock.monotonicMs(), figures };
      return figures;
    } catch {
      this.known = null;
      return null;
    } finally {
      this.reading = null;
    }
  }
}

async function readFigures(store: StatusStore): Promise<StoreFigures> {
  const [database, nodes, tasks, active, own, ledger] = await Promise.all([
    store.describe(),
    nodesOf(store),
    store.tasks.figures(),
    store.alerts.figures(),
    store.alerts.raised({ accountId: null, after: null, limit: MOST_ALERTS }),
    lastVerification(store),
  ]);
  const oldest = (times: readonly number[]) => (times.length === 0 ? null : Math.min(...times));
  return {
    ...{ database, nodes, ledger },
    tasks: {
      open: tasks.reduce((total, { count }) => total + count, 0),
      oldestAtMs: oldest(tasks.map(({ oldestAtMs }) => oldestAtMs)),
      oldestClosingAtMs: oldest(tasks.filter(({ stage }) => stage === 'closing').map(({ oldestAtMs }) => oldestAtMs)),
    },
    alerts: {
      active: active.raised,
      own: own.map(({ rule, state }) => ({
        ruleId: rule.id,
        name: rule.name,
        subject: subjectFrom(state.subject).id,
        sinceMs: state.sinceMs,
      })),
    },
  };
}

/** Resolves to the living nodes, and whether each has applied the latest changes. */
export async function nodesOf({ nodes, directory }: Pick<StatusStore, 'nodes' | 'directory'>) {
  const [living, state] = await Promise.all([nodes.living(), directory.state()]);
  return living.map((node) => ({
    ...node,
    isCurrent: node.accessVersion === state.accessVersion && node.servingVersion === state.servingVersion,
  }));
}

/** Resolves to the latest verification of the ledger by any process, from the audit log. */
export async function lastVerification({ audit }: Pick<StatusStore, 'audit'>): Promise<LedgerVerification | null> {
  const [entry] = await audit.page({ action: LEDGER_VERIFIED, order: 'newest', after: null, limit: 1 });
  if (entry === undefined) return null;
  const problems = entry.after?.problems;
  return { atMs: entry.atMs, problems: typeof problems === 'number' ? problems : 0 };
}
