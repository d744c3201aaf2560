// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${NAME}` is the notation of the files under test.

import { describe, expect, test } from 'bun:test';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_QUOTAS } from '../../domain/access/object-quotas.ts';
import { CACHE_STRATEGIES } from '../../domain/cache/cache.ts';
import { DEFAULT_TIMEOUTS } from '../../domain/catalog/channel.ts';
import { DEFAULT_QUEUE } from '../../domain/catalog/channel-limits.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { STRATEGIES } from '../../domain/routing/order.ts';
import { NO_ALERTS } from '../../engine/admin/configuration/configuration.ts';
import { testProviders } from '../../engine/admin/testing/test-providers.ts';
import { DEFAULT_EXPORTS } from '../../engine/ports/export-destination.ts';
import { DEFAULT_LOGS } from '../../engine/settings/logs.ts';
import {
  DEFAULT_BATCHES,
  DEFAULT_BILLING,
  DEFAULT_BRANDING,
  DEFAULT_CACHE,
  DEFAULT_RETENTION,
  DEFAULT_ROUTING,
  DEFAULT_SEARCH,
  DEFAULT_SIGN_IN,
  DEFAULT_TASKS,
} from '../../engine/settings/settings.ts';
import { DEFAULT_TELEMETRY } from '../../engine/settings/telemetry.ts';
import { ConfigurationError } from './configuration-error.ts';
import { loadConfiguration, parseConfiguration } from './load-configuration.ts';

const environment = { KEY: 'upstream-secret', EMPTY: '', RPM: '120', SPLIT: 'a b' };
const parse = (text: string) => parseConfiguration('f.yaml', text, { environment, providers: testProviders });

const problemsOf = (text: string): readonly string[] => {
  try {
    parse(text);
  } catch (error) {
    if (error instanceof ConfigurationError) return error.problems;
    throw error;
  }
  return [];
};

const EVERYTHING = `
sandbox: true
routing: {strategy: lowest-latency, max_attempts: "20"}
server: {max_body_bytes: 1048576, max_upload_bytes: 2097152, body_memory_bytes: 16777216, upload_disk_bytes: 33554432, drain_ms: 0, shutdown_grace_ms: 0, shutdown_write_ms: 7000, trusted_proxies: [10.20.0.0/16], cors_origins: ["https://app.example.com"], wrong_keys_per_minute: 5, management_requests_per_minute: 100, anonymous_requests_per_minute: 50, anonymous_requests_in_flight: 40, public_url: https://ai.example.com/llm/}
discovery: {vendor_key: acme_ai, minimum_samples: "50", refresh_ms: 60000}
billing: {assumed_output_tokens: "8192", private_channel_fee_usd: 0.000000010, when_counters_are_away: refuse}
media:
  allow_http: "true"
  allowed_ranges: [10.20.0.0/16, "fd00::/8"]
  denied_ranges: [8.8.8.8]
  max_bytes: 1048576
  max_urls: 30
  timeouts: {connect_ms: "100"}
media_store:
  kind: s3
  s3: {endpoint: "http://minio:9000/", bucket: media, prefix: switchyard/, access_key_id: AK, secret_access_key: "\${KEY}"}
  max_bytes: 1048576
cache:
  memory_mb: 2
  disk_mb: 0
  redis_mb: 1048576
  max_entry_kb: 1
  encrypt: false
  shared: "true"
  hit_price_percent: "50"
  strategy: asked
  ttl_seconds: 3600
  semantic: {embeddings: text-embedding-3-small, index_mb: 1, tools: true}
  feedback: {keys: 3, block_minutes: 10}
retention: {request_log_days: 1, cache_reports_days: 2}
channels:
  - id: openai-main
    name: OpenAI main
    provider: openai
    base_url: https://proxy.example/v1//
    api_key: \${KEY}
    settings: {}
    formats: [openai-chat]
    priority: -1
    weight: 0.5
    owner: acme
    timeouts: {connect_ms: 100, total_ms: "\${TOTAL:-9000}"}
    models: {gpt-4o-mini: gpt-4o-mini-2024, embed/small: text-embedding-3-small}
    costs: {gpt-4o-mini: {input_per_1m: 0.10}, embed/small: free}
    breaker: {window_ms: 100, failure_rate: "0.25", minimum_requests: 1, cooldown_ms: 10, probes: 1}
    forward_ids: [trace, request_id, trace]
    limits: {max_concurrent: 8, requests_per_minute: 60, models: {gpt-4o: {tokens_per_minute: 90000}}}
    queue: {max_waiting: 20}
    follow_provider_limits: false
  - id: azure
    provider: azure
    base_url: HTTP://azure.example/openai
    api_key: k
    settings: {api_version: "2024-10-21"}
    models: [gpt-4o]
models:
  - id: gpt-4o-mini
    category: chat
    owned_by: openai
    status: hidden
    pricing: {input_per_1m: 0.10, cached_input_per_1m: "0.075", output_per_1m: 1}
    strategy: lowest-cost
    cache: {strategy: off, coalesce: "true", semantic: {tools: false}}
    tags: [fast, größe+]
  - {id: free-one, pricing: free, cache: {}}
accounts:
  - id: acme
    name: Acme
    role: Partner
    admin: true
    billing: prepaid
    balance_usd: 10.50
    requests_per_minute: \${RPM}
    tokens_per_minute: 1000000000000
    max_concurrent: 8
    budget: {usd: 50, per: month}
    strategy: least-busy
    capture: full
    capture_days: 3
    cache: {strategy: semantic, ttl_seconds: "60", max_temperature: 0.5, semantic: {certainty: 1, media: true}}
    keys:
      - id: ci
        name: CI
        secret: sk-12345678
        limit_usd: "0.000000001"
        budget: {usd: "0.50", per: day, time_zone: Europe/Berlin}
        models: [gpt-4o-mini, "gpt-*"]
        requests_per_minute: 5
        usage_access: account
        capture: none
        expires_at: 2026-09-01T12:00:00+02:00
    management_tokens: [{id: ops, secret: mt-12345678, scopes: [keys:write, account:read, keys:read]}]
`;

