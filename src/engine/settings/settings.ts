import type { AddressRange } from '../../domain/access/network-address.ts';
import type { MemberRole } from '../../domain/access/user.ts';
import type { Logo } from '../../domain/branding/logo.ts';
import { type CachePolicy, DEFAULT_CERTAINTY } from '../../domain/cache/cache.ts';
import { DEFAULT_QUEUE, type QueueSettings } from '../../domain/catalog/channel-limits.ts';
import type { Strategy } from '../../domain/routing/order.ts';
import type { TaskKind } from '../../domain/tasks/task.ts';
import { DEFAULT_RESPONSE_QUOTA } from '../ports/response-store.ts';

/** How the channels of a model are chosen if neither the account nor the model sets a strategy, and when to give up. */
export interface RoutingSettings {
  readonly strategy: Strategy;
  /** The most upstream attempts for one request, over all channels. */
  readonly maxAttempts: number;
  /** No further attempt starts once the request has lasted this long. */
  readonly deadlineMs: number;
  /** Whether answers tell clients what they cost (docs/cost-in-answers.md). */
  readonly costInAnswers: boolean;
  /** How requests wait while all channels of their model are at their limits, unless a channel has a setting of its own. */
  readonly queue: QueueSettings;
}

export const DEFAULT_ROUTING: RoutingSettings = {
  strategy: 'weighted',
  maxAttempts: 5,
  deadlineMs: 600_000,
  costInAnswers: true,
  queue: DEFAULT_QUEUE,
};

/** The behaviour while the counters that nodes share are unavailable: each node counts for itself, or requests are refused. */
export const COUNTER_FALLBACKS = ['local', 'refuse'] as const;
type CounterFallback = (typeof COUNTER_FALLBACKS)[number];

/** The choices in docs/billing.md that an operator may make. */
export interface BillingSettings {
  /** The number of output tokens reserved for a request without an output limit, unless the model has a lower limit. */
  readonly assumedOutputTokens: number;
  /** The fee for a request over an account's own (PRIVATE) channel, in nano-USD. The model itself is free here. */
  readonly privateChannelFeeNanoUsd: bigint;
  readonly whenCountersAreAway: CounterFallback;
}

export const DEFAULT_BILLING: BillingSettings = {
  assumedOutputTokens: 4_096,
  privateChannelFeeNanoUsd: 0n,
  whenCountersAreAway: 'local',
};

/** How models are shown to clients, and when one is recommended (docs/models.md). */
export interface ListingSettings {
  /** The member of a Model object that holds the gateway's own metadata: the service's brand name (contract, Model object). */
  readonly vendorKey: string;
  /** A model with fewer requests in the last 24 hours has no score. */
  readonly minimumSamples: number;
  /** How old the count of successes may become before it is recomputed. */
  readonly refreshMs: number;
}

export const DEFAULT_LISTING: ListingSettings = { vendorKey: 'vendor', minimumSamples: 20, refreshMs: 300_000 };

/** The defaults of the section `server`. */
export const DEFAULT_SERVER = {
  maxUploadBytes: 512 * 1024 * 1024,
  /** Room for 400 files of 25 MB. */
  uploadDiskBytes: 10 * 1024 * 1024 * 1024,
  maxSocketsPerAccount: 100,
  /** Kubernetes takes one or two seconds to tell its proxies that a pod leaves, and common load balancers check every two to five. */
  drainMs: 5_000,
  shutdownGraceMs: 30_000,
  shutdownWriteMs: 5_000,
  wrongKeysPerMinute: 60,
  /** An open dashboard sends about 30, and one that is clicked through as fast as possible about 200. */
  managementRequestsPerMinute: 600,
  /** Signing in takes three, and an office shares one address. */
  anonymousRequestsPerMinute: 300,
  /** A page has at most five files, each of which takes a client from milliseconds to seconds. */
  anonymousRequestsInFlight: 200,
  sharedStateBytes: 384 * 1024 * 1024,
} as const;

/** Limits that a fast test client would reach. */
export interface CallerLimitDefaults {
  readonly managementRequestsPerMinute: number;
  readonly anonymousRequestsPerMinute: number;
}

/** How often clients of silent streams receive a ping; 0 for never. */
export interface PingSettings {
  readonly intervalMs: number;
}

/** 15 s is below the idle timeouts of common proxies, which are 30 to 100 s (nginx 60 s, Cloudflare 100 s, many load balancers 60 s). */
export const DEFAULT_PINGS: PingSettings = { intervalMs: 15_000 };

const DAY_MS = 86_400_000;

