import type { AddressRange } from '../domain/access/network-address.ts';
import type { ObjectQuotas } from '../domain/access/object-quotas.ts';
import type { FamilySnapshot } from '../domain/metrics/snapshot.ts';
import type { LiveCursors } from '../engine/admin/requests/live-requests.ts';
import type { LiveBranding } from '../engine/admin/settings/live-branding.ts';
import type { SettingsInForce } from '../engine/admin/settings/settings.ts';
import type { ConfigurationFigures } from '../engine/admin/status/problems.ts';
import type { ProcessFigures } from '../engine/admin/status/process-figures.ts';
import type { RunningCall, WantedRunning } from '../engine/call/calls-in-progress.ts';
import type { EndUsers } from '../engine/call/end-users.ts';
import type { MailCounts } from '../engine/mail/limited-mailer.ts';
import type { PageTokens } from '../engine/model-listing/page-token.ts';
import type { Clock, Every, Sleep } from '../engine/ports/clock.ts';
import type { ConversationState, Sealing } from '../engine/ports/conversation-state.ts';
import type { ExportsSettings } from '../engine/ports/export-destination.ts';
import type { QueueFigures, RedisFigures } from '../engine/ports/figures.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Mailer } from '../engine/ports/mailer.ts';
import type { MediaStore } from '../engine/ports/media-store.ts';
import type { RateCounters } from '../engine/ports/rate-counters.ts';
import type { ResponseMemorySettings } from '../engine/ports/response-memory.ts';
import type { ResponseKeeping } from '../engine/ports/response-store.ts';
import type { Store } from '../engine/ports/store.ts';
import type { SessionTracing, TaskTracing, Tracing } from '../engine/ports/tracing.ts';
import type {
  AlertSettings,
  BatchSettings,
  BillingSettings,
  ListingSettings,
  MailSettings,
  PingSettings,
  RetentionSettings,
  RoutingSettings,
  SearchSettings,
  TaskSettings,
} from '../engine/settings/settings.ts';
import type { TelemetrySettings } from '../engine/settings/telemetry.ts';
import type { CorsOrigins } from '../transports/inference/cors.ts';
import type { UploadFolder } from '../transports/inference/form/upload-folder.ts';
import type { ProbeTokens } from '../transports/ops/probe-tokens.ts';
import type { HttpUpstream } from '../upstream/http-upstream.ts';
import type { MeasuredMediaFetcher } from '../upstream/media-fetcher.ts';
import type { UpstreamGuard } from '../upstream/upstream-guard.ts';
import type { OpenCache } from './create-cache.ts';
import type { DashboardSettings } from './create-open-routes.ts';
import type { People } from './create-people.ts';
import type { Telemetry } from './create-telemetry.ts';

/** A folder whose disk is watched. */
export interface WatchedDisk {
  readonly name: 'data' | 'media';
  readonly path: string;
}

export interface GatewayOptions {
  readonly clock: Clock;
  /** Waits before a retry of an upstream. */
  readonly sleep: Sleep;
  /** Schedules the work on tasks. */
  readonly every: Every;
  readonly store: Store;
  readonly sealing: Sealing;
  readonly counters: RateCounters;
  readonly conversationState: ConversationState;
  readonly logger: Logger & { readonly queue: QueueFigures | null };
  readonly maxBodyBytes: number;
  /** The limit for a file that is passed through. */
  readonly maxUploadBytes: number;
  readonly maxSocketsPerAccount: number;
  /** The limit for all requests in flight. */
  readonly bodyMemoryBytes: number;
  readonly metricsToken: string | null;
  /** Resolves to the metrics of all serving processes, given this one's own; to these if there is only one process. */
  readonly metricsOfAll: (own: () => Promise<readonly FamilySnapshot[]>) => Promise<readonly FamilySnapshot[]>;
  /** Resolves to the figures of all serving processes, given this one's own. */
  readonly figuresOfAll: (own: () => ProcessFigures) => Promise<readonly [ProcessFigures, ...ProcessFigures[]]>;
  /** The memory for all processes of the gateway. */
  readonly availableBytes: number;
  /** Resolves to the running calls of all serving processes, given this one's own. */
  readonly runningOfAll: (wanted: WantedRunning, own: () => readonly RunningCall[]) => Promise<readonly RunningCall[]>;
  /** The folders whose disks operators watch. */
  readonly disks: readonly WatchedDisk[];
  readonly loadedConfiguration: ConfigurationFigures;
  readonly trustedProxies: readonly AddressRange[];
  /** Writes a line of the access log; `null` for no access log. */
  readonly accessLog: ((line: string) => void) | null;
  readonly publicUrl: string | null;
  readonly corsOrigins: CorsOrigins;
  readonly wrongKeysPerMinute: number;
  /** The limit per person or token. */
  readonly managementRequestsPerMinute: number;
  /** The limit per address without a session or a token, for the management API. */
  readonly anonymousRequestsPerMinute: number;
  /** The limit of concurrent requests per address to what is public. */
  readonly anonymousRequestsInFlight: number;
  readonly responseMemory: ResponseMemorySettings;
  readonly pings: PingSettings;
  readonly responseQuota: ResponseKeeping;
  readonly routing: RoutingSettings;
  readonly billing: BillingSettings;
  readonly listing: ListingSettings;
  readonly quotas: ObjectQuotas;
  readonly tasks: TaskSettings;
  readonly batches: BatchSettings;
  readonly search: SearchSettings;
  readonly retention: RetentionSettings;
  readonly endUsers: EndUsers;
  /** The ids that upstreams get, and the link to a trace. */
  readonly ids: Pick<TelemetrySettings, 'forwardIds' | 'traceUrl'>;
  readonly alerting: AlertSettings;
  readonly exports: ExportsSettings;
  /** Whether this process may export the request log. */
  readonly isExporter: boolean;
  /** `null` if no mail server is configured. */
  readonly mailer: Mailer | null;
  /** `null` while traces are switched off. */
  readonly tracing: (Tracing & TaskTracing & SessionTracing) | null;
  /** `null` without a mail server. */
  readonly mailSettings: MailSettings | null;
  readonly branding: LiveBranding;
  readonly cache: OpenCache;
  /** The settings with which the process has started, as operators may read them. */
  readonly settingsInForce: SettingsInForce;
  /** Returns `null` if no Redis is configured. */
  readonly redisState: () => 'reachable' | 'away' | null;
  readonly redisFigures: () => readonly RedisFigures[];
  readonly pageTokens: PageTokens;
  /** The cursors of clients that watch the request log. */
  readonly liveCursors: LiveCursors;
  /** Recognize `switchyard doctor`. */
  readonly probeTokens: ProbeTokens;
  readonly people: People;
  readonly dashboard: DashboardSettings;
  readonly telemetry: Pick<Telemetry, 'pushMetrics' | 'signals' | 'spanQueue' | 'lineQueue'>;
  /** Whether some metrics are also counted by account. */
  readonly accountMetrics: boolean;
  /** The outcomes of emails; `null` without a mail server. */
  readonly mailCounts: MailCounts | null;
  readonly upstream: HttpUpstream;
  /** Checks addresses that accounts have chosen. */
  readonly upstreamGuard: UpstreamGuard;
  /** The configuration's `sandbox`. */
  readonly sandbox: boolean | null;
  /** Fetches files that prompts refer to. */
  readonly mediaFetcher: MeasuredMediaFetcher;
  /** Stores generated files. */
  readonly mediaStore: MediaStore;
  /** Holds large files of forms during their requests. */
  readonly uploadFolder: UploadFolder;
}
