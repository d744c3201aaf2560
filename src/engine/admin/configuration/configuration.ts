import type { Account, CaptureMode } from '../../../domain/access/account.ts';
import type { CredentialKind, UsageAccess } from '../../../domain/access/api-key.ts';
import type { AddressRange } from '../../../domain/access/network-address.ts';
import type { ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import type { GrantedScope } from '../../../domain/access/scopes.ts';
import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { ConfiguredUpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import type { Guard } from '../../../domain/guards/guard.ts';
import type { Budget } from '../../../domain/money/budget.ts';
import type { AlertTarget } from '../../ports/alert-store.ts';
import type { ExportsSettings } from '../../ports/export-destination.ts';
import type { ConfiguredMedia } from '../../ports/media-fetcher.ts';
import type { MediaStoreSettings } from '../../ports/media-store.ts';
import type { SettingSections } from '../../ports/settings-store.ts';
import type { LogSettings } from '../../settings/logs.ts';
import {
  type AlertSettings,
  type BatchSettings,
  type BillingSettings,
  type BrandingSettings,
  type CacheSettings,
  DEFAULT_ALERTS,
  type ListingSettings,
  type MailSettings,
  type RetentionSettings,
  type RoutingSettings,
  type SearchSettings,
  type SignInSettings,
  type TaskSettings,
  type UsageSettings,
} from '../../settings/settings.ts';
import type { TelemetrySettings } from '../../settings/telemetry.ts';

/** The section `alerts` of a configuration file: common settings, and the operators' own rules and webhooks. */
export interface ConfiguredAlerts {
  readonly settings: AlertSettings;
  readonly targets: readonly AlertTarget[];
  readonly rules: readonly AlertRule[];
}

export const NO_ALERTS: ConfiguredAlerts = { settings: DEFAULT_ALERTS, targets: [], rules: [] };

export interface ConfiguredChannel
  extends Omit<Channel, 'enabled' | 'block' | 'resetAtMs' | 'origin' | 'apiKeys' | 'upstreamKey'> {
  readonly apiKeys?: readonly ConfiguredUpstreamKey[];
}

export type ConfiguredModel = Omit<DeclaredModel, 'createdAtMs' | 'origin'>;

export type ConfiguredGuard = Omit<Guard, 'createdAtMs' | 'origin'>;

export interface ConfiguredCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly name: string;
  /** Plain text, as written in the file; only its hash is ever stored. */
  readonly secret: string;
  readonly limitNanoUsd: bigint | null;
  readonly budget: Budget | null;
  readonly models: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  /** Absent for none. */
  readonly guards?: readonly string[];
  /** `null` for a management token. */
  readonly usageAccess: UsageAccess | null;
  /** `null` leaves it to the account. */
  readonly capture: CaptureMode | null;
  readonly expiresAtMs: number | null;
  /** The scopes of a management token; `null` for a key. */
  readonly scopes: readonly GrantedScope[] | null;
}

export interface ConfiguredAccount extends Omit<Account, 'budgetRaise' | 'createdAtMs' | 'archivedAtMs' | 'origin'> {
  /** Granted once, when a file first states it (`grantOpeningBalances`); `null` grants nothing. */
  readonly openingBalanceNanoUsd: bigint | null;
  readonly credentials: readonly ConfiguredCredential[];
}

export interface ServerSettings {
  /** The largest request body that is read; `null` leaves the default. */
  readonly maxBodyBytes: number | null;
  readonly maxUploadBytes: number | null;
  /** The bound on the bodies of all requests in flight together. */
  readonly bodyMemoryBytes: number | null;
  readonly uploadDiskBytes: number | null;
  /** How long new requests are served after SIGTERM; `null` leaves the default. */
  readonly drainMs: number | null;
  /** How long a shutdown waits for requests in flight; `null` leaves the default. */
  readonly shutdownGraceMs: number | null;
  /** How long after that a shutdown may take to charge, record and write what is queued; `null` leaves the default. */
  readonly shutdownWriteMs: number | null;
  /** The token for reading the metrics; with `null` only this machine may read them. */
  readonly metricsToken: string | null;
  /** The proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** The origins of web pages whose scripts may call the gateway; `null` leaves the default. */
  readonly corsOrigins: '*' | ReadonlySet<string> | null;
  /**
   * The number of requests without a valid key that one address may send per minute before it has to wait; `null` leaves the default.
   */
  readonly wrongKeysPerMinute: number | null;
  /** The number of requests that one person or token may send to the management API in any 60 s; `null` leaves the default. */
  readonly managementRequestsPerMinute: number | null;
  /** The number of requests that one address may send there without a session or a token; `null` leaves the default. */
  readonly anonymousRequestsPerMinute: number | null;
  /** The number of one address's requests in flight to public pages; `null` leaves the default. */
  readonly anonymousRequestsInFlight: number | null;
  /** The most stored responses of one account; `null` leaves the default. */
  readonly maxResponsesPerAccount: number | null;
  readonly maxResponseBytesPerAccount: number | null;
  /** The ping interval of silent streams, 0 for never; `null` leaves the default. */
  readonly pingIntervalMs: number | null;
  readonly maxSocketsPerAccount: number | null;
  /** The most memory of answers in progress; `null` leaves the default. */
  readonly maxHeldAnswerBytes: number | null;
  /** The gateway's address for its clients; `null` uses the one by which each client has reached it. */
  readonly publicUrl: string | null;
  /** The share of Redis' memory for the gateways' common memory of conversations. */
  readonly sharedStateBytes: number | null;
}

/** The names of the environment variables that a setting's value in the file refers to, by its path with its section. */
export type SettingVariables = Readonly<Record<string, readonly string[]>>;

/** A parsed and checked configuration file, known to be consistent. */
export interface Configuration extends GatewaySettings {
  /** The path of the file; `null` without a file. */
  readonly path: string | null;
  /** The sections as they are written. */
  readonly written: SettingSections;
  readonly variables: SettingVariables;
  readonly channels: readonly ConfiguredChannel[];
  readonly models: readonly ConfiguredModel[];
  readonly accounts: readonly ConfiguredAccount[];
  /** Absent for none. */
  readonly guards?: readonly ConfiguredGuard[];
  /** `true` keeps the sandbox channel, `false` forbids it, `null` has it only without other channels. */
  readonly sandbox: boolean | null;
}

/** The settings of the gateway as a whole, with every default filled in. */
export interface GatewaySettings {
  readonly routing: RoutingSettings;
  readonly billing: BillingSettings;
  readonly listing: ListingSettings;
  readonly server: ServerSettings;
  readonly media: ConfiguredMedia;
  readonly mediaStore: MediaStoreSettings;
  readonly tasks: TaskSettings;
  readonly batches: BatchSettings;
  readonly search: SearchSettings;
  readonly cache: CacheSettings;
  readonly retention: RetentionSettings;
  /** The quotas of accounts without their own. */
  readonly quotas: ObjectQuotas;
  readonly usage: UsageSettings;
  readonly signIn: SignInSettings;
  /** `null` if no mail is sent. */
  readonly mail: MailSettings | null;
  readonly alerts: ConfiguredAlerts;
  readonly branding: BrandingSettings;
  readonly telemetry: TelemetrySettings;
  readonly exports: ExportsSettings;
  readonly logs: LogSettings;
}
