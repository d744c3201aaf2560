import { buildTestDashboard } from '../../acceptance/shared/dashboard-bundle.ts';
import { startTestPostgres } from '../../src/stores/shared/testing/postgres.ts';
import type { Requirement } from './requirements.ts';

/** Servers that all test processes of a run share. */
export interface Services {
  /** How test processes find them. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** Starts those that some suite needs; the machine has what they are started from. */
export async function startServices(needed: ReadonlySet<Requirement>): Promise<Services> {
  const environment: Record<string, string> = {};
  const stops: (() => Promise<void>)[] = [];
  const stop = async () => {
    await Promise.all(stops.map((one) => one()));
  };
  try {
    if (needed.has('postgres')) {
      const postgres = await startTestPostgres();
      stops.push(() => postgres.stop());
      environment.SWITCHYARD_TEST_POSTGRES = postgres.url;
    }
    if (needed.has('chromium')) {
      // Each process has a Chromium of its own: one that several are connected to attaches each of them to the pages of all.
      await buildTestDashboard();
    }
    return { environment, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}