describe('a valid file', () => {
  test('configures sign-in and mail', () => {
    const { signIn, mail } = parse(`
sign_in:
  registration: open
  require_two_factor: all
  session_hours: "1"
  invitation_days: 2
  oidc: [{id: co, issuer: "https://login.example.com/realms/a/", client_id: c, client_secret: s, may_create_users: true, account: acme}]
mail: {smtp_url: "smtp://u:p%40@mail.example.com", from: "Gate <g@example.com>", max_per_recipient_per_hour: 2}
server: {public_url: "https://ai.example.com"}
`);
    expect(mail).toEqual({
      ...{ smtpUrl: 'smtp://u:p%40@mail.example.com', from: 'Gate <g@example.com>' },
      limits: { perHour: 1_000, perRecipientPerHour: 2, perAccountPerHour: 100 },
    });
    expect(signIn).toEqual({
      registration: 'open',
      requireTwoFactor: 'all',
      sessionMs: 3_600_000,
      invitationMs: 2 * 86_400_000,
      oidc: [
        {
          id: 'co',
          name: 'co',
          issuer: 'https://login.example.com/realms/a',
          clientId: 'c',
          clientSecret: 's',
          scopes: ['openid', 'email', 'profile'],
          mayCreateUsers: true,
          joins: { accountId: 'acme', role: 'member' },
          secondFactor: false,
        },
      ],
    });
  });

  test('becomes domain objects', () => {
    const { path, written, variables, ...configuration } = parse(EVERYTHING);
    expect([path, variables, Object.keys(written)]).toEqual([
      'f.yaml',
      expect.any(Object),
      ['routing', 'server', 'discovery', 'billing', 'media', 'media_store', 'cache', 'retention'],
    ]);
    expect(configuration).toEqual({
      sandbox: true,
      signIn: DEFAULT_SIGN_IN,
      mail: null,
      alerts: NO_ALERTS,
      branding: DEFAULT_BRANDING,
      exports: DEFAULT_EXPORTS,
      telemetry: DEFAULT_TELEMETRY,
      logs: DEFAULT_LOGS,
      routing: {
        ...{ strategy: 'lowest-latency', maxAttempts: 20, deadlineMs: 600_000, costInAnswers: true },
        queue: DEFAULT_QUEUE,
      },
      billing: { assumedOutputTokens: 8192, privateChannelFeeNanoUsd: 10n, whenCountersAreAway: 'refuse' },
      listing: { vendorKey: 'acme_ai', minimumSamples: 50, refreshMs: 60_000 },
      server: {
        maxBodyBytes: 1_048_576,
        maxUploadBytes: 2_097_152,
        bodyMemoryBytes: 16_777_216,
        uploadDiskBytes: 33_554_432,
        drainMs: 0,
        shutdownGraceMs: 0,
        shutdownWriteMs: 7_000,
        metricsToken: null,
        trustedProxies: [{ base: { version: 4, value: 0x0a14_0000n }, prefixLength: 16 }],
        corsOrigins: new Set(['https://app.example.com']),
        wrongKeysPerMinute: 5,
        managementRequestsPerMinute: 100,
        anonymousRequestsPerMinute: 50,
        anonymousRequestsInFlight: 40,
        pingIntervalMs: null,
        maxSocketsPerAccount: null,
        maxHeldAnswerBytes: null,
        sharedStateBytes: null,
        publicUrl: 'https://ai.example.com/llm',
        maxResponsesPerAccount: null,
        maxResponseBytesPerAccount: null,
      },
      media: {
        allowHttp: true,
        allowedRanges: [
          { base: { version: 4, value: 0x0a14_0000n }, prefixLength: 16 },
          { base: { version: 6, value: 0xfdn << 120n }, prefixLength: 8 },
        ],
        deniedRanges: [{ base: { version: 4, value: 0x0808_0808n }, prefixLength: 32 }],
        maxBytes: 1_048_576,
        maxConcurrent: 64,
        maxUrls: 30,
        maxHeldBytes: null,
        connectMs: 100,
        totalMs: 20_000,
      },
      mediaStore: {
        kind: 's3',
        folder: null,
        s3: {
          endpoint: 'http://minio:9000',
          publicEndpoint: null,
          bucket: 'media',
          region: null,
          prefix: 'switchyard/',
          accessKeyId: 'AK',
          secretAccessKey: 'upstream-secret',
          sessionToken: null,
          links: 'gateway',
        },
        linkSeconds: 86_400,
        maxBytes: 1_048_576,
        maxBytesPerAccount: 262_144,
        minFreeBytes: 1_073_741_824,
      },
      tasks: DEFAULT_TASKS,
      batches: DEFAULT_BATCHES,
      search: DEFAULT_SEARCH,
      quotas: DEFAULT_QUOTAS,
      usage: { endUsers: 'hashed' },
      retention: { ...DEFAULT_RETENTION, requestLogMs: 86_400_000, cacheReportsMs: 2 * 86_400_000 },
      cache: {
        ...DEFAULT_CACHE,
        ...{ memoryBytes: 2 * 2 ** 20, diskBytes: 0, redisBytes: 2 ** 40, maxEntryBytes: 1024, encrypt: false },
        ...{ isShared: true, hitPricePercent: 50 },
        policy: { ...DEFAULT_CACHE.policy, strategy: 'asked', ttlMs: 3_600_000, semanticTools: true },
        semantic: { embeddings: 'text-embedding-3-small', indexBytes: 2 ** 20 },
        feedback: { keys: 3, blockMs: 600_000 },
      },
      channels: [
        {
          id: 'openai-main',
          name: 'OpenAI main',
          provider: 'openai',
          baseUrl: 'https://proxy.example/v1',
          apiKey: 'upstream-secret',
          settings: {},
          formats: ['openai-chat'],
          priority: -1,
          weight: 0.5,
          owner: 'acme',
          timeouts: { ...DEFAULT_TIMEOUTS, connectMs: 100, totalMs: 9000 },
          models: { 'gpt-4o-mini': 'gpt-4o-mini-2024', 'embed/small': 'text-embedding-3-small' },
          costs: { 'gpt-4o-mini': { input_per_1m: '0.10' }, 'embed/small': 'free' },
          forwardIds: ['trace', 'request_id'],
          limits: {
            ...{ maxConcurrent: 8, requestsPerMinute: 60, tokensPerMinute: null },
            models: { 'gpt-4o': { maxConcurrent: null, requestsPerMinute: null, tokensPerMinute: 90_000 } },
          },
          queue: { maxWaiting: 20, maxWaitMs: 10_000 },
          followsProviderLimits: false,
          relaysBatches: false,
          breaker: {
            windowMs: 100,
            failureRate: 0.25,
            minimumRequests: 1,
            cooldownMs: 10,
            maxCooldownMs: 300_000,
            probes: 1,
          },
        },
        {
          id: 'azure',
          name: 'azure',
          provider: 'azure',
          baseUrl: 'HTTP://azure.example/openai',
          apiKey: 'k',
          settings: { api_version: '2024-10-21', region: 'eastus' },
          formats: null,
          priority: 0,
          weight: 1,
          owner: null,
          timeouts: DEFAULT_TIMEOUTS,
          models: { 'gpt-4o': 'gpt-4o' },
          costs: {},
          breaker: DEFAULT_BREAKER,
          forwardIds: null,
          limits: null,
          queue: null,
          followsProviderLimits: true,
          relaysBatches: false,
        },
      ],
      models: [
        {
          id: 'gpt-4o-mini',
          name: null,
          description: null,
          category: 'chat',
          ownedBy: 'openai',
          status: 'hidden',
          pricing: { input_per_1m: '0.10', cached_input_per_1m: '0.075', output_per_1m: '1' },
          strategy: 'lowest-cost',
          cache: { strategy: 'off', coalesce: true, semanticTools: false },
          tags: ['fast', 'größe+'],
          capabilities: null,
          operations: null,
          rules: null,
          fallbacks: [],
          batchPricePercent: null,
        },
        {
          id: 'free-one',
          name: null,
          description: null,
          category: null,
          ownedBy: null,
          status: null,
          pricing: 'free',
          strategy: null,
          cache: null,
          tags: null,
          capabilities: null,
          operations: null,
          rules: null,
          fallbacks: [],
          batchPricePercent: null,
        },
      ],
      accounts: [
        {
          id: 'acme',
          name: 'Acme',
          role: 'Partner',
          admin: true,
          billing: 'prepaid',
          requestsPerMinute: 120,
          tokensPerMinute: 1_000_000_000_000,
          maxConcurrent: 8,
          budget: { amountNanoUsd: 50_000_000_000n, per: 'month', timeZone: 'UTC' },
          strategy: 'least-busy',
          cache: { strategy: 'semantic', ttlMs: 60_000, maxTemperature: 0.5, certainty: 1, semanticMedia: true },
          capture: 'full',
          captureDays: 3,
          quotas: null,
          billingDetails: null,
          fallbacks: [],
          openingBalanceNanoUsd: 10_500_000_000n,
          credentials: [
            {
              id: 'ci',
              kind: 'inference',
              name: 'CI',
              secret: 'sk-12345678',
              limitNanoUsd: 1n,
              budget: { amountNanoUsd: 500_000_000n, per: 'day', timeZone: 'Europe/Berlin' },
              models: ['gpt-4o-mini', 'gpt-*'],
              requestsPerMinute: 5,
              usageAccess: 'account',
              capture: 'none',
              expiresAtMs: Date.UTC(2026, 8, 1, 10),
              scopes: null,
            },
            {
              id: 'ops',
              kind: 'management',
              name: 'ops',
              secret: 'mt-12345678',
              limitNanoUsd: null,
              budget: null,
              models: null,
              requestsPerMinute: null,
              usageAccess: null,
              capture: null,
              expiresAtMs: null,
              scopes: ['account:read', 'keys:write'],
            },
          ],
        },
      ],
    });
  });

  test('may be JSON, with tabs', () => {
    const json = JSON.stringify({ models: [{ id: 'm', pricing: { per_request: '0.04' } }] }, null, '\t');
    expect(parse(json).models).toMatchObject([{ id: 'm', pricing: { per_request: '0.04' } }]);
  });

  test.each(['', ' \n\n', '# nothing\n', '---\n...\n', '{}', 'null', '~', 'sandbox:\nserver: null\n'])(
    'without content is refused, since it would remove everything: %j',
    (text) => {
      expect(problemsOf(text)).toEqual([expect.stringMatching(/^f\.yaml: is empty, .*`channels: \[\]`/)]);
    },
  );

  test.each([
    ['channels:\n', 'channels'],
    ['models: null\nsandbox: true\n', 'models'],
    ['{"accounts": null, "channels": []}', 'accounts'],
    ['accounts:\n  - id: acme\n    keys:\n', 'accounts[0].keys'],
    ['accounts:\n  - id: acme\n    management_tokens: ~\n', 'accounts[0].management_tokens'],
  ])('with a list without a value looks truncated, and is refused: %j', (text, field) => {
    expect(problemsOf(text)).toEqual([
      expect.stringContaining(`: ${field}: has no value; write \`[]\` for an empty list`),
    ]);
  });

  test('may have explicitly empty sections', () => {
    const empty = { channels: [], models: [], accounts: [], sandbox: null };
    expect(parse('channels: []')).toMatchObject(empty);
    expect(parse('channels: []\nmodels: []\naccounts: []\n')).toMatchObject(empty);
    expect(parse('server: {}')).toMatchObject(empty);
  });

  test('may use anchors and merge keys; own fields win', () => {
    const { channels } = parse(`
channels:
  - &main {id: a, provider: openai, api_key: "\${KEY}", weight: 2, models: [m]}
  - {id: b, <<: *main}
  - {<<: [*main, {id: c, weight: 9}], id: c, priority: 1}
`);
    expect(channels).toMatchObject([
      { id: 'a', weight: 2 },
      { id: 'b', apiKey: 'upstream-secret', weight: 2 },
      { id: 'c', weight: 2, priority: 1 },
    ]);
  });

  test('keeps the exact digits of a price', () => {
    const [model] = parse('models: [{id: m, pricing: {input_per_1m: 0.1000, per_character: 0.0000000000015}}]').models;
    expect(model?.pricing).toEqual({ input_per_1m: '0.1000', per_character: '0.0000000000015' });
  });

  test('accepts prices by variant, with their digits', () => {
    const variants = '{1024x1024/high: 0.1670, 1024x1024: "0.05"}';
    const [model] = parse(`models: [{id: m, pricing: {per_image_variants: ${variants}}}]`).models;
    expect(model?.pricing).toEqual({ per_image_variants: { '1024x1024/high': '0.1670', '1024x1024': '0.05' } });
  });

  test('accepts prices by date and prompt length, with their digits', () => {
    const [dated, tiered] = parse(`
models:
  - id: dated
    pricing:
      - {input_per_1m: 0.10}
      - effective_from: 2026-09-01
        input_per_1m: 0.20
        cache_write_1h_per_1m: 0.40
        tiers:
          - {above_input_tokens: 200000, input_per_1m: 0.30}
          - {above_input_tokens: "400000", per_web_search: 0.010}
      - {effective_from: "2026-09-01T12:00:00+02:00", per_request: 1}
  - id: tiered
    pricing: {output_per_1m: 5.0, tiers: [{above_input_tokens: 1, output_per_1m: 6.0}]}
`).models;
    expect(dated?.pricing).toEqual([
      { effectiveFromMs: null, prices: { input_per_1m: '0.10' }, tiers: [] },
      {
        effectiveFromMs: Date.UTC(2026, 8, 1),
        prices: { input_per_1m: '0.20', cache_write_1h_per_1m: '0.40' },
        tiers: [
          { aboveInputTokens: 200_000, prices: { input_per_1m: '0.30' } },
          { aboveInputTokens: 400_000, prices: { per_web_search: '0.010' } },
        ],
      },
      { effectiveFromMs: Date.UTC(2026, 8, 1, 10), prices: { per_request: '1' }, tiers: [] },
    ]);
    const tier = { aboveInputTokens: 1, prices: { output_per_1m: '6.0' } };
    expect(tiered?.pricing).toEqual([{ effectiveFromMs: null, prices: { output_per_1m: '5.0' }, tiers: [tier] }]);
  });

  test("applies a timeout to whole and streamed responses, with a model's own over its channel's", () => {
    const timeoutsOf = (text: string) =>
      parse(`channels: [{id: a, provider: ollama, models: [m], timeouts: ${text}}]`).channels[0]?.timeouts;
    expect(timeoutsOf('{first_byte_ms: 5, idle_ms: 6}')).toEqual({
      ...DEFAULT_TIMEOUTS,
      ...{ firstByteMs: 5, firstEventMs: 5, idleMs: 6, eventIdleMs: 6 },
    });
    expect(timeoutsOf('{first_event_ms: 7, models: {m: {event_idle_ms: 8, idle_ms: 9}}}')).toEqual({
      ...DEFAULT_TIMEOUTS,
      firstEventMs: 7,
      models: {
        m: {
          ...{ connectMs: 3_000, firstByteMs: 600_000, idleMs: 9 },
          ...{ firstEventMs: 7, eventIdleMs: 8, totalMs: 1_800_000 },
        },
      },
    });
  });

  test("accepts a channel's costs by date, with their digits", () => {
    const [channel] = parse(`
channels:
  - id: a
    provider: ollama
    models: [m]
    costs: {m: [{effective_from: 2026-09-01, input_per_1m: 0.10, tiers: [{above_input_tokens: 5, input_per_1m: 0.20}]}]}
`).channels;
    const tiers = [{ aboveInputTokens: 5, prices: { input_per_1m: '0.20' } }];
    expect(channel?.costs).toEqual({
      m: [{ effectiveFromMs: Date.UTC(2026, 8, 1), prices: { input_per_1m: '0.10' }, tiers }],
    });
  });

  test("keeps the exact digits of a channel's costs, and accepts ids named like object properties", () => {
    const [channel] = parse(`
channels: [{id: a, provider: ollama, models: [m, constructor], costs: {m: {per_character: 0.0000000000015}, constructor: free}}]
`).channels;
    expect(channel?.costs).toEqual({ m: { per_character: '0.0000000000015' }, constructor: 'free' } as never);
  });

  test('sets routing, or leaves it to the defaults', () => {
    expect(parse('channels: []').routing).toEqual(DEFAULT_ROUTING);
    expect(parse('routing: {deadline_ms: 1}').routing).toEqual({ ...DEFAULT_ROUTING, deadlineMs: 1 });
    for (const strategy of STRATEGIES) {
      const { routing, models, accounts } = parse(`
routing: {strategy: ${strategy}}
models: [{id: m, strategy: ${strategy}}]
accounts: [{id: a, strategy: ${strategy}}]
`);
      expect([routing.strategy, models[0]?.strategy, accounts[0]?.strategy]).toEqual([strategy, strategy, strategy]);
    }
  });

  test('sets the cache, or leaves it to the defaults, field by field', () => {
    expect(parse('channels: []').cache).toEqual(DEFAULT_CACHE);
    expect(parse('cache: {semantic: {}, feedback: }').cache).toEqual(DEFAULT_CACHE);
    for (const strategy of CACHE_STRATEGIES) {
      const { cache, models, accounts } = parse(`
cache: {strategy: ${strategy}}
models: [{id: m, cache: {strategy: ${strategy}, semantic: }}, {id: n, cache: {semantic: {certainty: }}}]
accounts: [{id: a, cache: {strategy: ${strategy}, coalesce: }}]
`);
      expect(cache).toEqual({ ...DEFAULT_CACHE, policy: { ...DEFAULT_CACHE.policy, strategy } });
      expect([...models, ...accounts].map((own) => own.cache)).toEqual([{ strategy }, null, { strategy }]);
    }
  });

  test('sets billing, or leaves it to the defaults', () => {
    expect(parse('channels: []').billing).toEqual(DEFAULT_BILLING);
    expect(parse('billing: {assumed_output_tokens: 1}').billing).toEqual({
      ...DEFAULT_BILLING,
      assumedOutputTokens: 1,
    });
  });

  test('accepts any model id, including names of object properties', () => {
    const [channel] = parse('channels: [{id: a, provider: ollama, models: {constructor: x, "4": y}}]').channels;
    expect(channel?.models).toEqual({ constructor: 'x', '4': 'y' } as never);
  });
});

