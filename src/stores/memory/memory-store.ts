import type { Clock } from '../../engine/ports/clock.ts';
import type { Store } from '../../engine/ports/store.ts';
import { createContentBox } from '../shared/content-box.ts';
import { createSecretBox } from '../shared/secret-box.ts';
import { WriteHealth } from '../shared/write-health.ts';
import { SqlAlerts } from '../sql/alerts/sql-alerts.ts';
import { SqlCaptures } from '../sql/captures/sql-captures.ts';
import { SqlAccountErasures } from '../sql/erasures/sql-account-erasures.ts';
import { SqlErasures } from '../sql/erasures/sql-erasures.ts';
import { SqlPeople } from '../sql/people/sql-people.ts';
import { MemoryAuditLog } from './audit-log.ts';
import { MemoryBooks } from './books.ts';
import { MemoryCacheReports } from './cache-reports.ts';
import { MemoryDirectory } from './directory.ts';
import { MemoryHealth } from './health.ts';
import { MemoryHeldCharges } from './held-charges.ts';
import { MemoryIdempotency } from './idempotency.ts';
import { MemoryKeyUse } from './key-use.ts';
import { MemoryLedger } from './ledger.ts';
import { MemoryNodes } from './nodes.ts';
import { MemoryObjectOrigins } from './object-origins.ts';
import { MemoryOutcomes } from './outcomes.ts';
import { MemoryPeopleRunner } from './people.ts';
import { MemoryRequestLog } from './request-log.ts';
import { MemoryResponses } from './responses.ts';
import { MemoryRetention } from './retention.ts';
import { MemorySettings } from './settings.ts';
import { MemorySnapshots } from './snapshots.ts';
import { MemoryTasks } from './tasks.ts';
import { MemoryUsage } from './usage.ts';

const TASK_CAPACITY = 100_000;

const RESPONSE_CAPACITY_BYTES = 256 * 1024 * 1024;

export interface MemoryStoreOptions {
  /** The clock for expiry of stored responses; the system's by default. */
  readonly clock?: Pick<Clock, 'nowMs'>;
  /** The size of stored responses beyond which the oldest are dropped. Default 256 MiB. */
  readonly responseCapacityBytes?: number;
}

/** Opens a store in memory, which is lost with the process, for tests and trials. */
export function openMemoryStore(options: MemoryStoreOptions = {}): Store {
  const clock = options.clock ?? { nowMs: () => Date.now() };
  const health = new MemoryHealth((channelId) => directory.hasChannel(channelId));
  const audit = new MemoryAuditLog();
  const directory = new MemoryDirectory((channelId) => health.forget(channelId), audit);
  const usage = new MemoryUsage();
  const requestLog = new MemoryRequestLog(usage);
  const records = () => requestLog.records();
  const ledger = new MemoryLedger({ accounts: () => directory.allAccounts(), records, usage });
  const people = new MemoryPeopleRunner(audit);
  const responses = new MemoryResponses(clock, options.responseCapacityBytes ?? RESPONSE_CAPACITY_BYTES);
  const tasks = new MemoryTasks(TASK_CAPACITY);
  const objects = new MemoryObjectOrigins();
  const cacheReports = new MemoryCacheReports();
  return {
    directory,
    requestLog,
    responses,
    health,
    ledger,
    holds: ledger.holds,
    heldCharges: new MemoryHeldCharges(),
    tasks,
    keyUse: new MemoryKeyUse(),
    objects,
    outcomes: new MemoryOutcomes(() => requestLog.records()),
    snapshots: new MemorySnapshots(),
    cacheReports,
    audit,
    idempotency: new MemoryIdempotency(),
    people: new SqlPeople(people),
    ledgerArchive: null,
    erasures: new SqlErasures(people),
    accountErasures: new SqlAccountErasures(people, {
      requestLines: (accountId, pseudonym) => requestLog.removeOf(accountId, pseudonym === null),
      usageTags: (accountId, pseudonym) => usage.removeTagsOf(accountId, pseudonym === null),
      responses: (accountId, pseudonym) => responses.removeOf(accountId, pseudonym === null),
      objects: (accountId, pseudonym) => objects.removeOf(accountId, pseudonym === null),
      tasks: (accountId, pseudonym) => tasks.removeOf(accountId, pseudonym === null),
      holds: (accountId, pseudonym) => ledger.holds.removeOf(accountId, pseudonym === null),
      cacheReports: (accountId, pseudonym) => cacheReports.removeOf(accountId, pseudonym === null),
      ledgerNotes: (accountId, pseudonym) => ledger.hideNotesOf(accountId, pseudonym),
    }),
    settings: new MemorySettings(audit),
    signIn: people.signIn,
    nodes: new MemoryNodes(clock),
    usage,
    books: new MemoryBooks(ledger, usage),
    alerts: new SqlAlerts(people, createSecretBox(crypto.randomUUID())),
    captures: new SqlCaptures(people, createContentBox(crypto.randomUUID())),
    retention: new MemoryRetention(),
    storeHealth: new WriteHealth(async () => null),
    describe: async () => ({ kind: 'memory', version: null, bytes: null, migrations: [] }),
    close: async () => people.close(),
  };
}