/** How long data is kept that would otherwise grow without bound (docs/retention.md). */
export interface RetentionSettings {
  /** Entries of the request log. */
  readonly requestLogMs: number;
  /** Usage sums by minute; older ones are by quarter of an hour. */
  readonly minuteSumsMs: number;
  /** Usage sums by hour and less; older ones are by day (UTC), which are kept forever. */
  readonly hourSumsMs: number;
  /** Daily costs of each account, from which the overview ranks the most expensive ones. */
  readonly rankingMs: number;
  /** Entries of the audit log. */
  readonly auditMs: number;
  /** Captured requests and answers. */
  readonly capturesMs: number;
  /** Reports of cached answers. */
  readonly cacheReportsMs: number;
  /** Tasks that have ended, with their files. */
  readonly tasksMs: number;
  /** Batches that have ended, and files. */
  readonly batchesMs: number;
  /** Stored responses. */
  readonly responsesMs: number;
  /** Events of alerts and their deliveries. */
  readonly alertsMs: number;
  /** Holds that have ended, and overstated charges that an operator has decided on. */
  readonly holdsMs: number;
}

export const DEFAULT_RETENTION: RetentionSettings = {
  requestLogMs: 30 * DAY_MS,
  minuteSumsMs: 3 * DAY_MS,
  hourSumsMs: 400 * DAY_MS,
  rankingMs: 400 * DAY_MS,
  auditMs: 3_650 * DAY_MS,
  capturesMs: 7 * DAY_MS,
  cacheReportsMs: 90 * DAY_MS,
  tasksMs: 7 * DAY_MS,
  batchesMs: 30 * DAY_MS,
  responsesMs: DEFAULT_RESPONSE_QUOTA.keepMs,
  alertsMs: 30 * DAY_MS,
  holdsMs: 400 * DAY_MS,
};

/** An operator's settings for the files of batches (docs/batches.md). */
export interface FileSettings {
  /** Larger files are refused. */
  readonly maxFileBytes: number;
  /** The most files of one account. */
  readonly maxFiles: number;
  /** The most bytes of one account's files together. */
  readonly maxBytes: number;
  /** How long a file is kept: `retention.batches_days`. */
  readonly keepMs: number;
}

/** An operator's settings for tasks (docs/tasks.md). */
export interface TaskSettings {
  /** The poll interval of each job, in place of the providers' own intervals; `null` keeps those. */
  readonly pollIntervalMs: number | null;
  /** The most polls per second of this process; with more open tasks each is polled less often. */
  readonly pollsPerSecond: number;
  /** The most open tasks of one account. */
  readonly maxOpenPerAccount: number;
  /** How long a finished task can be read: `retention.tasks_days`. */
  readonly keepMs: number;
  /** Whether results at public upstream URLs are also copied to the gateway's own media store. */
  readonly rehost: boolean;
  /** Larger files are not copied. */
  readonly maxFileBytes: number;
  /** The time after its creation at which an unfinished task fails. */
  readonly deadlineMs: Readonly<Record<TaskKind, number>>;
}

const MINUTE_MS = 60_000;

export const DEFAULT_TASKS: TaskSettings = {
  pollIntervalMs: null,
  pollsPerSecond: 100,
  maxOpenPerAccount: 20_000,
  keepMs: DEFAULT_RETENTION.tasksMs,
  rehost: false,
  maxFileBytes: 1024 ** 3,
  deadlineMs: { video: 120 * MINUTE_MS, music: 60 * MINUTE_MS, '3d': 120 * MINUTE_MS, image: 30 * MINUTE_MS },
};

/** An operator's settings for batches (docs/batches.md). */
export interface BatchSettings {
  /** The percentage of a model's prices that a line costs, unless the model has its own. */
  readonly pricePercent: number;
  /** The same for lines that go into a batch of their provider. */
  readonly relayPricePercent: number;
  /** The most unfinished batches at the provider of one upstream key. */
  readonly maxRelayed: number;
  /** The percentage of each limit of accounts and channels that lines may use. */
  readonly sharePercent: number;
  /** The most lines of one account that run at once in this process. */
  readonly linesAtOnce: number;
  /** The most lines of all accounts that run at once in this process. */
  readonly allLinesAtOnce: number;
  /** The most lines of one batch. */
  readonly maxLines: number;
  /** The most unfinished batches of one account. */
  readonly maxOpenPerAccount: number;
  /** Larger files are refused. */
  readonly maxFileBytes: number;
  /** The most files of one account, with the outputs of its batches. */
  readonly maxFilesPerAccount: number;
  /** The most bytes of these together. */
  readonly maxFileBytesPerAccount: number;
}

export const DEFAULT_BATCHES: BatchSettings = {
  pricePercent: 100,
  relayPricePercent: 50,
  maxRelayed: 20,
  sharePercent: 50,
  linesAtOnce: 8,
  allLinesAtOnce: 32,
  maxLines: 100_000,
  maxOpenPerAccount: 50,
  // OpenAI's limit for the input of a batch.
  maxFileBytes: 200 * 1024 * 1024,
  maxFilesPerAccount: 2_000,
  maxFileBytesPerAccount: 10 * 1024 * 1024 * 1024,
};