describe('an environment variable in a value', () => {
  const nameOf = (value: string) => parse(`accounts: [{id: a, name: ${value}}]`).accounts[0]?.name;

  test('is replaced anywhere in a text', () => {
    expect(nameOf('"x ${KEY} y ${RPM}"')).toBe('x upstream-secret y 120');
  });

  test('has a default if unset or empty', () => {
    expect(nameOf('"${NOPE:-else}"')).toBe('else');
    expect(nameOf('"${EMPTY:-else}"')).toBe('else');
    expect(nameOf('"${RPM:-else}"')).toBe('120');
    expect(nameOf('"x${EMPTY}"')).toBe('x');
  });

  test('is not replaced after $$', () => {
    expect(nameOf('"$${KEY} $5 $$"')).toBe('${KEY} $5 $$');
  });

  test('is not expanded recursively', () => {
    const parsed = parseConfiguration('f', 'accounts: [{id: a, name: "${A}"}]', {
      environment: { A: '${B}', B: 'no' },
      providers: testProviders,
    });
    expect(parsed.accounts[0]?.name).toBe('${B}');
  });
});

const channel = (fields: string) => `channels:\n  - id: a\n    provider: ollama\n    models: [m]\n    ${fields}\n`;
const account = (fields: string) => `accounts:\n  - id: a\n    ${fields}\n`;

