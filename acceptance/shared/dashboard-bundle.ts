import path from 'node:path';
import { PROJECT } from '../../conformance/shared/workspace.ts';
import { createLogger } from '../../src/main/logging/logger.ts';
import { systemClock } from '../../src/main/system.ts';
import { BuiltBundle } from '../../src/transports/dashboard/bundle-source.ts';

/** The bundle folder of all gateways under test (`SWITCHYARD_DASHBOARD_BUNDLES`), so that the dashboard is built once. */
export const TEST_BUNDLES = path.join(PROJECT, 'node_modules/.cache/test-bundles');

/**
 * Builds the dashboard for the gateways of all test processes, unless a build of these sources exists: otherwise each gateway that serves a
 * page would build its own. Throws if the build fails.
 */
export async function buildTestDashboard(): Promise<void> {
  const bundles = new BuiltBundle({
    ...{ root: PROJECT, folder: TEST_BUNDLES, watch: false },
    ...{ logger: createLogger('silent'), nowMs: () => systemClock.monotonicMs() },
  });
  const bundle = await bundles.current();
  if ('problem' in bundle) throw new Error(bundle.problem);
}