/** An operator's settings for web searches of models without search (docs/web-search.md). */
export interface SearchSettings {
  /** The public id of the search model, or `none` to switch it off. */
  readonly model: string;
  /** The most requests to the answering model for one answer. */
  readonly maxRounds: number;
  /** The most searches for one answer. */
  readonly maxSearches: number;
  /** The results of one search. */
  readonly results: number;
}

export const DEFAULT_SEARCH: SearchSettings = { model: 'none', maxRounds: 5, maxSearches: 8, results: 5 };

/** An operator's settings for the cache (docs/cache.md). */
export interface CacheSettings {
  /** The most bytes in the memory of one process. */
  readonly memoryBytes: number;
  /** The most bytes on the disk of one node, if there is no Redis; 0 for none. */
  readonly diskBytes: number;
  /** The most bytes of all nodes together in Redis, if there is one; 0 for none. */
  readonly redisBytes: number;
  /** Larger answers are not kept. */
  readonly maxEntryBytes: number;
  /** Whether entries on the disk or in Redis are encrypted with the master secret. */
  readonly encrypt: boolean;
  /** Whether accounts get each other's answers. Those of PRIVATE channels are never shared. */
  readonly isShared: boolean;
  /** The price of a hit, in per cent of what the same answer would cost from a channel; 0 for free hits. */
  readonly hitPricePercent: number;
  /** The policy if neither the account nor the model sets one. */
  readonly policy: CachePolicy;
  readonly semantic: {
    /** `local` for the packaged model, `none` to disable the search for equivalent questions, else the id of an embedding model. */
    readonly embeddings: string;
    /** The most bytes of vectors in one process. */
    readonly indexBytes: number;
  };
  readonly feedback: {
    /** The number of keys whose reports invalidate an entry. */
    readonly keys: number;
    /** How long nothing is stored for a request after its answer was invalidated. */
    readonly blockMs: number;
  };
}

const MIB = 1024 * 1024;
const HOUR_MS = 3_600_000;

export const DEFAULT_CACHE: CacheSettings = {
  memoryBytes: 64 * MIB,
  diskBytes: 1024 * MIB,
  redisBytes: 1024 * MIB,
  maxEntryBytes: MIB,
  encrypt: true,
  isShared: false,
  hitPricePercent: 0,
  policy: {
    strategy: 'deterministic',
    ttlMs: 24 * HOUR_MS,
    maxTemperature: 0,
    coalesce: false,
    certainty: DEFAULT_CERTAINTY,
    semanticTools: false,
    semanticMedia: false,
  },
  semantic: { embeddings: 'local', indexBytes: 128 * MIB },
  feedback: { keys: 2, blockMs: HOUR_MS },
};

/** How the end users that clients name are stored: under a keyed hash, as they are sent, or not at all. */
export const END_USER_STORAGES = ['hashed', 'plain', 'off'] as const;
export type EndUserStorage = (typeof END_USER_STORAGES)[number];

/** An operator's settings for usage sums and the request log (docs/usage-sums.md). */
export interface UsageSettings {
  readonly endUsers: EndUserStorage;
}

export const DEFAULT_USAGE: UsageSettings = { endUsers: 'hashed' };

export const REGISTRATIONS = ['closed', 'open'] as const;
export const SECOND_FACTOR_RULES = ['none', 'operators', 'all'] as const;

/** An OpenID Connect issuer for signing in. */
export interface OidcProvider {
  /** Part of the sign-in addresses: `…/callback/<id>`. */
  readonly id: string;
  readonly name: string;
  /** Its discovery document is at `<issuer>/.well-known/openid-configuration`. */
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** Whether unknown people become users. Otherwise only invited people can sign in. */
  readonly mayCreateUsers: boolean;
  /** The account that new users join, and their role; `null` for none. */
  readonly joins: { readonly accountId: string; readonly role: MemberRole } | null;
  /** Whether the issuer itself requires a second factor, so that its sign-ins count as made with one. */
  readonly secondFactor: boolean;
}

export interface SignInSettings {
  /** `open` lets anyone request a link by mail, which creates an account. */
  readonly registration: (typeof REGISTRATIONS)[number];
  /** Who must use a second factor before the session may do anything. */
  readonly requireTwoFactor: (typeof SECOND_FACTOR_RULES)[number];
  readonly sessionMs: number;
  readonly invitationMs: number;
  readonly oidc: readonly OidcProvider[];
}

export const DEFAULT_SIGN_IN: SignInSettings = {
  registration: 'closed',
  requireTwoFactor: 'none',
  sessionMs: 12 * 3_600_000,
  invitationMs: 7 * 86_400_000,
  oidc: [],
};

