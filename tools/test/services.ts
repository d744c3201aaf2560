import { buildTestDashboard } from '../../acceptance/shared/dashboard-bundle.ts';
import {
  startTestPostgres,
  type TestPostgres,
  type TestPostgresVersion,
} from '../../src/stores/shared/testing/postgres.ts';
import type { Requirement } from './requirements.ts';

/** Servers that all test processes of a run share. */
export interface Services {
  /** Returns the variables by which the test processes of a suite with these needs find the servers. */
  environmentFor(needs: readonly Requirement[]): Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** The server for each need. A suite uses at most one of them, for the shared test database. */
const POSTGRES_SERVERS = { postgres: 'newest', 'postgres-15': 'oldest' } as const;

/** Starts the servers that some suite needs; their programs are installed. */
export async function startServices(needed: ReadonlySet<Requirement>): Promise<Services> {
  const servers = new Map<Requirement, TestPostgres>();
  const stop = async () => {
    await Promise.all([...servers.values()].map((server) => server.stop()));
  };
  try {
    for (const [need, version] of Object.entries(POSTGRES_SERVERS) as [
      keyof typeof POSTGRES_SERVERS,
      TestPostgresVersion,
    ][]) {
      if (needed.has(need)) servers.set(need, await startTestPostgres(version));
    }
    if (needed.has('chromium')) {
      // Each process has its own Chromium: several clients of one would each be attached to all pages.
      await buildTestDashboard();
    }
    return {
      environmentFor(needs) {
        const server = needs.map((need) => servers.get(need)).find((one) => one !== undefined);
        return server === undefined ? {} : { SWITCHYARD_TEST_POSTGRES: server.url };
      },
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