const WRONG: readonly [name: string, text: string, problems: readonly string[]][] = [
  [
    'a timeout that is not a number',
    channel('timeouts:\n      connect_ms: abc'),
    ['f.yaml:6: channels[0].timeouts.connect_ms: must be a positive number of milliseconds, at most a day (got "abc")'],
  ],
  [
    'a timeout of zero',
    channel('timeouts: {idle_ms: 0}'),
    ['f.yaml:5: channels[0].timeouts.idle_ms: must be a positive number of milliseconds, at most a day (got 0)'],
  ],
  ['a misspelt section', 'chanels: []\n', ['f.yaml:1: chanels: unknown field (did you mean "channels"?)']],
  [
    'a misspelt field',
    channel('apikey: secret-value-here'),
    ['f.yaml:5: channels[0].apikey: unknown field (did you mean "api_key"?)'],
  ],
  ['an unknown field without a similar name', channel('xyzzy: 1'), ['f.yaml:5: channels[0].xyzzy: unknown field']],
  [
    'a misspelt price',
    'models:\n  - id: m\n    pricing:\n      input_per_1M: "1"\n',
    ['f.yaml:4: models[0].pricing.input_per_1M: unknown field (did you mean "input_per_1m"?)'],
  ],
  [
    'a misspelt timeout',
    channel('timeouts: {conect_ms: 5}'),
    ['f.yaml:5: channels[0].timeouts.conect_ms: unknown field (did you mean "connect_ms"?)'],
  ],
  [
    'a misspelt timeout of a model',
    channel('timeouts: {models: {m: {idle_m: 5}}}'),
    ['f.yaml:5: channels[0].timeouts.models.m.idle_m: unknown field (did you mean "idle_ms"?)'],
  ],
  [
    'timeouts for a model that the channel does not serve',
    channel('timeouts: {models: {n: {idle_ms: 5}}}'),
    ['f.yaml:5: channels[0].timeouts.models.n: the channel does not serve the model "n" (did you mean "m"?)'],
  ],
  [
    'an unknown provider',
    'channels:\n  - id: a\n    provider: opnai\n    models: [m]\n',
    ['f.yaml:3: channels[0].provider: unknown provider (did you mean "openai"?) (got "opnai")'],
  ],
  [
    'a channel without models',
    'channels:\n  - id: a\n    provider: ollama\n',
    ['f.yaml:2: channels[0].models: is required'],
  ],
  [
    'an empty list of models',
    'channels:\n  - {id: a, provider: ollama, models: []}\n',
    ['f.yaml:2: channels[0].models: must name at least one model (got a list)'],
  ],
  [
    'models that are a number',
    'channels:\n  - {id: a, provider: ollama, models: 4}\n',
    ['f.yaml:2: channels[0].models: must be a list of model ids, or a map from public to upstream ids (got 4)'],
  ],
  [
    'a model without its upstream id',
    'channels:\n  - id: a\n    provider: ollama\n    models:\n      m:\n',
    ['f.yaml:5: channels[0].models.m: is required'],
  ],
  [
    'a model id with a space',
    'channels:\n  - id: a\n    provider: ollama\n    models:\n      - ok\n      - a b\n',
    ['f.yaml:6: channels[0].models[1]: must be a model id without spaces, of 1 to 200 characters (got "a b")'],
  ],
  [
    'a repeated model in a list',
    'channels:\n  - {id: a, provider: ollama, models: [m, m]}\n',
    ['f.yaml:2: channels[0].models[1]: is already used by channels[0].models[0] in line 2 (got "m")'],
  ],
  [
    'no key for a provider that requires one',
    'channels:\n  - id: a\n    provider: openai\n    models: [m]\n',
    ['f.yaml:2: channels[0].api_key: is required by openai'],
  ],
  [
    'a key from an empty variable',
    'channels:\n  - id: a\n    provider: openai\n    api_key: ${EMPTY}\n    models: [m]\n',
    ['f.yaml:4: channels[0].api_key: must be a key without spaces or line breaks'],
  ],
  [
    'a key with a space',
    'channels:\n  - {id: a, provider: openai, api_key: "${SPLIT}", models: [m]}\n',
    ['f.yaml:2: channels[0].api_key: must be a key without spaces or line breaks'],
  ],
  [
    'a variable that is not set',
    'channels:\n  - id: a\n    provider: openai\n    api_key: ${OPENAI_API_KEY}\n    models: [m]\n',
    ['f.yaml:4: channels[0].api_key: the environment variable OPENAI_API_KEY is not set'],
  ],
  [
    'an unclosed reference',
    account('name: "${KEY"'),
    [
      'f.yaml:3: accounts[0].name: has a "${" that does not begin ${NAME} or ${NAME:-default}; write "$${" for a literal "${"',
    ],
  ],
  [
    'no URL for a provider without one',
    'channels:\n  - {id: a, provider: azure, api_key: k, settings: {api_version: v}, models: [m]}\n',
    ['f.yaml:2: channels[0].base_url: is required: azure has no default address'],
  ],
  [
    'an invalid URL',
    channel('base_url: ftp://x'),
    ['f.yaml:5: channels[0].base_url: must be an http:// or https:// URL (got "ftp://x")'],
  ],
  [
    'a URL with a password',
    channel('base_url: https://user:hunter2hunter2@x.example'),
    ['f.yaml:5: channels[0].base_url: must not contain a user name or password: use api_key'],
  ],
  [
    'a URL with a query',
    channel('base_url: https://x.example/?key=abcdef'),
    ['f.yaml:5: channels[0].base_url: must not contain a query or fragment'],
  ],
  [
    'a setting that is missing, and one that is unknown',
    'channels:\n  - id: a\n    provider: azure\n    base_url: http://x\n    api_key: k\n    models: [m]\n    settings:\n      api_versoin: v\n',
    [
      'f.yaml:7: channels[0].settings.api_version: is required',
      'f.yaml:8: channels[0].settings.api_versoin: unknown field (did you mean "api_version"?)',
    ],
  ],
  [
    'settings for a provider without any',
    channel('settings: {region: x}'),
    ['f.yaml:5: channels[0].settings: ollama has no settings'],
  ],
  [
    'a format that the provider does not speak',
    channel('formats: [openai-chat, openai-response]'),
    [
      'f.yaml:5: channels[0].formats[1]: ollama has no such format (did you mean "openai-responses"?) (got "openai-response")',
    ],
  ],
  [
    'a format for a provider without any',
    'channels:\n  - id: a\n    provider: easel\n    api_key: k\n    models: [m]\n    formats: [openai-chat]\n',
    ['f.yaml:6: channels[0].formats[0]: easel has no such format; it has none (got "openai-chat")'],
  ],
  [
    'an owner that is not an account',
    `accounts: [{id: acme}]\n${channel('owner: acmee')}`,
    ['f.yaml:6: channels[0].owner: must be the id of an account in this file (did you mean "acme"?) (got "acmee")'],
  ],
  [
    'a cost of a model that the channel does not serve',
    channel('costs: {m: free, n: free, "a/b": free}'),
    [
      'f.yaml:5: channels[0].costs.n: the channel does not serve the model "n" (did you mean "m"?)',
      'f.yaml:5: channels[0].costs["a/b"]: the channel does not serve the model "a/b"',
    ],
  ],
  [
    'a cost under the upstream id',
    'channels:\n  - id: a\n    provider: ollama\n    models: {public: upstream}\n    costs: {upstream: free}\n',
    ['f.yaml:5: channels[0].costs.upstream: the channel does not serve the model "upstream"'],
  ],
  [
    'a cost in an unknown unit',
    channel('costs: {m: {input_per_1k: "1"}}'),
    ['f.yaml:5: channels[0].costs.m.input_per_1k: unknown field (did you mean "input_per_1m"?)'],
  ],
  [
    'a cost that is not a price',
    channel('costs: {m: cheap}'),
    ['f.yaml:5: channels[0].costs.m: must be "free", a map of prices, or a list of such maps by date (got "cheap")'],
  ],
  [
    'costs that are a list',
    channel('costs: [free]'),
    ['f.yaml:5: channels[0].costs: must be a map from public model ids to prices (got a list)'],
  ],
  [
    'a breaker whose values are out of range',
    channel('breaker: {window_ms: 1, failure_rate: 0, minimum_requests: 0, cooldown_ms: 0, probes: 1.5}'),
    [
      'f.yaml:5: channels[0].breaker.window_ms: must be a number of milliseconds from 100 to 3600000 (got 1)',
      'f.yaml:5: channels[0].breaker.failure_rate: must be a number from 0.01 to 1 (got 0)',
      'f.yaml:5: channels[0].breaker.minimum_requests: must be a whole number from 1 to 1000000 (got 0)',
      'f.yaml:5: channels[0].breaker.cooldown_ms: must be a positive number of milliseconds, at most a day (got 0)',
      'f.yaml:5: channels[0].breaker.probes: must be a whole number from 1 to 1000 (got 1.5)',
    ],
  ],
  [
    'a cooldown above the default maximum',
    channel('breaker: {cooldown_ms: 300001}'),
    ['f.yaml:5: channels[0].breaker.cooldown_ms: must be at most max_cooldown_ms, which is 300000 (got 300001)'],
  ],
  [
    'a maximum below the default cooldown',
    channel('breaker: {max_cooldown_ms: 1999}'),
    ['f.yaml:5: channels[0].breaker.max_cooldown_ms: must be at least cooldown_ms, which is 2000 (got 1999)'],
  ],
  [
    'an unknown field of a breaker',
    channel('breaker: {windowms: 1000}'),
    ['f.yaml:5: channels[0].breaker.windowms: unknown field (did you mean "window_ms"?)'],
  ],
  [
    'a strategy that is unknown, in each place',
    'routing: {strategy: fastest}\nmodels: [{id: m, strategy: fastest}]\naccounts: [{id: a, strategy: fastest}]\n',
    [
      'f.yaml:1: routing.strategy: must be one of weighted, lowest-cost, lowest-latency, least-busy (got "fastest")',
      'f.yaml:2: models[0].strategy: must be one of weighted, lowest-cost, lowest-latency, least-busy (got "fastest")',
      'f.yaml:3: accounts[0].strategy: must be one of weighted, lowest-cost, lowest-latency, least-busy (got "fastest")',
    ],
  ],
  [
    'a cache value out of range',
    `cache: {memory_mb: 0, disk_mb: 1048577, max_entry_kb: 102401, hit_price_percent: 0.5, ttl_seconds: 2592001,
  max_temperature: 2.1, coalesce: perhaps, semantic: {certainty: 1.5, index_mb: 1.5, embeddings: a b}, feedback: {keys: 0}}
`,
    [
      'f.yaml:1: cache.memory_mb: must be a whole number of MiB from 1 to 1048576 (got 0)',
      'f.yaml:1: cache.disk_mb: must be a whole number of MiB from 0 to 1048576 (got 1048577)',
      'f.yaml:1: cache.max_entry_kb: must be a whole number of KiB from 1 to 102400 (got 102401)',
      'f.yaml:1: cache.hit_price_percent: must be a whole number from 0 to 100 (got 0.5)',
      'f.yaml:1: cache.ttl_seconds: must be a whole number of seconds from 1 to 2592000 (got 2592001)',
      'f.yaml:2: cache.max_temperature: must be a number from 0 to 2 (got 2.1)',
      'f.yaml:2: cache.coalesce: must be true or false (got "perhaps")',
      'f.yaml:2: cache.semantic.embeddings: must be a model id without spaces, of 1 to 200 characters (got "a b")',
      'f.yaml:2: cache.semantic.index_mb: must be a whole number of MiB from 1 to 1048576 (got 1.5)',
      'f.yaml:2: cache.semantic.certainty: must be a number from 0 to 1 (got 1.5)',
      'f.yaml:2: cache.feedback.keys: must be a whole number from 1 to 1000 (got 0)',
    ],
  ],
  [
    'misspelt fields of the cache, and fields of the whole cache in a model',
    'cache: {stratgy: off, semantic: {tool: true}, feedback: {block_minute: 1}}\n' +
      'models: [{id: m, cache: {memory_mb: 1, semantic: {certanty: 1, index_mb: 1}}}]\naccounts: [{id: a, cache: exact}]\n',
    [
      'f.yaml:1: cache.semantic.tool: unknown field (did you mean "tools"?)',
      'f.yaml:1: cache.feedback.block_minute: unknown field (did you mean "block_minutes"?)',
      'f.yaml:1: cache.stratgy: unknown field (did you mean "strategy"?)',
      'f.yaml:2: models[0].cache.semantic.certanty: unknown field (did you mean "certainty"?)',
      'f.yaml:2: models[0].cache.semantic.index_mb: unknown field',
      'f.yaml:2: models[0].cache.memory_mb: unknown field',
      'f.yaml:3: accounts[0].cache: must be a map of fields (got "exact")',
    ],
  ],
  [
    'cache entries larger than its memory',
    'cache: {memory_mb: 1, max_entry_kb: 1025}\n',
    ['f.yaml:1: cache.max_entry_kb: must be at most memory_mb, which is 1024 KiB (got 1025)'],
  ],
  [
    'routing out of range',
    'routing: {max_attempts: 21, deadline_ms: 0, retries: 2}\n',
    [
      'f.yaml:1: routing.max_attempts: must be a whole number from 1 to 20 (got 21)',
      'f.yaml:1: routing.deadline_ms: must be a positive number of milliseconds, at most a day (got 0)',
      'f.yaml:1: routing.retries: unknown field',
    ],
  ],
  [
    'tags with spaces, repeated, or not a list',
    'models:\n  - {id: m, tags: [two words, a, a]}\n  - {id: n, tags: fast}\n',
    [
      'f.yaml:2: models[0].tags[0]: must be a word of 1 to 32 letters, digits, ".", "_", "-" or "+" (got "two words")',
      'f.yaml:2: models[0].tags[2]: is already used by models[0].tags[1] in line 2 (got "a")',
      'f.yaml:3: models[1].tags: must be a list of words (got "fast")',
    ],
  ],
  [
    'too many tags',
    `models: [{id: m, tags: [${Array.from({ length: 21 }, (_tag, index) => `t${index}`)}]}]\n`,
    ['f.yaml:1: models[0].tags: must have at most 20 words (got a list)'],
  ],
  [
    'a weight of zero',
    channel('weight: 0'),
    ['f.yaml:5: channels[0].weight: must be a number from 0.001 to 1000000000 (got 0)'],
  ],
  [
    'a priority with a fraction',
    channel('priority: 1.5'),
    ['f.yaml:5: channels[0].priority: must be a whole number from -1000000 to 1000000 (got 1.5)'],
  ],
  [
    'a repeated channel id',
    'channels:\n  - {id: a, provider: ollama, models: [m]}\n  - {id: a, provider: ollama, models: [m]}\n',
    ['f.yaml:3: channels[1].id: is already used by channels[0].id in line 2 (got "a")'],
  ],
  [
    'a repeated account id',
    'accounts:\n  - id: a\n  - id: a\n',
    ['f.yaml:3: accounts[1].id: is already used by accounts[0].id in line 2 (got "a")'],
  ],
  [
    'a repeated model id',
    'models:\n  - id: m\n  - id: m\n',
    ['f.yaml:3: models[1].id: is already used by models[0].id in line 2 (got "m")'],
  ],
  [
    'an id that is unfit for a URL',
    'accounts:\n  - id: a/b\n',
    [
      'f.yaml:2: accounts[0].id: must be 1 to 64 letters, digits, ".", "_" or "-", beginning with a letter or digit (got "a/b")',
    ],
  ],
  [
    'a key that is a management token',
    account('keys:\n      - {id: k, secret: mt-12345678}'),
    [
      'f.yaml:4: accounts[0].keys[0].secret: must begin with "sk-", with at least 8 characters after it, without spaces',
    ],
  ],
  [
    'a secret that is too short',
    account('management_tokens:\n      - {id: k, secret: mt-1234567}'),
    [
      'f.yaml:4: accounts[0].management_tokens[0].secret: must begin with "mt-", with at least 8 characters after it, without spaces',
    ],
  ],
  [
    'a repeated secret',
    'accounts:\n  - {id: a, keys: [{id: k, secret: sk-12345678}]}\n  - {id: b, keys: [{id: k, secret: sk-12345678}]}\n',
    ['f.yaml:3: accounts[1].keys[0].secret: is already used by accounts[0].keys[0].secret in line 2'],
  ],
  [
    'a limit with an exponent',
    account('keys: [{id: k, secret: sk-12345678, limit_usd: 1e3}]'),
    ['f.yaml:3: accounts[0].keys[0].limit_usd: must be a decimal amount in USD such as "0.15" (got "1e3")'],
  ],
  [
    'a balance that is negative',
    account('balance_usd: -1'),
    ['f.yaml:3: accounts[0].balance_usd: must be from 0 to 1000000000 USD (got "-1")'],
  ],
  [
    'a balance with ten decimals',
    account('balance_usd: 0.0000000001'),
    ['f.yaml:3: accounts[0].balance_usd: must have at most 9 decimals (got "0.0000000001")'],
  ],
  [
    'an allow-list that allows nothing',
    account('keys: [{id: k, secret: sk-12345678, models: []}]'),
    ['f.yaml:3: accounts[0].keys[0].models: must name at least one model; leave it out to allow all (got a list)'],
  ],
  [
    'a negative price',
    'models: [{id: m, pricing: {per_request: -0.1}}]\n',
    [
      'f.yaml:1: models[0].pricing.per_request: must be a decimal price in USD, zero or more, such as "0.15" (got "-0.1")',
    ],
  ],
  [
    'pricing that is an unknown word',
    'models: [{id: m, pricing: gratis}]\n',
    [
      'f.yaml:1: models[0].pricing: must be "free", "unknown", a map of prices, or a list of such maps by date (got "gratis")',
    ],
  ],
  [
    'pricing without a price',
    'models: [{id: m, pricing: {}}]\n',
    ['f.yaml:1: models[0].pricing: must name at least one price, or be "free" (got a map)'],
  ],
  [
    'a list of prices without a period',
    'models: [{id: m, pricing: []}]\n',
    ['f.yaml:1: models[0].pricing: must name at least one period (got a list)'],
  ],
  [
    'a period without a price',
    'models:\n  - id: m\n    pricing:\n      - effective_from: 2026-09-01\n',
    ['f.yaml:4: models[0].pricing[0]: must name at least one price (got a map)'],
  ],
  [
    'a period that begins on an invalid date',
    'models:\n  - id: m\n    pricing:\n      - per_request: 1\n        effective_from: 2026-02-30\n',
    ['f.yaml:5: models[0].pricing[0].effective_from: must be a valid date (got "2026-02-30")'],
  ],
  [
    'a later period without a start',
    'models:\n  - id: m\n    pricing:\n      - per_request: 1\n      - per_request: 2\n',
    ['f.yaml:5: models[0].pricing[1].effective_from: is required'],
  ],
  [
    'periods out of order',
    'models:\n  - id: m\n    pricing:\n      - {effective_from: 2026-09-01, per_request: 1}\n      - {effective_from: 2026-09-01, per_request: 2}\n',
    ['f.yaml:5: models[0].pricing[1].effective_from: must be more than that of the entry before it (got "2026-09-01")'],
  ],
  [
    'tiers out of order',
    'models:\n  - id: m\n    pricing:\n      per_request: 1\n      tiers:\n        - {above_input_tokens: 2, per_request: 2}\n        - {above_input_tokens: 1, per_request: 3}\n',
    ['f.yaml:7: models[0].pricing.tiers[1].above_input_tokens: must be more than that of the entry before it (got 1)'],
  ],
  [
    'a tier without its bound, and one without a price',
    'models:\n  - id: m\n    pricing:\n      - per_request: 1\n        tiers:\n          - {per_request: 2}\n          - {above_input_tokens: 1}\n',
    [
      'f.yaml:6: models[0].pricing[0].tiers[0].above_input_tokens: is required',
      'f.yaml:7: models[0].pricing[0].tiers[1]: must name at least one price (got a map)',
    ],
  ],
  [
    'misspelt fields of a period and of a tier',
    channel(
      'costs:\n      m:\n        - input_per_1m: 1\n          efective_from: 2026-09-01\n          tiers: [{above_input_token: 1, per_request: 2}]',
    ),
    [
      'f.yaml:8: channels[0].costs.m[0].efective_from: unknown field (did you mean "effective_from"?)',
      'f.yaml:9: channels[0].costs.m[0].tiers[0].above_input_tokens: is required',
      'f.yaml:9: channels[0].costs.m[0].tiers[0].above_input_token: unknown field (did you mean "above_input_tokens"?)',
    ],
  ],
  [
    'an unknown category',
    'models:\n  - id: m\n    category: chatt\n',
    [
      'f.yaml:3: models[0].category: must be one of chat, image, video, audio, tts, stt, music, 3d, embedding, rerank, translation (got "chatt")',
    ],
  ],
  [
    'an unknown role',
    account('role: user'),
    ['f.yaml:3: accounts[0].role: must be one of User, Partner, VIP (got "user")'],
  ],
  [
    'an admin flag that is a string',
    account('admin: yes'),
    ['f.yaml:3: accounts[0].admin: must be true or false (got "yes")'],
  ],
  [
    'a rate of zero',
    account('requests_per_minute: 0'),
    ['f.yaml:3: accounts[0].requests_per_minute: must be a whole number from 1 to 1000000000 (got 0)'],
  ],
  [
    'a list at the top',
    '- a\n',
    [
      'f.yaml:1: the file must be a map with channels, models, accounts, guards, sandbox, routing, billing, discovery, server, media, media_store, tasks, cache, retention, quotas, usage, seller, sign_in, mail, alerts, branding, telemetry, exports or logs (got a list)',
    ],
  ],
  ['channels that are a map', 'channels: {a: b}\n', ['f.yaml:1: channels: must be a list of channels (got a map)']],
  [
    'a channel that is a word',
    'channels:\n  - openai\n',
    ['f.yaml:2: channels[0]: must be a map of fields (got "openai")'],
  ],
  [
    'a body limit out of range',
    'server:\n  max_body_bytes: 1\n',
    ['f.yaml:2: server.max_body_bytes: must be a whole number of bytes from 1024 to 1073741824 (got 1)'],
  ],
  [
    'an object store without its keys, and one that is not used',
    'media_store:\n  kind: s3\n',
    ['f.yaml:2: media_store.kind: requires the section s3, with the bucket and its keys (got "s3")'],
  ],
  [
    'object store links that outlast their signatures',
    'media_store:\n  kind: s3\n  link_seconds: 604801\n  s3: {bucket: media, access_key_id: A, secret_access_key: B, links: presigned}\n',
    ['f.yaml:3: media_store.link_seconds: must be at most 604800 (7 days) if s3.links is presigned (got 604801)'],
  ],
  [
    'a public URL with a query',
    'server:\n  public_url: https://ai.example.com/?x=1\n',
    ['f.yaml:2: server.public_url: must be an address such as "https://ai.example.com", without a query'],
  ],
  [
    'guards whose webhooks would never be asked',
    `guards:
  - {id: plain, webhook: {url: "http://guards.example.com/", secret: "whsec_${'A'.repeat(32)}"}}
  - {id: inside, webhook: {url: "https://10.0.0.1/", secret: "whsec_${'A'.repeat(32)}"}}
`,
    [
      'f.yaml:2: guards[0].webhook.url: use an https:// URL, or set alerts.allow_http',
      'f.yaml:3: guards[1].webhook.url: is a private or reserved address: use a public one, or add its range to alerts.allowed_ranges',
    ],
  ],
  [
    'a webhook at a private address that is not allowed',
    `alerts:
  allowed_ranges: [192.168.7.0/24]
  webhooks:
    - {id: one, url: "https://10.0.0.1/hook", secret: "whsec_${'A'.repeat(32)}"}
    - {id: two, url: "https://192.168.7.9/hook", secret: "whsec_${'A'.repeat(32)}"}
    - {id: three, url: "https://[::1]/", secret: "whsec_${'A'.repeat(32)}"}
`,
    [4, 6].map(
      (line) =>
        `f.yaml:${line}: alerts.webhooks[${line - 4}].url: is a private or reserved address: use a public one, or add its range to alerts.allowed_ranges`,
    ),
  ],
  [
    'invalid address ranges',
    'media:\n  allowed_ranges:\n    - 10.0.0.0/33\n    - 10.1.2.3/8\n    - localhost\n    - 7\n  denied_ranges: 10.0.0.0/8\n',
    [
      'f.yaml:3: media.allowed_ranges[0]: must be a range of addresses such as "10.0.0.0/8" or "fd00::/8" (got "10.0.0.0/33")',
      'f.yaml:4: media.allowed_ranges[1]: must have no bits set beyond its prefix length (got "10.1.2.3/8")',
      'f.yaml:5: media.allowed_ranges[2]: must be a range of addresses such as "10.0.0.0/8" or "fd00::/8" (got "localhost")',
      'f.yaml:6: media.allowed_ranges[3]: must be a range of addresses such as "10.0.0.0/8" or "fd00::/8" (got 7)',
      'f.yaml:7: media.denied_ranges: must be a list of ranges of addresses (got "10.0.0.0/8")',
    ],
  ],
  [
    'media limits out of range, and unknown fields',
    'media:\n  max_bytes: 1\n  max_concurrent: 0\n  allow_https: true\n  timeouts: {total_ms: 0, idle_ms: 1}\n',
    [
      'f.yaml:2: media.max_bytes: must be a whole number of bytes from 1024 to 1073741824 (got 1)',
      'f.yaml:3: media.max_concurrent: must be a whole number from 1 to 10000 (got 0)',
      'f.yaml:4: media.allow_https: unknown field (did you mean "allow_http"?)',
      'f.yaml:5: media.timeouts.total_ms: must be a positive number of milliseconds, at most a day (got 0)',
      'f.yaml:5: media.timeouts.idle_ms: unknown field',
    ],
  ],
  ['sandbox that is a number', 'sandbox: 1\n', ['f.yaml:1: sandbox: must be true or false (got 1)']],
  ['a tab', 'accounts:\n\t- id: a\n', ['f.yaml:2: a tab cannot indent YAML: use spaces']],
  ['a repeated key in a map', 'sandbox: true\nsandbox: true\n', ['f.yaml:2: this key is repeated in the same map']],
  [
    'a second document',
    'sandbox: true\n---\nsandbox: true\n',
    ['f.yaml:2: the file may contain only one YAML document ("---")'],
  ],
  ['two colons', 'accounts: a: b\n', ['f.yaml:1: a second ": " on one line: put the value in quotes']],
  [
    'an alias without an anchor',
    'channels: *main\n',
    ['f.yaml:1: channels: the alias *main has no anchor (&main) before it'],
  ],
  ['a tag', 'sandbox: !custom true\n', ['f.yaml:1: unknown YAML tag (!…)']],
  [
    'invalid budgets',
    account(
      'budget: {usd: -1, per: year}\n    keys: [{id: k, secret: sk-12345678, budget: {per: day, time_zone: +01:00}}]',
    ),
    [
      'f.yaml:3: accounts[0].budget.usd: must be from 0 to 1000000000 USD (got "-1")',
      'f.yaml:3: accounts[0].budget.per: must be one of day, week, month (got "year")',
      'f.yaml:4: accounts[0].keys[0].budget.usd: is required',
      'f.yaml:4: accounts[0].keys[0].budget.time_zone: must be the name of a time zone such as "UTC" or "Europe/Berlin" (got "+01:00")',
    ],
  ],
  [
    'limits of zero, and one too large',
    account(
      'tokens_per_minute: 0\n    max_concurrent: 1000001\n    keys: [{id: k, secret: sk-12345678, requests_per_minute: 1.5}]',
    ),
    [
      'f.yaml:3: accounts[0].tokens_per_minute: must be a whole number from 1 to 1000000000000 (got 0)',
      'f.yaml:4: accounts[0].max_concurrent: must be a whole number from 1 to 1000000 (got 1000001)',
      'f.yaml:5: accounts[0].keys[0].requests_per_minute: must be a whole number from 1 to 1000000000 (got 1.5)',
    ],
  ],
  [
    'an expiry that is not a time, one without a zone, and an invalid date',
    account(
      'keys:\n      - {id: a, secret: sk-12345678, expires_at: soon}\n      - {id: b, secret: sk-23456789, expires_at: 2026-09-01T12:00:00}\n      - {id: c, secret: sk-34567890, expires_at: 2026-02-30}',
    ),
    [
      'f.yaml:4: accounts[0].keys[0].expires_at: must be a date or a time with its zone, such as "2026-09-01" or "2026-09-01T12:00:00Z" (got "soon")',
      'f.yaml:5: accounts[0].keys[1].expires_at: must be a date or a time with its zone, such as "2026-09-01" or "2026-09-01T12:00:00Z" (got "2026-09-01T12:00:00")',
      'f.yaml:6: accounts[0].keys[2].expires_at: must be a valid date (got "2026-02-30")',
    ],
  ],
  [
    'invalid billing settings',
    'billing:\n  assumed_output_tokens: 0\n  private_channel_fee_usd: "-1"\n  when_counters_are_away: open\n  when_counter_are_away: x\n',
    [
      'f.yaml:2: billing.assumed_output_tokens: must be a whole number from 1 to 10000000 (got 0)',
      'f.yaml:3: billing.private_channel_fee_usd: must be from 0 to 1000000000 USD (got "-1")',
      'f.yaml:4: billing.when_counters_are_away: must be one of local, refuse (got "open")',
      'f.yaml:5: billing.when_counter_are_away: unknown field (did you mean "when_counters_are_away"?)',
    ],
  ],
  [
    'sign-in settings that cannot work',
    'sign_in:\n  registration: open\n  require_two_factor: sometimes\n  oidc:\n    - {id: a, issuer: "https://a.example/?x", client_id: x, client_secret: y}\n    - {id: a, issuer: "https://b.example", client_id: x, client_secret: y, rôle: owner}\nmail: {smtp_url: "http://mail", from: nobody}',
    [
      'f.yaml:2: sign_in.registration: can be open only with the section mail and server.public_url, since registration sends a link by email (got "open")',
      'f.yaml:3: sign_in.require_two_factor: must be one of none, operators, all (got "sometimes")',
      'f.yaml:5: sign_in.oidc[0].issuer: must be the issuer\'s address, such as "https://login.example.com", without a query (got "https://a.example/?x")',
      'f.yaml:6: sign_in.oidc[1]["rôle"]: unknown field (did you mean "role"?)',
      'f.yaml:6: sign_in.oidc[1].id: is already used by sign_in.oidc[0].id in line 5 (got "a")',
      'f.yaml:7: mail.smtp_url: must be an address such as "smtps://user:password@mail.example.com:465"',
      'f.yaml:7: mail.from: must be an address such as "Switchyard <gateway@example.com>" (got "nobody")',
    ],
  ],
  ['a key that is a list', '? [a]\n: 1\n', ['f.yaml:1: ["?"]: this key must be a string']],
];