export interface MailLimits {
  readonly perHour: number;
  readonly perRecipientPerHour: number;
  readonly perAccountPerHour: number;
}

export interface MailSettings {
  /** The URL of the server, such as `smtps://user:password@mail.example.com:465`. */
  readonly smtpUrl: string;
  readonly from: string;
  readonly limits: MailLimits;
}

export const DEFAULT_MAIL_LIMITS: MailLimits = { perHour: 1_000, perRecipientPerHour: 10, perAccountPerHour: 100 };

/** How the gateway presents itself to the people who use it, instead of as Switchyard. */
export interface BrandingSettings {
  /** On pages, and in emails. */
  readonly name: string;
  /** `null` for Switchyard's own. */
  readonly logo: Logo | null;
  /** `#rrggbb`, from which the accents of both themes follow; `null` for Switchyard's own. */
  readonly accentColor: string | null;
  /** Where people get help: `mailto:…` or `https://…`. */
  readonly supportUrl: string | null;
}

export const DEFAULT_BRANDING: BrandingSettings = {
  name: 'Switchyard',
  logo: null,
  accentColor: null,
  supportUrl: null,
};

/** An operator's settings for the alerts of all accounts. */
export interface AlertSettings {
  /** Whether webhooks may use plain `http:` as well as `https:`. */
  readonly allowHttp: boolean;
  /** Ranges that webhooks may reach although they are private, loopback, link-local or otherwise special. */
  readonly allowedRanges: readonly AddressRange[];
  /** Ranges that webhooks must never reach, even if allowed. */
  readonly deniedRanges: readonly AddressRange[];
}

export const DEFAULT_ALERTS: AlertSettings = { allowHttp: false, allowedRanges: [], deniedRanges: [] };

/** The bounds on memory that depend on the size of the machine, in bytes, for one process. */
export interface MemoryBounds {
  /** `server.max_body_bytes` */
  readonly maxBodyBytes: number;
  /** `server.body_memory_bytes` */
  readonly bodyMemoryBytes: number;
  /** `server.max_held_answer_bytes` */
  readonly maxHeldAnswerBytes: number;
  /** `media.max_held_bytes` */
  readonly maxHeldMediaBytes: number;
}

/**
 * The memory that one byte of a request's body occupies while the request runs: the received bytes, the decoded text, the parsed values and
 * the bytes sent upstream. Measured with 5 MB prompts: 3.8 to 4.9.
 */
export const MEMORY_PER_BODY_BYTE = 5;

/** The bounds if memory is plentiful. 50 MiB is the largest body that the contract's clients send. */
export const LARGEST_MEMORY_BOUNDS: MemoryBounds = {
  maxBodyBytes: 50 * MIB,
  bodyMemoryBytes: 2560 * MIB,
  maxHeldAnswerBytes: 1024 * MIB,
  maxHeldMediaBytes: 1024 * MIB,
};

/** A process's other memory: 110 MiB when idle, the answer cache, and uncollected garbage. */
const PROCESS_BYTES = 256 * MIB;
/** A container of less than 342 MiB divides this part nevertheless, since a gateway that accepts no body is useless. */
const LEAST_FREE_PART = 0.25;
/** A fifth is left for uncounted memory, such as socket buffers. */
const SHARES = { bodies: 0.4, answers: 0.2, media: 0.2 };

/**
 * Returns the default bounds for a machine or container with `availableBytes` of memory that `processes` gateway processes share. The
 * memory of all requests then stays below the available memory, so the kernel has no reason to kill a process.
 */
export function memoryBoundsFor(availableBytes: number, processes: number): MemoryBounds {
  const own = availableBytes / processes;
  const free = Math.max(own - PROCESS_BYTES, own * LEAST_FREE_PART);
  const share = (part: number, largest: number) => Math.min(largest, wholeMib(free * part));
  const bodyMemoryBytes = share(SHARES.bodies, LARGEST_MEMORY_BOUNDS.bodyMemoryBytes);
  return {
    // One account may use half of the memory, and one body of the largest size must fit into that half.
    maxBodyBytes: Math.min(LARGEST_MEMORY_BOUNDS.maxBodyBytes, wholeMib(bodyMemoryBytes / 2 / MEMORY_PER_BODY_BYTE)),
    bodyMemoryBytes,
    maxHeldAnswerBytes: share(SHARES.answers, LARGEST_MEMORY_BOUNDS.maxHeldAnswerBytes),
    maxHeldMediaBytes: share(SHARES.media, LARGEST_MEMORY_BOUNDS.maxHeldMediaBytes),
  };
}

function wholeMib(bytes: number): number {
  return Math.max(1, Math.floor(bytes / MIB)) * MIB;
}
