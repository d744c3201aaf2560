import { DEFAULT_QUOTAS } from '../../../domain/access/object-quotas.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { DEFAULT_EXPORTS } from '../../ports/export-destination.ts';
import { DEFAULT_MEDIA_SETTINGS } from '../../ports/media-fetcher.ts';
import { DEFAULT_MEDIA_STORE } from '../../ports/media-store.ts';
import { DEFAULT_RESPONSE_QUOTA } from '../../ports/response-store.ts';
import type { SettingSections } from '../../ports/settings-store.ts';
import {
  DEFAULT_ALERTS,
  DEFAULT_BATCHES,
  DEFAULT_BILLING,
  DEFAULT_BRANDING,
  DEFAULT_CACHE,
  DEFAULT_LISTING,
  DEFAULT_MAIL_LIMITS,
  DEFAULT_PINGS,
  DEFAULT_RETENTION,
  DEFAULT_ROUTING,
  DEFAULT_SEARCH,
  DEFAULT_SERVER,
  DEFAULT_SIGN_IN,
  DEFAULT_TASKS,
  DEFAULT_USAGE,
  type MemoryBounds,
} from '../../settings/settings.ts';
import { cacheOverrideFields } from '../schema/cache-section.ts';
import { queueFields } from '../schema/channel.ts';
import { logsFields } from '../schema/logs-section.ts';
import { quotaFields } from '../schema/quota-section.ts';
import { retentionFields } from '../schema/retention-section.ts';
import { telemetryFields } from '../schema/telemetry-section.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/**
 * Returns every setting's default as a configuration file would state it.
 *
 * @param memory the defaults that depend on the memory of this machine
 */
export const defaultSections = (memory: MemoryBounds): SettingSections => ({
  routing: {
    strategy: DEFAULT_ROUTING.strategy,
    max_attempts: DEFAULT_ROUTING.maxAttempts,
    deadline_ms: DEFAULT_ROUTING.deadlineMs,
    cost_in_answers: DEFAULT_ROUTING.costInAnswers,
    queue: queueFields(DEFAULT_ROUTING.queue),
  },
  billing: {
    assumed_output_tokens: DEFAULT_BILLING.assumedOutputTokens,
    private_channel_fee_usd: formatNanoUsd(DEFAULT_BILLING.privateChannelFeeNanoUsd),
    when_counters_are_away: DEFAULT_BILLING.whenCountersAreAway,
  },
  discovery: {
    vendor_key: DEFAULT_LISTING.vendorKey,
    minimum_samples: DEFAULT_LISTING.minimumSamples,
    refresh_ms: DEFAULT_LISTING.refreshMs,
  },
  server: serverFields(memory),
  media: {
    allow_http: DEFAULT_MEDIA_SETTINGS.allowHttp,
    allowed_ranges: [],
    denied_ranges: [],
    max_bytes: DEFAULT_MEDIA_SETTINGS.maxBytes,
    max_concurrent: DEFAULT_MEDIA_SETTINGS.maxConcurrent,
    max_urls: DEFAULT_MEDIA_SETTINGS.maxUrls,
    max_held_bytes: memory.maxHeldMediaBytes,
    timeouts: { connect_ms: DEFAULT_MEDIA_SETTINGS.connectMs, total_ms: DEFAULT_MEDIA_SETTINGS.totalMs },
  },
  tasks: taskFields(),
  batches: batchFields(),
  search: searchFields(),
  cache: cacheFields(),
  retention: retentionFields(DEFAULT_RETENTION),
  quotas: quotaFields(DEFAULT_QUOTAS),
  usage: { end_users: DEFAULT_USAGE.endUsers },
  seller: { name: null, address: [], tax_id: null, email: null },
  sign_in: {
    registration: DEFAULT_SIGN_IN.registration,
    require_two_factor: DEFAULT_SIGN_IN.requireTwoFactor,
    session_hours: DEFAULT_SIGN_IN.sessionMs / HOUR_MS,
    invitation_days: DEFAULT_SIGN_IN.invitationMs / DAY_MS,
  },
  mail: {
    smtp_url: null,
    from: null,
    max_per_hour: DEFAULT_MAIL_LIMITS.perHour,
    max_per_recipient_per_hour: DEFAULT_MAIL_LIMITS.perRecipientPerHour,
    max_per_account_per_hour: DEFAULT_MAIL_LIMITS.perAccountPerHour,
  },
  branding: { name: DEFAULT_BRANDING.name, logo: null, accent_color: null, support_address: null },
  telemetry: telemetryFields(),
  logs: logsFields(),
});