describe('an invalid file', () => {
  test.each(WRONG)('%s', (_name, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test('is reported with all problems at once, sorted by line, one per field', () => {
    const text = `channels:
  - id: a
    provider: nope
    owner: nobody
    timeouts: {connect_ms: abc}
  - id: a
    provider: openai
    api_key: \${MISSING}
    models: [m]
models:
  - id: m
    status: gone
extra: 1
`;
    expect(problemsOf(text).map((line) => line.split(': ', 2).join(': '))).toEqual([
      'f.yaml:2: channels[0].models',
      'f.yaml:3: channels[0].provider',
      'f.yaml:4: channels[0].owner',
      'f.yaml:5: channels[0].timeouts.connect_ms',
      'f.yaml:6: channels[1].id',
      'f.yaml:8: channels[1].api_key',
      'f.yaml:12: models[0].status',
      'f.yaml:13: extra',
    ]);
  });

  test('is reported without secrets, wherever one was put', () => {
    const secrets = ['sk-LEAK5678', 'LEAKLEAKLEAKLEAKLEAKLEAKLEAK', '${SECRET}', '${NOPE:-LEAKDEFAULT}', 'LEAK LEAK'];
    const lines = EVERYTHING.split('\n');
    for (const [index, line] of lines.entries()) {
      for (const value of line.matchAll(/(?<=: |\[)[^{}[\],:]+(?=[,}\]]|$)/g)) {
        for (const secret of secrets) {
          const changed = `${line.slice(0, value.index)}"${secret}"${line.slice(value.index + value[0].length)}`;
          const text = lines.with(index, changed).join('\n');
          let shown = '';
          try {
            parseConfiguration('f', text, {
              environment: { ...environment, SECRET: 'LEAK' },
              providers: testProviders,
            });
          } catch (error) {
            shown = (error as Error).message;
          }
          if (secret !== 'LEAK LEAK' || /(secret|api_key): $/.test(line.slice(0, value.index)))
            expect(shown).not.toContain('LEAK');
        }
      }
    }
  });

  test('with a syntax error is reported without the text around it', () => {
    for (const text of [
      'a: "sk-LEAK',
      '- a\nsk-LEAK: 1: sk-LEAK',
      'a: [sk-LEAK',
      'a: !sk-LEAK x',
      '%sk-LEAK\n---\n',
      'a: @sk-LEAK',
    ]) {
      const problems = problemsOf(text);
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.join()).not.toContain('LEAK');
    }
  });

  test('cannot expand without limit through aliases', () => {
    let text = `a0: &a0 [${'x,'.repeat(100)}]\n`;
    for (let level = 1; level < 12; level++) text += `a${level}: &a${level} [${`*a${level - 1},`.repeat(10)}]\n`;
    const before = process.cpuUsage();
    expect(problemsOf(text).join()).toContain('is too large or too deeply nested');
    const { user, system } = process.cpuUsage(before);
    // CPU time of this process: the load of other processes says nothing about the file.
    expect((user + system) / 1_000).toBeLessThan(3_000);
  });

  test('cannot expand without limit through an alias to itself', () => {
    expect(problemsOf('channels: &a [*a, *a]').join()).toContain('is too large or too deeply nested');
  });
});

