import type { SuccessSnapshot } from '../domain/catalog/preference.ts';
import type { LoadPorts } from '../engine/admin/channels/channel-load.ts';
import { ChannelTestSlots } from '../engine/channel-tests/test-channel.ts';
import type { Directory } from '../engine/directory/directory.ts';
import type { GuardChecks } from '../engine/guards/guard-check.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Store } from '../engine/ports/store.ts';
import type { Upstream } from '../engine/ports/upstream.ts';
import { providers } from '../providers/index.ts';
import { eventLoopTurns } from '../stores/shared/event-loop-turns.ts';
import type { ManagementRoute } from '../transports/management/route.ts';
import { catalogRoutes } from '../transports/management/routes/catalog.ts';
import { channelProbeRoutes } from '../transports/management/routes/channel-probes.ts';
import { channelTestRoutes } from '../transports/management/routes/channel-tests.ts';
import { channelTrafficRoutes } from '../transports/management/routes/channel-traffic.ts';
import { channelRoutes } from '../transports/management/routes/channels.ts';
import { guardRoutes } from '../transports/management/routes/guards.ts';
import { modelRoutes } from '../transports/management/routes/models.ts';
import { providerRoutes } from '../transports/management/routes/providers.ts';
import type { UpstreamGuard } from '../upstream/upstream-guard.ts';

export interface CatalogRoutesOptions {
  readonly clock: Clock;
  readonly store: Store;
  readonly upstream: Upstream;
  readonly upstreamGuard: UpstreamGuard;
  /** The configuration's `sandbox`. */
  readonly sandbox: boolean | null;
  /** Returns the directory that is in force in this process. */
  readonly directory: () => Directory;
  /** Returns the latest success rates. */
  readonly snapshot: () => SuccessSnapshot | null;
  readonly channelLoad: LoadPorts;
  readonly guardChecks: GuardChecks;
}

const TESTS_AT_ONCE = { all: 8, perAccount: 2 };

/** Creates the routes for channels, and for the catalog and models. */
export function createCatalogRoutes(options: CatalogRoutesOptions): readonly ManagementRoute[] {
  const { clock, store, upstream, upstreamGuard: addresses, sandbox, directory, snapshot } = options;
  const means = { providers, upstream, clock };
  const tests = { ...means, slots: new ChannelTestSlots(TESTS_AT_ONCE) };
  return [
    ...channelRoutes({ store, providers, addresses, sandbox, clock, load: options.channelLoad }),
    ...channelTrafficRoutes({ store, clock }),
    ...channelTestRoutes(tests),
    ...channelProbeRoutes({ ...tests, addresses }),
    ...providerRoutes(providers),
    ...modelRoutes({ store, providers, directory, snapshot, clock, turns: eventLoopTurns }),
    ...guardRoutes({ store, clock, checks: options.guardChecks, slots: new ChannelTestSlots(TESTS_AT_ONCE) }),
    ...catalogRoutes(means),
  ];
}
