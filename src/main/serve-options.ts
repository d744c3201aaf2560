import type { Configuration } from '../engine/admin/configuration/configuration.ts';
import type { Clock, Every, Sleep } from '../engine/ports/clock.ts';
import type { SettingSections } from '../engine/ports/settings-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { CallerLimitDefaults } from '../engine/settings/settings.ts';
import type { Patience } from '../stores/redis/connection.ts';
import type { Proxies } from '../upstream/proxies.ts';
import type { Membership } from './group/membership.ts';
import type { LineLogger } from './logging/logger.ts';
import type { StopRequest } from './stop-request.ts';

export interface ServeOptions {
  readonly clock: Clock;
  readonly sleep: Sleep;
  readonly every: Every;
  readonly host: string;
  readonly port: number;
  /** Its `path` is `null` if there is no file. */
  readonly configuration: Configuration;
  readonly storedSettings: SettingSections;
  /** The memory for all processes of the gateway, in bytes. */
  readonly availableBytes: number;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly store: Store;
  /** The master secret; further keys, such as the one for page tokens, are derived from it. */
  readonly secret: string;
  readonly logger: LineLogger;
  /** Whether the first key and the first link may be printed. */
  readonly printsSecrets: boolean;
  readonly proxies: Proxies;
  readonly redisUrl: string | null;
  readonly redisPatience?: Patience | undefined;
  /** The value of `SWITCHYARD_DATA`. */
  readonly dataDirectory: string;
  /** Replaces the product's defaults. */
  readonly callerLimits?: CallerLimitDefaults | undefined;
  /** `null` if this is the only process. */
  readonly membership: Membership | null;
  /** Frees the address for the gateway, if another thread responds there since an upgrade of the database. */
  readonly freeAddress: () => Promise<void>;
  /** Prints a line to the terminal. */
  readonly print: (line: string) => void;
  /** Resolves when the gateway is asked to stop. Called once, before the gateway listens. */
  readonly stopRequest: () => Promise<StopRequest>;
  /** Calls the listener whenever the configuration is to be reloaded. Called once, before the gateway listens. */
  readonly onReloadRequest: (listener: () => unknown) => void;
}