/** The defaults of the sections that only the file can set, as it would state them. */
export const FILE_DEFAULTS: SettingSections = {
  media_store: {
    kind: DEFAULT_MEDIA_STORE.kind,
    link_seconds: DEFAULT_MEDIA_STORE.linkSeconds,
    max_bytes: DEFAULT_MEDIA_STORE.maxBytes,
    max_bytes_per_account: DEFAULT_MEDIA_STORE.maxBytesPerAccount,
    min_free_bytes: DEFAULT_MEDIA_STORE.minFreeBytes,
  },
  alerts: { allow_http: DEFAULT_ALERTS.allowHttp, allowed_ranges: [], denied_ranges: [] },
  exports: { hold_days: DEFAULT_EXPORTS.holdMs / DAY_MS },
};

function serverFields(memory: MemoryBounds) {
  return {
    max_body_bytes: memory.maxBodyBytes,
    max_upload_bytes: DEFAULT_SERVER.maxUploadBytes,
    body_memory_bytes: memory.bodyMemoryBytes,
    upload_disk_bytes: DEFAULT_SERVER.uploadDiskBytes,
    drain_ms: DEFAULT_SERVER.drainMs,
    shutdown_grace_ms: DEFAULT_SERVER.shutdownGraceMs,
    shutdown_write_ms: DEFAULT_SERVER.shutdownWriteMs,
    trusted_proxies: [],
    cors_origins: '*',
    wrong_keys_per_minute: DEFAULT_SERVER.wrongKeysPerMinute,
    management_requests_per_minute: DEFAULT_SERVER.managementRequestsPerMinute,
    anonymous_requests_per_minute: DEFAULT_SERVER.anonymousRequestsPerMinute,
    anonymous_requests_in_flight: DEFAULT_SERVER.anonymousRequestsInFlight,
    ping_interval_ms: DEFAULT_PINGS.intervalMs,
    max_sockets_per_account: DEFAULT_SERVER.maxSocketsPerAccount,
    max_held_answer_bytes: memory.maxHeldAnswerBytes,
    shared_state_bytes: DEFAULT_SERVER.sharedStateBytes,
    public_url: null,
    max_responses_per_account: DEFAULT_RESPONSE_QUOTA.maxResponses,
    max_response_bytes_per_account: DEFAULT_RESPONSE_QUOTA.maxBytes,
  };
}

function taskFields() {
  const { deadlineMs } = DEFAULT_TASKS;
  return {
    poll_interval_ms: DEFAULT_TASKS.pollIntervalMs,
    polls_per_second: DEFAULT_TASKS.pollsPerSecond,
    max_open_per_account: DEFAULT_TASKS.maxOpenPerAccount,
    rehost: DEFAULT_TASKS.rehost,
    max_file_bytes: DEFAULT_TASKS.maxFileBytes,
    deadline_minutes: {
      video: deadlineMs.video / MINUTE_MS,
      music: deadlineMs.music / MINUTE_MS,
      '3d': deadlineMs['3d'] / MINUTE_MS,
      image: deadlineMs.image / MINUTE_MS,
    },
  };
}

function batchFields() {
  return {
    price_percent: DEFAULT_BATCHES.pricePercent,
    relay_price_percent: DEFAULT_BATCHES.relayPricePercent,
    max_relayed: DEFAULT_BATCHES.maxRelayed,
    share_percent: DEFAULT_BATCHES.sharePercent,
    lines_at_once: DEFAULT_BATCHES.linesAtOnce,
    all_lines_at_once: DEFAULT_BATCHES.allLinesAtOnce,
    max_lines: DEFAULT_BATCHES.maxLines,
    max_open_per_account: DEFAULT_BATCHES.maxOpenPerAccount,
    max_file_bytes: DEFAULT_BATCHES.maxFileBytes,
    max_files_per_account: DEFAULT_BATCHES.maxFilesPerAccount,
    max_file_bytes_per_account: DEFAULT_BATCHES.maxFileBytesPerAccount,
  };
}

function searchFields() {
  const { model, maxRounds, maxSearches, results } = DEFAULT_SEARCH;
  return { model, max_rounds: maxRounds, max_searches: maxSearches, results };
}

function cacheFields() {
  const { policy, semantic, feedback } = DEFAULT_CACHE;
  const fields = cacheOverrideFields(policy);
  return {
    memory_mb: DEFAULT_CACHE.memoryBytes / MIB,
    disk_mb: DEFAULT_CACHE.diskBytes / MIB,
    redis_mb: DEFAULT_CACHE.redisBytes / MIB,
    max_entry_kb: DEFAULT_CACHE.maxEntryBytes / KIB,
    encrypt: DEFAULT_CACHE.encrypt,
    shared: DEFAULT_CACHE.isShared,
    hit_price_percent: DEFAULT_CACHE.hitPricePercent,
    ...fields,
    semantic: { ...fields.semantic, embeddings: semantic.embeddings, index_mb: semantic.indexBytes / MIB },
    feedback: {
      keys: feedback.keys,
      block_minutes: feedback.blockMs / MINUTE_MS,
    },
  };
}
