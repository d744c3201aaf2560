import type { Account } from '../../../domain/access/account.ts';
import type { CredentialKind } from '../../../domain/access/api-key.ts';
import type { AddressRange } from '../../../domain/access/network-address.ts';
import type { ObjectQuotas } from '../../../domain/access/object-quotas.ts';
import type { GrantedScope } from '../../../domain/access/scopes.ts';
import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DeclaredModel } from '../../../domain/catalog/model.ts';
import type { Budget } from '../../../domain/money/budget.ts';
import type { ConfiguredMedia } from '../../ports/media-fetcher.ts';
import type { MediaStoreSettings } from '../../ports/media-store.ts';
import type { SettingSections } from '../../ports/settings-store.ts';
import type { BillingSettings } from '../../settings/billing-settings.ts';
import type { CacheSettings } from '../../settings/cache-settings.ts';
import type { ListingSettings } from '../../settings/listing-settings.ts';
import type { MailSettings } from '../../settings/mail-settings.ts';
import type { RetentionSettings } from '../../settings/retention-settings.ts';
import type { RoutingSettings } from '../../settings/routing-settings.ts';
import type { SignInSettings } from '../../settings/sign-in-settings.ts';
import type { TaskSettings } from '../../settings/task-settings.ts';
import type { ConfiguredAlerts } from './configured-alerts.ts';

export type ConfiguredChannel = Omit<Channel, 'enabled' | 'block' | 'resetAtMs' | 'origin'>;

export type ConfiguredModel = Omit<DeclaredModel, 'createdAtMs' | 'origin'>;

export interface ConfiguredCredential {
  readonly id: string;
  readonly kind: CredentialKind;
  readonly name: string;
  /** In plain text, as written in the file; only its hash is ever stored. */
  readonly secret: string;
  readonly limitNanoUsd: bigint | null;
  readonly budget: Budget | null;
  readonly models: readonly string[] | null;
  readonly requestsPerMinute: number | null;
  readonly expiresAtMs: number | null;
  /** What a management token may do; `null` for a key. */
  readonly scopes: readonly GrantedScope[] | null;
}

export interface ConfiguredAccount extends Omit<Account, 'createdAtMs' | 'archivedAtMs' | 'origin'> {
  /** Granted once, the first time that a file says it (`grantOpeningBalances`); `null` grants nothing. */
  readonly openingBalanceNanoUsd: bigint | null;
  readonly credentials: readonly ConfiguredCredential[];
}

export interface ServerSettings {
  /** The largest request body that is read; `null` leaves the default. */
  readonly maxBodyBytes: number | null;
  readonly maxUploadBytes: number | null;
  /** Of the bodies of all requests in flight together. */
  readonly bodyMemoryBytes: number | null;
  readonly uploadDiskBytes: number | null;
  /** How long a shutdown waits for running requests; `null` leaves the default. */
  readonly shutdownGraceMs: number | null;
  /** The token for reading the metrics; with `null` only this machine may read them. */
  readonly metricsToken: string | null;
  /** The proxies whose `X-Forwarded-For` is trusted. */
  readonly trustedProxies: readonly AddressRange[];
  /** The web pages whose scripts may call the gateway, by their origins; `null` leaves the default. */
  readonly corsOrigins: '*' | ReadonlySet<string> | null;
  /** Requests without a valid key that one address may send before it is told to wait; `null` leaves the default. */
  readonly wrongKeysPerMinute: number | null;
  /** Requests that one person or token may send to the management API in any 60 s; `null` leaves the default. */
  readonly managementRequestsPerMinute: number | null;
  /** Requests that one address may send there without a session or a token; `null` leaves the default. */
  readonly anonymousRequestsPerMinute: number | null;
  /** Requests of one address in flight at one time, to what is open to anyone; `null` leaves the default. */
  readonly anonymousRequestsInFlight: number | null;
  /** What one account may keep of responses; `null` leaves a default. */
  readonly maxResponsesPerAccount: number | null;
  readonly maxResponseBytesPerAccount: number | null;
  /** How often clients of silent streams are pinged, 0 for never; `null` leaves the default. */
  readonly pingIntervalMs: number | null;
  readonly maxSocketsPerAccount: number | null;
  /** What answers under way may hold of the memory; `null` leaves the default. */
  readonly maxHeldAnswerBytes: number | null;
  /** The address of the gateway for its clients; `null`: the one by which each has reached it. */
  readonly publicUrl: string | null;
  /** Of Redis' memory, for what gateways remember of conversations together. */
  readonly sharedStateBytes: number | null;
}

/** A configuration file after parsing and checking: everything in it is known to be consistent. */
export interface Configuration extends GatewaySettings {
  /** The file; `null` where there is none, and nothing is declared. */
  readonly path: string | null;
  /** Its sections as they are written. */
  readonly written: SettingSections;
  readonly channels: readonly ConfiguredChannel[];
  readonly models: readonly ConfiguredModel[];
  readonly accounts: readonly ConfiguredAccount[];
  /** `true` keeps the sandbox channel, `false` forbids it, `null` has it only while there is no other channel. */
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
  readonly cache: CacheSettings;
  readonly retention: RetentionSettings;
  /** Of each account that says nothing else. */
  readonly quotas: ObjectQuotas;
  readonly signIn: SignInSettings;
  /** `null` where no mails are sent. */
  readonly mail: MailSettings | null;
  readonly alerts: ConfiguredAlerts;
}