describe('a file on disk', () => {
  const load = (path: string) => loadConfiguration(path, { environment, providers: testProviders });

  test('is read, or the reason why not is reported in one line', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'switchyard-configuration-'));
    try {
      const path = join(folder, 'switchyard.yaml');
      await writeFile(path, 'sandbox: true\n');
      expect((await load(path)).sandbox).toBe(true);
      await expect(load(join(folder, 'nope.yaml'))).rejects.toThrow(
        `${folder}/nope.yaml: cannot be read: no such file`,
      );
      await expect(load(folder)).rejects.toThrow(`${folder}: cannot be read: it is a directory`);
      await writeFile(path, new Uint8Array([0x61, 0x3a, 0x20, 0xff, 0xfe]));
      await expect(load(path)).rejects.toThrow(`${path}: is not UTF-8 text`);
    } finally {
      await chmod(folder, 0o700);
      await rm(folder, { recursive: true });
    }
  });
});

test('retention periods are also read from their former place, and the section "retention" takes precedence', async () => {
  const earlier = 'captures: {keep_days: 2}\ntasks: {keep_days: 3}\ncache: {feedback: {keep_reports_days: 4}}\n';
  const { retention, tasks, written } = parse(earlier);
  expect(retention).toEqual({
    ...DEFAULT_RETENTION,
    ...{ capturesMs: 2 * 86_400_000, tasksMs: 3 * 86_400_000, cacheReportsMs: 4 * 86_400_000 },
  });
  expect(tasks.keepMs).toBe(3 * 86_400_000);
  expect(written.retention).toEqual({ captures_days: 2, tasks_days: 3, cache_reports_days: 4 });
  expect(parse(`${earlier}retention: {tasks_days: 5}\n`).tasks.keepMs).toBe(5 * 86_400_000);
  expect(() => parse('captures: {keep_days: 0}\n')).toThrow('retention.captures_days: must be a whole number of days');
});

test('the variables of each setting are known by name, without the text around them', () => {
  const { variables } = parseConfiguration(
    'f.yaml',
    `mail: {smtp_url: "smtps://u:\${SMTP_PASSWORD}@\${SMTP_HOST}:465", from: "g@example.com"}
server: {public_url: "\${PUBLIC_URL:-https://ai.example.com}"}
sign_in: {oidc: [{id: co, issuer: "https://login.example.com", client_id: c, client_secret: "\${OIDC_SECRET}"}]}`,
    { environment: { SMTP_PASSWORD: 'p', SMTP_HOST: 'mail.example.com', OIDC_SECRET: 's' }, providers: testProviders },
  );
  expect(variables).toEqual({
    'mail.smtp_url': ['SMTP_PASSWORD', 'SMTP_HOST'],
    'server.public_url': ['PUBLIC_URL'],
    'sign_in.oidc': ['OIDC_SECRET'],
  });
});
