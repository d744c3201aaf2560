/* Generated from the OpenAPI document of the management API by `npm run generate`; a test fails while it differs. */

export type AcceptInvitationRequest = {
  token: string;
  email?: string | null | undefined;
  name?: string | null | undefined;
  password?: string | null | undefined;
};

export type Account = {
  object: 'account';
  id: string;
  name: string;
  role: 'User' | 'Partner' | 'VIP';
  admin: boolean;
  billing: 'prepaid' | 'unlimited';
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrent: number | null;
  budget: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone: string;
    then?: {
      model: string;
      at_percent: number;
      ceiling_usd: string | null;
    } | undefined;
  } | null;
  budget_raise: { to_usd: string; until: string } | null;
  strategy: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null;
  fallbacks: readonly string[];
  guards: readonly string[];
  cache: Record<string, unknown> | null;
  capture: 'none' | 'full';
  capture_days: number | null;
  quotas: Record<string, number> | null;
  billing_details: BillingDetails | null;
  balance_usd: string;
  held_usd: string;
  free_usd: string;
  state: 'active' | 'archived';
  managed_by: 'file' | 'environment' | 'api';
  created_at: string;
  archived_at: string | null;
};

export type AccountErasure = {
  object: 'account_erasure';
  id: string;
  dry_run: boolean;
  pseudonym: string | null;
  removed: {
    memberships: number;
    invitations: number;
    alert_deliveries: number;
    alert_events: number;
    alert_states: number;
    alert_targets: number;
    alert_rules: number;
    captures: number;
    responses: number;
    objects: number;
    tasks: number;
    holds: number;
    cache_reports: number;
    cache_entries: number | null;
    usage_tags: number;
    request_lines: number;
    channels: number;
  };
  hidden: {
    key_names: number;
    ledger_notes: number;
    audit_entries: number;
  };
};

export type ActiveAlert = {
  object: 'active_alert';
  account: string | null;
  account_name: string | null;
  rule: {
    id: string;
    name: string;
    type: 'balance_below' | 'budget_spent' | 'key_limit_spent' | 'error_rate' | 'channel_state';
  };
  subject: {
    type: string;
    id: string;
    name: string | null;
    account_id: string | null;
    account_name: string | null;
  };
  since: string;
  told_at: string;
  value: string | number | null;
  threshold: string | number | null;
  unit: 'usd' | 'percent' | 'state' | null | null;
  message: string | null;
};

export type AdjustBalanceRequest = { usd: string; note: string };

export type AlertDelivery = {
  object: 'alert_delivery';
  id: string;
  account: string | null;
  account_name: string | null;
  event: string;
  event_type: 'alert.raised' | 'alert.repeated' | 'alert.resolved' | 'alert.test' | 'alert.target_disabled';
  webhook: string;
  webhook_name: string | null;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  next_attempt_at: string | null;
  last_status: number | null;
  last_error: string | null;
  last_attempt_at: string | null;
  last_duration_ms: number | null;
  created_at: string;
};

export type AlertEvent = {
  object: 'alert_event';
  id: string;
  type: 'alert.raised' | 'alert.repeated' | 'alert.resolved' | 'alert.test' | 'alert.target_disabled';
  created_at: string;
  account: string | null;
  account_name: string | null;
  account_id: string | null;
  rule: {
    id: string;
    name: string;
    type: 'balance_below' | 'budget_spent' | 'key_limit_spent' | 'error_rate' | 'channel_state';
  } | null;
  subject: {
    type: string;
    id: string;
    name: string | null;
    account_id: string | null;
    account_name: string | null;
  } | null;
  value: string | number | null;
  threshold: string | number | null;
  unit: 'usd' | 'percent' | 'state' | null | null;
  message: string;
};

export type AlertRule = {
  object: 'alert_rule';
  id: string;
  account: string | null;
  account_name: string | null;
  name: string;
  enabled: boolean;
  type: 'balance_below' | 'budget_spent' | 'key_limit_spent' | 'error_rate' | 'channel_state';
  balance_below?: { usd: string } | undefined;
  budget_spent?: {
    percent: number;
    of: 'account' | 'key';
    key: string | null;
  } | undefined;
  key_limit_spent?: { percent: number; key: string | null } | undefined;
  error_rate?: {
    percent: number;
    window_minutes: number;
    minimum_requests: number;
    of: 'account' | 'model' | 'channel';
    id: string | null;
  } | undefined;
  channel_state?: {
    states: readonly ('blocked' | 'resting' | 'key_blocked' | 'key_capped')[];
    resting_seconds: number;
    channel: string | null;
  } | undefined;
  accounts: readonly string[] | null;
  account_names: readonly (string | null)[] | null;
  subject_name: string | null;
  targets: readonly string[] | null;
  repeat_minutes: number | null;
  managed_by: string;
  created_at: string;
  updated_at: string;
};

export type AlertWebhook = {
  object: 'alert_webhook';
  id: string;
  account: string | null;
  account_name: string | null;
  name: string;
  enabled: boolean;
  type: 'webhook' | 'mail';
  url_preview: string | null;
  mail: string | null;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  previous_secret_until: string | null;
  managed_by: string;
  created_at: string;
  updated_at: string;
};

export type AlertWebhookWithSecret = {
  object: 'alert_webhook';
  id: string;
  account: string | null;
  account_name: string | null;
  name: string;
  enabled: boolean;
  type: 'webhook' | 'mail';
  url_preview: string | null;
  mail: string | null;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  previous_secret_until: string | null;
  managed_by: string;
  created_at: string;
  updated_at: string;
  secret: string | null;
};

export type AskForPasswordResetRequest = { email: string };

export type AuditEntry = {
  object: 'audit_entry';
  id: number;
  at: string;
  actor: {
    kind: 'person' | 'token' | 'command_line' | 'file' | 'environment' | 'gateway';
    id: string | null;
    name: string;
  };
  actor_name: string | null;
  address: string | null;
  request_id: string | null;
  action: string;
  account: string | null;
  account_name: string | null;
  object_id: string;
  object_name: string | null;
  before: Record<string, unknown> | null;
  after: Record<string, unknown> | null;
};

export type AuthChangePasswordRequest = { currentPassword: string; newPassword: string };

export type AuthLinkSocialAnswer = {
  url?: string | undefined;
  redirect?: boolean | undefined;
};

export type AuthLinkSocialRequest = {
  provider: string;
  callbackURL?: string | undefined;
  errorCallbackURL?: string | undefined;
  newUserCallbackURL?: string | undefined;
};

export type AuthPasskeyDeletePasskeyRequest = { id: string };

export type AuthPasskeyUpdatePasskeyRequest = { id: string; name: string };

export type AuthPasskeyVerifyAuthenticationRequest = { response: Record<string, unknown> };

export type AuthPasskeyVerifyRegistrationRequest = {
  response: Record<string, unknown>;
  name?: string | undefined;
};

export type AuthSignInEmailAnswer = {
  user?: { id: string; email: string; name: string } | undefined;
  twoFactorRedirect?: boolean | undefined;
};

export type AuthSignInEmailRequest = { email: string; password: string };

export type AuthSignInSocialAnswer = {
  url?: string | undefined;
  redirect?: boolean | undefined;
};

export type AuthSignInSocialRequest = {
  provider: string;
  callbackURL?: string | undefined;
  errorCallbackURL?: string | undefined;
  newUserCallbackURL?: string | undefined;
};

export type AuthTwoFactorDisableRequest = { password: string };

export type AuthTwoFactorEnableAnswer = { totpURI: string; backupCodes: readonly string[] };

export type AuthTwoFactorEnableRequest = { password: string };

export type AuthTwoFactorGenerateBackupCodesAnswer = { backupCodes: readonly string[] };

export type AuthTwoFactorGenerateBackupCodesRequest = { password: string };

export type AuthTwoFactorVerifyBackupCodeAnswer = {
  user?: { id: string; email: string; name: string } | undefined;
};

export type AuthTwoFactorVerifyBackupCodeRequest = { code: string };

export type AuthTwoFactorVerifyTotpAnswer = {
  user?: { id: string; email: string; name: string } | undefined;
};

export type AuthTwoFactorVerifyTotpRequest = { code: string };

export type AuthUnlinkAccountRequest = { accountId: string };

export type AuthUpdateUserRequest = { name: string };

export type Balance = {
  object: 'balance';
  account: string;
  balance_usd: string;
  held_usd: string;
  free_usd: string;
};

export type BillingDetails = {
  name: string | null;
  address: readonly string[];
  tax_id: string | null;
  email: string | null;
};

export type BudgetInForce = {
  usd: string;
  per: 'day' | 'week' | 'month';
  time_zone: string;
  then?: {
    model: string;
    at_percent: number;
    ceiling_usd: string | null;
  } | undefined;
  raised_until: string | null;
  spent_usd: string;
  held_usd: string;
  left_usd: string;
  starts_at: string;
  resets_at: string;
};

export type CacheEntry = {
  object: 'cache_entry';
  id: string;
  account: string;
  account_name: string | null;
  shared: boolean;
  model: string;
  channel: string;
  channel_name: string | null;
  upstream_model: string;
  stored_at: string;
  expires_at: string;
  semantic: boolean;
  bytes?: number | undefined;
};

export type CacheReport = {
  object: 'cache_report';
  id: string;
  entry: string;
  account: string;
  account_name: string | null;
  key: string | null;
  key_name: string | null;
  model: string;
  type: 'wrong_answer' | 'outdated' | 'incomplete' | 'unsafe' | 'other';
  description: string;
  reported_at: string;
  invalidated_at: string | null;
};

export type CacheReportOutcome = {
  object: 'cache_report_outcome';
  entry: string;
  status: 'recorded' | 'already_recorded';
  invalidated: boolean;
};

export type CacheStatistics = {
  object: 'cache_statistics';
  memory: { entries: number; bytes: number };
  beyond: {
    kind: 'disk' | 'redis';
    entries: number;
    bytes: number;
    most_bytes: number;
  } | null;
};

export type Capture = {
  object: 'capture';
  id: string;
  account: string;
  at: string;
  request: {
    content_type: string | null;
    bytes: number | null;
    text: string | null;
    is_cut: boolean;
    omitted: 'form' | 'binary' | 'not_read' | null | null;
  };
  answer: {
    content_type: string | null;
    bytes: number | null;
    text: string | null;
    is_cut: boolean;
    omitted: 'form' | 'binary' | 'not_read' | null | null;
  };
};

export type CatalogSync = {
  object: 'catalog_sync';
  plan: string;
  changes: number;
  applied: boolean;
  list: string;
  source: { url: string | null; date: string };
  changed: readonly {
    provider: string;
    id: string;
    fields: readonly {
      field: string;
      from: string | null;
      to: string | null;
      yours: string | null;
    }[];
  }[];
  added: readonly {
    provider: string;
    id: string;
    name: string;
    category: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation';
    pricing: unknown;
  }[];
  measured_otherwise: readonly { provider: string; id: string }[];
  newer_prices: readonly { provider: string; id: string }[];
  unchanged: number;
  unknown: number;
  skipped: number;
  malformed: number;
  first_malformed: readonly string[];
  refused: readonly { provider: string; id: string; problem: string }[];
};

export type ChangedAlertWebhook = {
  object: 'alert_webhook';
  id: string;
  account: string | null;
  account_name: string | null;
  name: string;
  enabled: boolean;
  type: 'webhook' | 'mail';
  url_preview: string | null;
  mail: string | null;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  previous_secret_until: string | null;
  managed_by: string;
  created_at: string;
  updated_at: string;
  warning: string | null;
};

export type ChangedBalance = {
  object: 'balance';
  account: string;
  balance_usd: string;
  held_usd: string;
  free_usd: string;
  changed_usd: string;
  already_made: boolean;
};

export type Channel = {
  object: 'channel';
  id: string;
  name: string;
  type: 'PLATFORM' | 'PRIVATE';
  owner: string | null;
  owner_name: string | null;
  provider: string;
  base_url: string | null;
  settings: Record<string, unknown>;
  formats: readonly string[] | null;
  timeouts: {
    connect_ms: number;
    first_byte_ms: number;
    idle_ms: number;
    first_event_ms: number;
    event_idle_ms: number;
    total_ms: number;
    models: Record<string, {
      connect_ms: number;
      first_byte_ms: number;
      idle_ms: number;
      first_event_ms: number;
      event_idle_ms: number;
      total_ms: number;
    }>;
  };
  costs: Record<string, unknown>;
  breaker: {
    window_ms: number;
    failure_rate: number;
    minimum_requests: number;
    cooldown_ms: number;
    max_cooldown_ms: number;
    probes: number;
  };
  forward_ids: readonly ('request_id' | 'trace')[] | null;
  limits: {
    max_concurrent: number | null;
    requests_per_minute: number | null;
    tokens_per_minute: number | null;
    models: Record<string, {
      max_concurrent: number | null;
      requests_per_minute: number | null;
      tokens_per_minute: number | null;
    }>;
  } | null;
  queue: { max_waiting: number; max_wait_ms: number } | null;
  follow_provider_limits: boolean;
  batches: 'own' | 'relay';
  api_key_preview: string | null;
  api_keys: readonly UpstreamKey[] | null;
  enabled: boolean;
  state: 'ready' | 'probing' | 'resting' | 'disabled' | 'blocked';
  resting_until: string | null;
  block: { at: string; reason: string } | null;
  reset_at: string | null;
  requests: number;
  failures: number;
  priority: number;
  weight: number;
  first_byte_ms: number | null;
  last_failure: string | null;
  last_failure_at: string | null;
  managed_by: 'file' | 'environment' | 'api';
  models: readonly {
    id: string;
    upstream_model: string;
    state: 'ready' | 'probing' | 'resting' | 'disabled' | 'blocked';
    requests: number;
    failures: number;
    resting_until: string | null;
    first_byte_ms: number | null;
    last_failure: string | null;
    last_failure_at: string | null;
    updated_at: string | null;
  }[];
  models_left_out: boolean;
};

export type ChannelImpact = {
  object: 'channel_impact';
  id: string;
  only_here: readonly string[];
  only_here_count: number;
};

export type ChannelLoad = {
  object: 'channel_load';
  id: string;
  running: number;
  max_concurrent: number | null;
  waiting: number;
  requests_per_minute: { limit: number; used: number | null } | null;
  tokens_per_minute: { limit: number; used: number | null } | null;
  models: readonly {
    id: string;
    requests_per_minute: { limit: number; used: number | null } | null;
    tokens_per_minute: { limit: number; used: number | null } | null;
  }[];
  stated: readonly {
    upstream_model: string;
    unit: 'requests' | 'tokens' | 'input_tokens' | 'output_tokens';
    limit: number | null;
    left: number;
  }[];
};

export type ChannelOrder = {
  object: 'channel_order';
  order: readonly (readonly string[])[];
  changed: readonly string[];
};

export type ChannelProbe = {
  object: 'channel_probe';
  provider: string;
  ok: boolean | null;
  server: { name: string; label: string; source: 'set' | 'detected' } | null;
  checked_by: 'model_list' | 'key_check' | 'request' | null | null;
  latency_ms: number;
  error: {
    code: string;
    kind: string;
    message: string;
    hint: string;
  } | null;
  listed: boolean;
  models_cut: boolean;
  models: readonly {
    id: string;
    name: string;
    owned_by: string;
    category: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation';
    operations: readonly string[];
    context_tokens: number | null;
    known: boolean;
    priced: boolean;
  }[];
};

export type ChannelTest = {
  object: 'channel_test';
  channel: string;
  key: string | null;
  enabled: boolean;
  blocked: boolean;
  server: { name: string; label: string; source: 'set' | 'detected' } | null;
  model: string;
  upstream_model: string;
  ok: boolean;
  tries: readonly {
    format: string;
    address: string;
    status: number | null;
    latency_ms: number;
    first_byte_ms: number | null;
    upstream_request_id: string | null;
    error: {
      code: string;
      kind: string;
      message: string;
      hint: string;
    } | null;
    answer: {
      text: string;
      thought: boolean;
      finish: string | null;
      streamed: boolean;
      usage: { prompt_tokens: number; completion_tokens: number } | null;
    } | null;
  }[];
};

export type ChannelTraffic = {
  requests: number;
  errors: number;
  cache_hits: number;
  input_tokens: number;
  cached_input_tokens: number;
  cache_write_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  latency_ms: number | null;
  first_byte_ms: number | null;
  cost_usd: string;
  saved_usd: string;
  unpriced_requests: number;
  latency_p50_ms: number | null;
  latency_p95_ms: number | null;
  latency_p99_ms: number | null;
  object: 'channel_traffic';
  channel: string;
  from: string;
  to: string;
  requests_by_hour: readonly number[];
  errors_by_hour: readonly number[];
};

export type ClearCacheAnswer = { removed: number };

export type ClearCapturesAnswer = {
  object: 'captures_cleared';
  account: string;
  removed: number;
};

export type CreateAccountRequest = {
  id: string;
  name?: string | null | undefined;
  role?: 'User' | 'Partner' | 'VIP' | null | null | undefined;
  admin?: boolean | null | undefined;
  billing?: 'prepaid' | 'unlimited' | null | null | undefined;
  balance_usd?: string | null | undefined;
  requests_per_minute?: number | null | undefined;
  tokens_per_minute?: number | null | undefined;
  max_concurrent?: number | null | undefined;
  budget?: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone?: string | null | undefined;
    then?: {
      model: string;
      at_percent?: number | null | undefined;
      ceiling_usd?: string | null | undefined;
    } | null | undefined;
  } | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  cache?: {
    strategy?: 'off' | 'asked' | 'deterministic' | 'exact' | 'semantic' | null | null | undefined;
    ttl_seconds?: number | null | undefined;
    max_temperature?: number | null | undefined;
    coalesce?: boolean | null | undefined;
    semantic?: {
      certainty?: number | null | undefined;
      tools?: boolean | null | undefined;
      media?: boolean | null | undefined;
    } | null | undefined;
  } | null | undefined;
  capture?: 'none' | 'full' | null | null | undefined;
  capture_days?: number | null | undefined;
  quotas?: {
    keys?: number | null | undefined;
    management_tokens?: number | null | undefined;
    channels?: number | null | undefined;
    channel_models?: number | null | undefined;
    channel_keys?: number | null | undefined;
    members?: number | null | undefined;
    open_invitations?: number | null | undefined;
    alert_rules?: number | null | undefined;
    alert_webhooks?: number | null | undefined;
  } | null | undefined;
  billing_details?: {
    name?: string | null | undefined;
    address?: readonly string[] | null | undefined;
    tax_id?: string | null | undefined;
    email?: string | null | undefined;
  } | null | undefined;
  fallbacks?: readonly string[] | null | undefined;
  guards?: readonly string[] | null | undefined;
};

export type CreateAlertRuleRequest = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  enabled?: boolean | null | undefined;
  balance_below?: { usd: string } | null | undefined;
  budget_spent?: {
    percent: number;
    of?: 'account' | 'key' | null | null | undefined;
    key?: string | null | undefined;
  } | null | undefined;
  key_limit_spent?: { percent: number; key?: string | null | undefined } | null | undefined;
  error_rate?: {
    percent: number;
    window_minutes?: number | null | undefined;
    minimum_requests?: number | null | undefined;
    of?: 'account' | 'model' | 'channel' | null | null | undefined;
    id?: string | null | undefined;
  } | null | undefined;
  channel_state?: {
    states?: readonly ('blocked' | 'resting' | 'key_blocked' | 'key_capped')[] | null | undefined;
    resting_seconds?: number | null | undefined;
    channel?: string | null | undefined;
  } | null | undefined;
  accounts?: readonly string[] | null | undefined;
  targets?: readonly string[] | null | undefined;
  repeat_minutes?: number | null | undefined;
};

export type CreateAlertWebhookRequest = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  enabled?: boolean | null | undefined;
  url?: string | null | undefined;
  mail?: string | null | undefined;
};

export type CreateChannelRequest = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  provider: string;
  base_url?: string | null | undefined;
  api_key?: string | Record<string, unknown> | null | undefined;
  api_keys?: readonly {
    name: string;
    key?: string | Record<string, unknown> | null | undefined;
    weight?: number | null | undefined;
    enabled?: boolean | null | undefined;
    spend_cap?: {
      usd: string;
      per: 'day' | 'month' | 'total';
      time_zone?: string | null | undefined;
    } | null | undefined;
    rename_from?: string | null | undefined;
  }[] | null | undefined;
  settings?: Record<string, unknown> | null | undefined;
  formats?: readonly string[] | null | undefined;
  priority?: number | null | undefined;
  weight?: number | null | undefined;
  owner?: string | null | undefined;
  timeouts?: {
    connect_ms?: number | null | undefined;
    first_byte_ms?: number | null | undefined;
    idle_ms?: number | null | undefined;
    first_event_ms?: number | null | undefined;
    event_idle_ms?: number | null | undefined;
    total_ms?: number | null | undefined;
    models?: Record<string, {
      connect_ms?: number | null | undefined;
      first_byte_ms?: number | null | undefined;
      idle_ms?: number | null | undefined;
      first_event_ms?: number | null | undefined;
      event_idle_ms?: number | null | undefined;
      total_ms?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  models: readonly string[] | Record<string, string>;
  costs?: Record<string, 'free' | {
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  } | readonly {
    effective_from?: string | null | undefined;
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  }[]> | null | undefined;
  breaker?: {
    window_ms?: number | null | undefined;
    failure_rate?: number | null | undefined;
    minimum_requests?: number | null | undefined;
    cooldown_ms?: number | null | undefined;
    max_cooldown_ms?: number | null | undefined;
    probes?: number | null | undefined;
  } | null | undefined;
  forward_ids?: readonly ('request_id' | 'trace')[] | null | undefined;
  limits?: {
    max_concurrent?: number | null | undefined;
    requests_per_minute?: number | null | undefined;
    tokens_per_minute?: number | null | undefined;
    models?: Record<string, {
      max_concurrent?: number | null | undefined;
      requests_per_minute?: number | null | undefined;
      tokens_per_minute?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  queue?: {
    max_waiting: number;
    max_wait_ms?: number | null | undefined;
  } | null | undefined;
  follow_provider_limits?: boolean | null | undefined;
  batches?: 'own' | 'relay' | null | null | undefined;
};

export type CreateGuardRequest = {
  id: string;
  name?: string | null | undefined;
  stages?: readonly ('input' | 'output')[] | null | undefined;
  patterns?: readonly {
    name: string;
    pattern: string;
    ignore_case?: boolean | null | undefined;
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  pii?: readonly {
    class: 'email' | 'phone' | 'card' | 'iban' | 'us_ssn' | 'ip_address' | 'secret';
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  terms?: readonly {
    name: string;
    terms: readonly string[];
    within_words?: boolean | null | undefined;
    leetspeak?: boolean | null | undefined;
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  moderation?: {
    model: string;
    thresholds?: Record<string, number> | null | undefined;
    action?: 'refuse' | 'flag' | null | null | undefined;
    images?: boolean | null | undefined;
    on_failure?: 'open' | 'closed' | null | null | undefined;
    timeout_ms?: number | null | undefined;
  } | null | undefined;
  webhook?: {
    url: string;
    secret: string;
    on_failure?: 'open' | 'closed' | null | null | undefined;
    timeout_ms?: number | null | undefined;
  } | null | undefined;
  hold_characters?: number | null | undefined;
  unguarded?: 'refuse' | 'allow' | null | null | undefined;
};

export type CreateInvitationRequest = {
  email?: string | null | undefined;
  role?: 'owner' | 'member' | 'viewer' | null | null | undefined;
  operator?: boolean | null | undefined;
};

export type CreateKeyRequest = {
  name?: string | null | undefined;
  limit_usd?: string | null | undefined;
  budget?: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone?: string | null | undefined;
    then?: {
      model: string;
      at_percent?: number | null | undefined;
      ceiling_usd?: string | null | undefined;
    } | null | undefined;
  } | null | undefined;
  models?: readonly string[] | null | undefined;
  requests_per_minute?: number | null | undefined;
  usage_access?: 'none' | 'key' | 'account' | null | null | undefined;
  guards?: readonly string[] | null | undefined;
  capture?: 'none' | 'full' | null | null | undefined;
  expires_at?: string | null | undefined;
  id?: string | undefined;
};

export type CreateTokenRequest = {
  id?: string | undefined;
  name?: string | null | undefined;
  expires_at?: string | null | undefined;
  scopes: readonly ('*' | '*:read' | 'account:read' | 'account:write' | 'accounts:read' | 'accounts:write' | 'alerts:read' | 'alerts:write' | 'audit:read' | 'balance:read' | 'balance:write' | 'batches:read' | 'batches:write' | 'cache:read' | 'cache:write' | 'captures:read' | 'captures:write' | 'catalog:read' | 'catalog:write' | 'channels:read' | 'channels:write' | 'keys:read' | 'keys:write' | 'limits:read' | 'limits:write' | 'members:read' | 'members:write' | 'models:read' | 'models:write' | 'requests:read' | 'settings:read' | 'settings:write' | 'system:read' | 'system:write' | 'tasks:read' | 'tasks:write' | 'tokens:read' | 'tokens:write' | 'usage:read')[];
};

export type CreatedAlertWebhook = {
  object: 'alert_webhook';
  id: string;
  account: string | null;
  account_name: string | null;
  name: string;
  enabled: boolean;
  type: 'webhook' | 'mail';
  url_preview: string | null;
  mail: string | null;
  failing_since: string | null;
  disabled_at: string | null;
  disabled_reason: string | null;
  previous_secret_until: string | null;
  managed_by: string;
  created_at: string;
  updated_at: string;
  secret: string | null;
  warning: string | null;
};

export type CreatedInvitation = {
  object: 'invitation';
  id: string;
  purpose: 'join' | 'first_operator' | 'registration' | 'reset';
  email: string | null;
  account: string | null;
  account_name: string | null;
  role: 'owner' | 'member' | 'viewer' | null | null;
  operator: boolean;
  user: string | null;
  state: 'open' | 'used' | 'revoked' | 'expired';
  created_by: string;
  created_by_name: string | null;
  created_at: string;
  expires_at: string;
  used_at: string | null;
  used_by: string | null;
  revoked_at: string | null;
  link: string | null;
  mailed: boolean | null;
};

export type CreatedKey = {
  object: 'key';
  id: string;
  account: string;
  name: string;
  preview: string;
  state: 'active' | 'expired' | 'revoked';
  managed_by: 'file' | 'environment' | 'api';
  expires_at: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  created_by: { type: string; id: string | null; name: string | null } | null;
  revoked_at: string | null;
  last_used_at: string | null;
  limit_usd: string | null;
  spent_usd: string;
  spent_7d_usd: string;
  budget: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone: string;
    then?: {
      model: string;
      at_percent: number;
      ceiling_usd: string | null;
    } | undefined;
  } | null;
  budget_raise: { to_usd: string; until: string } | null;
  models: readonly string[] | null;
  requests_per_minute: number | null;
  guards: readonly string[];
  capture: 'none' | 'full' | null | null;
  usage_access: 'none' | 'key' | 'account';
  secret: string | null;
};

export type CreatedToken = {
  object: 'token';
  id: string;
  account: string;
  name: string;
  preview: string;
  state: 'active' | 'expired' | 'revoked';
  managed_by: 'file' | 'environment' | 'api';
  expires_at: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  created_by: { type: string; id: string | null; name: string | null } | null;
  revoked_at: string | null;
  last_used_at: string | null;
  scopes: readonly ('*' | '*:read' | 'account:read' | 'account:write' | 'accounts:read' | 'accounts:write' | 'alerts:read' | 'alerts:write' | 'audit:read' | 'balance:read' | 'balance:write' | 'batches:read' | 'batches:write' | 'cache:read' | 'cache:write' | 'captures:read' | 'captures:write' | 'catalog:read' | 'catalog:write' | 'channels:read' | 'channels:write' | 'keys:read' | 'keys:write' | 'limits:read' | 'limits:write' | 'members:read' | 'members:write' | 'models:read' | 'models:write' | 'requests:read' | 'settings:read' | 'settings:write' | 'system:read' | 'system:write' | 'tasks:read' | 'tasks:write' | 'tokens:read' | 'tokens:write' | 'usage:read')[];
  secret: string | null;
};

export type DeclareModelRequest = {
  id: string;
  name?: string | null | undefined;
  description?: string | null | undefined;
  category?: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation' | null | null | undefined;
  owned_by?: string | null | undefined;
  status?: 'public' | 'hidden' | 'hold' | null | null | undefined;
  pricing?: 'free' | 'unknown' | {
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  } | readonly {
    effective_from?: string | null | undefined;
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  }[] | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  cache?: {
    strategy?: 'off' | 'asked' | 'deterministic' | 'exact' | 'semantic' | null | null | undefined;
    ttl_seconds?: number | null | undefined;
    max_temperature?: number | null | undefined;
    coalesce?: boolean | null | undefined;
    semantic?: {
      certainty?: number | null | undefined;
      tools?: boolean | null | undefined;
      media?: boolean | null | undefined;
    } | null | undefined;
  } | null | undefined;
  capabilities?: {
    input?: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[] | null | undefined;
    output?: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[] | null | undefined;
    features?: readonly ('streaming' | 'tools' | 'parallel_tools' | 'reasoning' | 'structured_output' | 'json_mode' | 'prompt_caching' | 'web_search' | 'logprobs')[] | null | undefined;
    context?: number | null | undefined;
    max_output?: number | null | undefined;
    dimensions?: number | null | undefined;
  } | null | undefined;
  operations?: readonly ('chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search')[] | null | undefined;
  rules?: readonly {
    name?: string | null | undefined;
    when?: {
      input_tokens?: {
        min?: number | null | undefined;
        max?: number | null | undefined;
      } | null | undefined;
      tools?: boolean | {
        min?: number | null | undefined;
        max?: number | null | undefined;
      } | null | undefined;
      images?: boolean | null | undefined;
      audio?: boolean | null | undefined;
      files?: boolean | null | undefined;
      reasoning_effort?: readonly ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'unset')[] | null | undefined;
      stream?: boolean | null | undefined;
      tags?: readonly string[] | null | undefined;
      roles?: readonly ('User' | 'Partner' | 'VIP')[] | null | undefined;
      accounts?: readonly string[] | null | undefined;
      keys?: readonly string[] | null | undefined;
      formats?: readonly ('openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'openai-completions' | 'openai-embeddings' | 'openai-moderations' | 'jina-rerank' | 'cohere-rerank' | 'search' | 'openai-images' | 'openai-image-edits' | 'openai-speech' | 'openai-transcriptions' | 'openai-translations' | 'video-task' | 'music-task' | '3d-task')[] | null | undefined;
      time?: {
        days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[] | null | undefined;
        from?: string | null | undefined;
        to?: string | null | undefined;
        zone: string;
      } | null | undefined;
      share?: {
        percent: number;
        by?: 'session' | 'user' | 'key' | 'account' | null | null | undefined;
      } | null | undefined;
    } | null | undefined;
    model: string;
  }[] | null | undefined;
  fallbacks?: readonly string[] | null | undefined;
  guards?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  batch_price_percent?: number | null | undefined;
  tags?: readonly string[] | null | undefined;
};

export type DeleteChannelAnswer = {
  object: 'channel';
  id: string;
  deleted: true;
  only_here: readonly string[];
};

export type DisabledChannel = {
  object: 'channel';
  id: string;
  name: string;
  type: 'PLATFORM' | 'PRIVATE';
  owner: string | null;
  owner_name: string | null;
  provider: string;
  base_url: string | null;
  settings: Record<string, unknown>;
  formats: readonly string[] | null;
  timeouts: {
    connect_ms: number;
    first_byte_ms: number;
    idle_ms: number;
    first_event_ms: number;
    event_idle_ms: number;
    total_ms: number;
    models: Record<string, {
      connect_ms: number;
      first_byte_ms: number;
      idle_ms: number;
      first_event_ms: number;
      event_idle_ms: number;
      total_ms: number;
    }>;
  };
  costs: Record<string, unknown>;
  breaker: {
    window_ms: number;
    failure_rate: number;
    minimum_requests: number;
    cooldown_ms: number;
    max_cooldown_ms: number;
    probes: number;
  };
  forward_ids: readonly ('request_id' | 'trace')[] | null;
  limits: {
    max_concurrent: number | null;
    requests_per_minute: number | null;
    tokens_per_minute: number | null;
    models: Record<string, {
      max_concurrent: number | null;
      requests_per_minute: number | null;
      tokens_per_minute: number | null;
    }>;
  } | null;
  queue: { max_waiting: number; max_wait_ms: number } | null;
  follow_provider_limits: boolean;
  batches: 'own' | 'relay';
  api_key_preview: string | null;
  api_keys: readonly UpstreamKey[] | null;
  enabled: boolean;
  state: 'ready' | 'probing' | 'resting' | 'disabled' | 'blocked';
  resting_until: string | null;
  block: { at: string; reason: string } | null;
  reset_at: string | null;
  requests: number;
  failures: number;
  priority: number;
  weight: number;
  first_byte_ms: number | null;
  last_failure: string | null;
  last_failure_at: string | null;
  managed_by: 'file' | 'environment' | 'api';
  models: readonly {
    id: string;
    upstream_model: string;
    state: 'ready' | 'probing' | 'resting' | 'disabled' | 'blocked';
    requests: number;
    failures: number;
    resting_until: string | null;
    first_byte_ms: number | null;
    last_failure: string | null;
    last_failure_at: string | null;
    updated_at: string | null;
  }[];
  models_left_out: boolean;
  only_here: readonly string[];
};

export type EndUser = {
  object: 'end_user';
  end_users: 'hashed' | 'plain' | 'off';
  tag: string | null;
};

export type EndUserErasure = {
  object: 'end_user_erasure';
  hash: string;
  removed: {
    usage_tags: number;
    request_lines: number;
    tasks: number;
    holds: number;
  };
};

export type Error = {
  error: {
    message: string;
    type: string;
    code: string;
    param: string | null;
    did_you_mean?: string | undefined;
    suggestions?: readonly { id: string }[] | undefined;
    hint?: string | undefined;
    retryable?: boolean | undefined;
    retry_after?: number | undefined;
    balance_usd?: number | undefined;
    estimated_cost_usd?: number | undefined;
    alternatives?: readonly { id: string; status: string; tags: readonly string[] }[] | undefined;
  };
};

export type ExplainRoutingRequest = {
  endpoint: string;
  body: Record<string, unknown>;
  headers?: Record<string, string> | null | undefined;
  key_id?: string | null | undefined;
  at?: string | null | undefined;
};

export type Export = {
  object: 'export';
  id: string;
  kind: 's3' | 'clickhouse';
  place: string;
  state: 'pending' | 'exporting' | 'failing';
  exported_lines: number;
  skipped_lines: number;
  last_exported_at: string | null;
  lag_lines: number;
  lag_seconds: number;
  last_error: { at: string; message: string } | null;
};

export type ExportList = { object: 'list'; data: readonly Export[] };

export type FailTaskRequest = { reason: string };

export type GrantBalanceRequest = { usd: string; note?: string | undefined };

export type Guard = {
  object: 'guard';
  id: string;
  name: string;
  stages: readonly ('input' | 'output')[];
  patterns?: readonly {
    name: string;
    pattern: string;
    ignore_case: boolean;
    action: 'mask' | 'refuse' | 'flag';
  }[] | undefined;
  pii?: readonly {
    class: 'email' | 'phone' | 'card' | 'iban' | 'us_ssn' | 'ip_address' | 'secret';
    action: 'mask' | 'refuse' | 'flag';
  }[] | undefined;
  terms?: readonly {
    name: string;
    terms: readonly string[];
    within_words: boolean;
    leetspeak: boolean;
    action: 'mask' | 'refuse' | 'flag';
  }[] | undefined;
  moderation?: {
    model: string;
    thresholds: Record<string, number>;
    action: 'refuse' | 'flag';
    images: boolean;
    on_failure: 'open' | 'closed';
    timeout_ms: number;
  } | null | undefined;
  webhook?: {
    url_preview: string;
    on_failure: 'open' | 'closed';
    timeout_ms: number;
  } | null | undefined;
  hold_characters?: number | null | undefined;
  unguarded?: 'refuse' | 'allow' | undefined;
  managed_by?: 'file' | 'environment' | 'api' | undefined;
  created_at?: string | undefined;
};

export type GuardTest = {
  object: 'guard_test';
  guard: string;
  stage: 'input' | 'output';
  refused: boolean;
  text: string | null;
  verdicts: readonly {
    rule: string;
    action: 'mask' | 'refuse' | 'flag';
    count: number;
  }[];
  error: { code: string; message: string } | null;
  failed: readonly { check: 'moderation' | 'webhook'; problem: string }[];
};

export type Invitation = {
  object: 'invitation';
  id: string;
  purpose: 'join' | 'first_operator' | 'registration' | 'reset';
  email: string | null;
  account: string | null;
  account_name: string | null;
  role: 'owner' | 'member' | 'viewer' | null | null;
  operator: boolean;
  user: string | null;
  state: 'open' | 'used' | 'revoked' | 'expired';
  created_by: string;
  created_by_name: string | null;
  created_at: string;
  expires_at: string;
  used_at: string | null;
  used_by: string | null;
  revoked_at: string | null;
};

export type InvitationLink = {
  object: 'invitation';
  purpose: 'join' | 'first_operator' | 'registration' | 'reset';
  email: string | null;
  account: string | null;
  account_name: string | null;
  role: 'owner' | 'member' | 'viewer' | null | null;
  operator: boolean;
  expires_at: string;
};

export type Key = {
  object: 'key';
  id: string;
  account: string;
  name: string;
  preview: string;
  state: 'active' | 'expired' | 'revoked';
  managed_by: 'file' | 'environment' | 'api';
  expires_at: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  created_by: { type: string; id: string | null; name: string | null } | null;
  revoked_at: string | null;
  last_used_at: string | null;
  limit_usd: string | null;
  spent_usd: string;
  spent_7d_usd: string;
  budget: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone: string;
    then?: {
      model: string;
      at_percent: number;
      ceiling_usd: string | null;
    } | undefined;
  } | null;
  budget_raise: { to_usd: string; until: string } | null;
  models: readonly string[] | null;
  requests_per_minute: number | null;
  guards: readonly string[];
  capture: 'none' | 'full' | null | null;
  usage_access: 'none' | 'key' | 'account';
};

export type KeyLimits = {
  object: 'key_limits';
  id: string;
  account: string;
  name: string;
  state: 'active' | 'expired' | 'revoked';
  requests_per_minute: { limit: number; used: number | null } | null;
  limit_usd: string | null;
  spent_usd: string;
  left_usd: string | null;
  budget: BudgetInForce | null;
  models: readonly string[] | null;
  expires_at: string | null;
};

export type LedgerEntry = {
  object: 'ledger_entry';
  id: number;
  at: string;
  account: string;
  key: string | null;
  kind: 'grant' | 'charge' | 'refund' | 'adjustment';
  amount_usd: string;
  request: string | null;
  note: string | null;
  account_name: string | null;
  key_name: string | null;
  balance_usd?: string | null | undefined;
};

export type LedgerReport = {
  object: 'ledger_report';
  ok: boolean;
  accounts: number;
  entries: number;
  charges: number;
  archived: number;
  problems: readonly string[];
};

export type Limits = {
  object: 'limits';
  account: string;
  role: 'User' | 'Partner' | 'VIP';
  billing: 'prepaid' | 'unlimited';
  requests_per_minute: {
    limit: number;
    used: number | null;
    from: 'role' | 'account';
  };
  tokens_per_minute: { limit: number; used: number | null } | null;
  max_concurrent: number | null;
  budget: BudgetInForce | null;
};

export type ListAccountsAnswer = {
  object: 'list';
  data: readonly ListedAccount[];
  has_more: boolean;
  next: string | null;
};

export type ListActiveAlertsAnswer = {
  object: 'list';
  data: readonly ActiveAlert[];
  has_more: boolean;
  next: string | null;
};

export type ListAlertDeliveriesAnswer = {
  object: 'list';
  data: readonly AlertDelivery[];
  has_more: boolean;
  next: string | null;
};

export type ListAlertEventsAnswer = {
  object: 'list';
  data: readonly AlertEvent[];
  has_more: boolean;
  next: string | null;
};

export type ListAlertRulesAnswer = {
  object: 'list';
  data: readonly AlertRule[];
  has_more: boolean;
  next: string | null;
};

export type ListAlertWebhooksAnswer = {
  object: 'list';
  data: readonly AlertWebhook[];
  has_more: boolean;
  next: string | null;
};

export type ListAuditAnswer = {
  object: 'list';
  data: readonly AuditEntry[];
  has_more: boolean;
  next: string | null;
};

export type ListCacheEntriesAnswer = {
  object: 'list';
  data: readonly CacheEntry[];
  has_more: boolean;
  next: string | null;
};

export type ListCacheReportsAnswer = {
  object: 'list';
  data: readonly CacheReport[];
  has_more: boolean;
  next: string | null;
};

export type ListChannelTrafficAnswer = {
  object: 'list';
  data: readonly ChannelTraffic[];
  has_more: boolean;
  next: string | null;
};

export type ListChannelsAnswer = {
  object: 'list';
  data: readonly Channel[];
  has_more: boolean;
  next: string | null;
};

export type ListGuardsAnswer = {
  object: 'list';
  data: readonly Guard[];
  has_more: boolean;
  next: string | null;
};

export type ListInvitationsAnswer = {
  object: 'list';
  data: readonly Invitation[];
  has_more: boolean;
  next: string | null;
};

export type ListKeyLimitsAnswer = {
  object: 'list';
  data: readonly KeyLimits[];
  has_more: boolean;
  next: string | null;
};

export type ListKeysAnswer = {
  object: 'list';
  data: readonly Key[];
  has_more: boolean;
  next: string | null;
};

export type ListLedgerAnswer = {
  object: 'list';
  data: readonly LedgerEntry[];
  has_more: boolean;
  next: string | null;
};

export type ListManagedBatchesAnswer = {
  object: 'list';
  data: readonly ManagedBatch[];
  has_more: boolean;
  next: string | null;
};

export type ListManagedFilesAnswer = {
  object: 'list';
  data: readonly ManagedFile[];
  has_more: boolean;
  next: string | null;
};

export type ListManagedModelsAnswer = {
  object: 'list';
  data: readonly ManagedModel[];
  has_more: boolean;
  next: string | null;
};

export type ListManagedTasksAnswer = {
  object: 'list';
  data: readonly ManagedTask[];
  has_more: boolean;
  next: string | null;
};

export type ListMembersAnswer = {
  object: 'list';
  data: readonly Member[];
  has_more: boolean;
  next: string | null;
};

export type ListProvidersAnswer = {
  object: 'list';
  data: readonly Provider[];
  has_more: boolean;
  next: string | null;
};

export type ListRequestsAnswer = {
  object: 'list';
  data: readonly Request[];
  has_more: boolean;
  next: string | null;
};

export type ListSessionsAnswer = {
  object: 'list';
  data: readonly Session[];
  has_more: boolean;
  next: string | null;
};

export type ListStatementsAnswer = {
  object: 'list';
  data: readonly Statement[];
  has_more: boolean;
  next: string | null;
};

export type ListTokensAnswer = {
  object: 'list';
  data: readonly Token[];
  has_more: boolean;
  next: string | null;
};

export type ListUserSessionsAnswer = {
  object: 'list';
  data: readonly Session[];
  has_more: boolean;
  next: string | null;
};

export type ListUsersAnswer = {
  object: 'list';
  data: readonly ListedUser[];
  has_more: boolean;
  next: string | null;
};

export type ListedAccount = {
  object: 'account';
  id: string;
  name: string;
  role: 'User' | 'Partner' | 'VIP';
  admin: boolean;
  billing: 'prepaid' | 'unlimited';
  requests_per_minute: number | null;
  tokens_per_minute: number | null;
  max_concurrent: number | null;
  budget: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone: string;
    then?: {
      model: string;
      at_percent: number;
      ceiling_usd: string | null;
    } | undefined;
  } | null;
  budget_raise: { to_usd: string; until: string } | null;
  strategy: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null;
  fallbacks: readonly string[];
  guards: readonly string[];
  cache: Record<string, unknown> | null;
  capture: 'none' | 'full';
  capture_days: number | null;
  quotas: Record<string, number> | null;
  billing_details: BillingDetails | null;
  balance_usd: string;
  held_usd: string;
  free_usd: string;
  state: 'active' | 'archived';
  managed_by: 'file' | 'environment' | 'api';
  created_at: string;
  archived_at: string | null;
  keys?: number | undefined;
  members?: number | undefined;
  last_active_at?: string | null | undefined;
  spent_30d_usd?: string | undefined;
  upstream_cost_30d_usd?: string | null | undefined;
  margin_30d_usd?: string | null | undefined;
  uncosted_requests_30d?: number | undefined;
};

export type ListedUser = {
  object: 'user';
  id: string;
  email: string;
  email_verified: boolean;
  name: string;
  operator: boolean;
  two_factor_enabled: boolean;
  memberships: readonly {
    account: string;
    role: 'owner' | 'member' | 'viewer';
    name: string;
  }[];
  created_at: string;
  disabled_at: string | null;
  last_active_at: string | null;
};

export type LookUpInvitationRequest = { token: string };

export type MailRequest = { object: 'mail_request'; accepted: true };

export type MailTest = {
  object: 'mail_test';
  to: string;
  from: string;
  pending: boolean;
  sent: boolean;
  duration_ms: number;
  problem: {
    kind: 'host_not_found' | 'unreachable' | 'tls' | 'timeout' | 'credentials_refused' | 'address_refused' | 'message_refused' | 'failed';
    message: string;
    status: number | null;
    server_said: string | null;
  } | null;
};

export type ManagedBatch = {
  object: 'batch';
  id: string;
  account: string;
  account_name: string | null;
  key: string;
  key_name: string | null;
  api: 'openai' | 'anthropic';
  endpoint: string;
  model: string | null;
  stage: 'validating' | 'running' | 'finalizing' | 'completed' | 'failed' | 'expired' | 'cancelled';
  cancel_requested_at: string | null;
  lines: number;
  succeeded: number;
  errored: number;
  cancelled: number;
  expired: number;
  tokens: {
    input: number;
    cached_input: number;
    output: number;
    reasoning: number;
  };
  cost_usd: string;
  input_file: string;
  output_file: string | null;
  error_file: string | null;
  created_at: string;
  deadline: string;
  ended_at: string | null;
  expires_at: string | null;
};

export type ManagedFile = {
  object: 'file';
  id: string;
  account: string;
  account_name: string | null;
  key: string | null;
  key_name: string | null;
  purpose: 'batch' | 'batch_output';
  name: string;
  bytes: number;
  created_at: string;
  expires_at: string | null;
};

export type ManagedModel = {
  object: 'model';
  id: string;
  name: string;
  description: string | null;
  category: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation';
  owned_by: string;
  tags: readonly string[];
  operations: readonly ('chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search')[];
  capabilities: {
    input: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[];
    output: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[];
    features: readonly ('streaming' | 'tools' | 'parallel_tools' | 'reasoning' | 'structured_output' | 'json_mode' | 'prompt_caching' | 'web_search' | 'logprobs')[];
    context_tokens: number | null;
    max_output_tokens: number | null;
    dimensions: number | null;
  } | null;
  status: 'public' | 'hidden' | 'hold';
  pricing: unknown;
  price_source: { url: string | null; date: string | null } | null;
  success_rate_24h: number | null;
  samples_24h: number;
  channels: readonly string[];
  own_channels?: readonly { id: string; name: string }[] | undefined;
  sandbox?: boolean | undefined;
  price_layer?: 'shipped' | 'synced' | 'stated' | null | null | undefined;
  managed_by?: 'file' | 'environment' | 'api' | null | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  rules?: readonly (Record<string, unknown>)[] | null | undefined;
  fallbacks?: readonly string[] | undefined;
  guards?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  batch_price_percent?: number | null | undefined;
  cache?: Record<string, unknown> | null | undefined;
};

export type ManagedTask = {
  object: 'task';
  id: string;
  account: string;
  account_name: string | null;
  request_id: string;
  key: string | null;
  key_name: string | null;
  kind: 'video' | 'music' | '3d' | 'image';
  model: string;
  stage: 'created' | 'submitting' | 'submitted' | 'closing' | 'completed' | 'failed';
  status: 'pending' | 'processing' | 'completed' | 'failed';
  progress: number | null;
  cancelled: boolean;
  cancel_requested_at: string | null;
  channel: string | null;
  channel_name: string | null;
  provider: string | null;
  cost_usd: string | null;
  poll_errors: number;
  created_at: string;
  submitted_at: string | null;
  ended_at: string | null;
  preview?: {
    url: string;
    content_type?: string | undefined;
    cover_url?: string | undefined;
    title?: string | undefined;
    format?: string | undefined;
    count: number;
  } | null | undefined;
};

export type Me = {
  object: 'user';
  id: string;
  email: string;
  email_verified: boolean;
  name: string;
  operator: boolean;
  two_factor_enabled: boolean;
  memberships: readonly {
    account: string;
    role: 'owner' | 'member' | 'viewer';
    name: string;
    archived: boolean;
  }[];
  created_at: string;
  disabled_at: string | null;
  version: string;
  base_urls: { openai: string; anthropic: string; gemini: string };
  public_url: string | null;
  session: string;
  needs_second_factor: boolean;
};

export type Member = {
  object: 'member';
  id: string;
  email: string;
  name: string;
  account: string;
  role: 'owner' | 'member' | 'viewer';
  disabled: boolean;
};

export type MonthStatement = {
  object: 'statement';
  account: string;
  month: string;
  time_zone: string;
  from: string;
  to: string;
  is_final: boolean;
  opening_usd: string;
  grants_usd: string;
  refunds_usd: string;
  adjustments_usd: string;
  charges_usd: string;
  closing_usd: string;
  seller: BillingDetails | null;
  customer: {
    account_name: string;
    name: string | null;
    address: readonly string[];
    tax_id: string | null;
    email: string | null;
  };
  usage: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
  };
  by_model: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      model: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  };
  by_key: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      key: string | null;
      name: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  };
  by_day: readonly {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    date: string;
    from: string;
    to: string;
  }[];
};

export type OrderChannelsRequest = {
  order: readonly (string | readonly string[])[];
  seen?: readonly string[] | null | undefined;
};

export type ProbeChannelRequest = {
  id?: string | null | undefined;
  name?: string | null | undefined;
  provider: string;
  base_url?: string | null | undefined;
  api_key?: string | Record<string, unknown> | null | undefined;
  api_keys?: readonly {
    name: string;
    key?: string | Record<string, unknown> | null | undefined;
    weight?: number | null | undefined;
    enabled?: boolean | null | undefined;
    spend_cap?: {
      usd: string;
      per: 'day' | 'month' | 'total';
      time_zone?: string | null | undefined;
    } | null | undefined;
    rename_from?: string | null | undefined;
  }[] | null | undefined;
  settings?: Record<string, unknown> | null | undefined;
  formats?: readonly string[] | null | undefined;
  priority?: number | null | undefined;
  weight?: number | null | undefined;
  owner?: string | null | undefined;
  timeouts?: {
    connect_ms?: number | null | undefined;
    first_byte_ms?: number | null | undefined;
    idle_ms?: number | null | undefined;
    first_event_ms?: number | null | undefined;
    event_idle_ms?: number | null | undefined;
    total_ms?: number | null | undefined;
    models?: Record<string, {
      connect_ms?: number | null | undefined;
      first_byte_ms?: number | null | undefined;
      idle_ms?: number | null | undefined;
      first_event_ms?: number | null | undefined;
      event_idle_ms?: number | null | undefined;
      total_ms?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  models?: readonly string[] | Record<string, string> | undefined;
  costs?: Record<string, 'free' | {
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  } | readonly {
    effective_from?: string | null | undefined;
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  }[]> | null | undefined;
  breaker?: {
    window_ms?: number | null | undefined;
    failure_rate?: number | null | undefined;
    minimum_requests?: number | null | undefined;
    cooldown_ms?: number | null | undefined;
    max_cooldown_ms?: number | null | undefined;
    probes?: number | null | undefined;
  } | null | undefined;
  forward_ids?: readonly ('request_id' | 'trace')[] | null | undefined;
  limits?: {
    max_concurrent?: number | null | undefined;
    requests_per_minute?: number | null | undefined;
    tokens_per_minute?: number | null | undefined;
    models?: Record<string, {
      max_concurrent?: number | null | undefined;
      requests_per_minute?: number | null | undefined;
      tokens_per_minute?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  queue?: {
    max_waiting: number;
    max_wait_ms?: number | null | undefined;
  } | null | undefined;
  follow_provider_limits?: boolean | null | undefined;
  batches?: 'own' | 'relay' | null | null | undefined;
};

export type Provider = {
  object: 'provider';
  id: string;
  name: string;
  formats: readonly { name: string; only_if_named: boolean }[];
  operations: readonly ('chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search')[];
  base_url: string | null;
  base_url_required: boolean;
  api_key: {
    required: boolean;
    pattern: string | null;
    environment_variables: readonly string[];
  };
  settings: Record<string, unknown> | null;
  built_in: boolean;
  discovered: boolean;
  lists_models: boolean;
  models_known: number;
  relays: readonly string[];
  relays_batches: boolean;
};

export type RaiseAccountBudgetRequest = {
  usd?: string | undefined;
  to_usd?: string | undefined;
  until: string;
};

export type RaiseKeyBudgetRequest = {
  usd?: string | undefined;
  to_usd?: string | undefined;
  until: string;
};

export type ReachableModels = {
  object: 'reachable_models';
  channel: string;
  ok: boolean;
  error: {
    code: string;
    kind: string;
    message: string;
    hint: string;
  } | null;
  listed: boolean;
  models_cut: boolean;
  models: readonly {
    id: string;
    name: string;
    owned_by: string;
    category: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation';
    operations: readonly string[];
    context_tokens: number | null;
    known: boolean;
    priced: boolean;
    served_as: readonly string[];
  }[];
  not_offered: readonly string[];
};

export type RegisterRequest = { email: string };

export type ReportCacheEntryRequest = {
  type: 'wrong_answer' | 'outdated' | 'incomplete' | 'unsafe' | 'other';
  description?: string | null | undefined;
};

export type Request = {
  object: 'request';
  id: string;
  client_request_id: string | null;
  trace_id: string | null;
  at: string;
  account: string | null;
  account_name: string | null;
  key: string | null;
  key_name: string | null;
  format: string;
  model: string | null;
  requested_model: string | null;
  model_steps: readonly {
    kind: 'rule' | 'budget' | 'fallback';
    from: string;
    to: string;
    reason: string;
    skipped?: string | undefined;
  }[];
  channel: string | null;
  channel_name: string | null;
  upstream_key: string | null;
  batch: string | null;
  guards: readonly {
    guard: string;
    rule: string;
    stage: 'input' | 'output';
    action: 'mask' | 'refuse' | 'flag';
    count: number;
  }[];
  provider: string | null;
  upstream_model: string | null;
  answer_model: string | null;
  stream: boolean;
  status: number;
  error_code: string | null;
  failure_kind: string | null;
  error_message: string | null;
  error_param: string | null;
  error_hint: string | null;
  error_side: 'client' | 'gateway' | 'upstream' | null | null;
  client_gone: boolean;
  recovered: boolean;
  retry_count: number;
  latency_ms: number;
  first_byte_ms: number | null;
  usage: {
    source: string;
    quantities: readonly {
      unit: string;
      amount: number;
      variant?: string | undefined;
    }[];
  } | null;
  cost_usd: string | null;
  cache: { match: string; entry: string | null } | null;
  tags: Record<string, string>;
};

export type ResetLink = {
  object: 'reset_link';
  link: string | null;
  mailed: boolean | null;
  expires_at: string;
};

export type ResetPasswordRequest = { token: string; password: string };

export type ResetUpstreamKeyRequest = { spending?: boolean | null | undefined };

export type RevokeSessionsAnswer = { revoked: number };

export type RevokeUserSessionsAnswer = { revoked: number };

export type RotateKeyRequest = { grace_seconds?: number | null | undefined };

export type RotateTokenRequest = { grace_seconds?: number | null | undefined };

export type RoutingExplanation = {
  object: 'routing_explanation';
  requested_model: string | null;
  model: string | null;
  format: string;
  stream: boolean;
  rules: readonly {
    model: string;
    rules: readonly {
      number: number;
      name: string | null;
      model: string;
      checks: readonly {
        condition: string;
        wanted: string;
        value: string;
        holds: boolean;
      }[];
      verdict: 'taken' | 'conditions' | 'skipped' | 'not-reached';
    }[];
  }[] | null;
  steps: readonly { kind: string; from: string; to: string; reason: string }[];
  fallbacks: readonly string[];
  error: {
    code: string;
    kind: string | null;
    message: string;
    param: string | null;
    hint: string | null;
  } | null;
  strategy: {
    name: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy';
    from: 'account' | 'model' | 'default';
  } | null;
  channels: readonly {
    channel: string;
    name: string;
    provider: string;
    private: boolean;
    upstream_key: string | null;
    format: string;
    upstream_model: string;
    position: number | null;
    reasons: readonly string[];
    lane: 'relay' | 'translate' | null | null;
    losses: readonly { field: string; verdict: string; why: string }[];
    error: {
      code: string;
      kind: string | null;
      message: string;
      param: string | null;
      hint: string | null;
    } | null;
    state: 'closed' | 'half-open' | 'open' | 'blocked';
    available_in_ms: number | null;
    load: { running: number; waiting: number } | null;
    priority: number;
    weight: number;
    affinity: number | null;
    score: number | null;
  }[];
  shared_channels: number;
  reservation: { most_usd: string | null; reserved: boolean } | null;
};

export type RunningRequests = {
  object: 'running_requests';
  data: readonly {
    id: string;
    at: string;
    elapsed_ms: number;
    account: string | null;
    key: string | null;
    format: string;
    model: string | null;
    channel: string | null;
    stream: boolean;
    retry_count: number;
    first_byte_ms: number | null;
  }[];
};

export type Session = {
  object: 'session';
  id: string;
  current: boolean;
  address: string | null;
  user_agent: string | null;
  second_factor: boolean;
  created_at: string;
  expires_at: string;
};

export type Settings = {
  object: 'settings';
  file: string | null;
  environment: Record<string, string>;
  sections: Record<string, Record<string, {
    value: unknown;
    source: 'default' | 'api' | 'file';
    variables?: readonly string[] | undefined;
    changeable: boolean;
    needs_second_factor?: true | undefined;
    applies_at_once?: true | undefined;
    after_restart?: unknown | undefined;
  }>>;
  forms: Record<string, Record<string, unknown>>;
  restart_needed: readonly string[];
  branding: {
    name: string;
    logo_url: string | null;
    style_url: string | null;
    support_url: string | null;
  };
  mail: { from: string; pending: boolean } | null;
};

export type ShownBatch = {
  object: 'batch';
  id: string;
  account: string;
  account_name: string | null;
  key: string;
  key_name: string | null;
  api: 'openai' | 'anthropic';
  endpoint: string;
  model: string | null;
  stage: 'validating' | 'running' | 'finalizing' | 'completed' | 'failed' | 'expired' | 'cancelled';
  cancel_requested_at: string | null;
  lines: number;
  succeeded: number;
  errored: number;
  cancelled: number;
  expired: number;
  tokens: {
    input: number;
    cached_input: number;
    output: number;
    reasoning: number;
  };
  cost_usd: string;
  input_file: string;
  output_file: string | null;
  error_file: string | null;
  created_at: string;
  deadline: string;
  ended_at: string | null;
  expires_at: string | null;
  started_at: string | null;
  finalizing_at: string | null;
  metadata: Record<string, string> | null;
  errors: readonly {
    code: string;
    message: string;
    param: string | null;
    line: number | null;
  }[];
};

export type ShownCacheEntry = {
  object: 'cache_entry';
  id: string;
  account: string;
  account_name: string | null;
  shared: boolean;
  model: string;
  channel: string;
  channel_name: string;
  upstream_model: string;
  stored_at: string;
  expires_at: string;
  semantic: boolean;
  provider: string;
  private: boolean;
  answer_bytes: number;
  key: string;
  reports: number;
};

export type ShownModel = {
  object: 'model';
  id: string;
  name: string;
  description: string | null;
  category: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation';
  owned_by: string;
  tags: readonly string[];
  operations: readonly ('chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search')[];
  capabilities: {
    input: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[];
    output: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[];
    features: readonly ('streaming' | 'tools' | 'parallel_tools' | 'reasoning' | 'structured_output' | 'json_mode' | 'prompt_caching' | 'web_search' | 'logprobs')[];
    context_tokens: number | null;
    max_output_tokens: number | null;
    dimensions: number | null;
  } | null;
  status: 'public' | 'hidden' | 'hold';
  pricing: unknown;
  price_source: { url: string | null; date: string | null } | null;
  success_rate_24h: number | null;
  samples_24h: number;
  channels: readonly (string | {
    id: string;
    name: string;
    provider: string;
    model: string;
    upstream_model: string;
    enabled: boolean;
  })[];
  own_channels?: readonly { id: string; name: string }[] | undefined;
  sandbox?: boolean | undefined;
  price_layer?: 'shipped' | 'synced' | 'stated' | null | null | undefined;
  managed_by?: 'file' | 'environment' | 'api' | null | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  rules?: readonly (Record<string, unknown>)[] | null | undefined;
  fallbacks?: readonly string[] | undefined;
  guards?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  batch_price_percent?: number | null | undefined;
  cache?: Record<string, unknown> | null | undefined;
  yours?: {
    managed_by: 'file' | 'environment' | 'api';
    fields: readonly string[];
  } | null | undefined;
  released?: string | null | undefined;
  catalog?: Record<string, unknown> | null | undefined;
  also_known_of?: readonly { provider: string; pricing: unknown }[] | undefined;
  layers?: {
    shipped: Record<string, unknown> | null;
    synced: {
      source: { url: string | null; date: string | null };
      facts: Record<string, unknown>;
    } | null;
    stated: Record<string, unknown> | null;
  } | undefined;
};

export type ShownRequest = {
  object: 'request';
  id: string;
  client_request_id: string | null;
  trace_id: string | null;
  at: string;
  account: string | null;
  account_name: string | null;
  key: string | null;
  key_name: string | null;
  format: string;
  model: string | null;
  requested_model: string | null;
  model_steps: readonly {
    kind: 'rule' | 'budget' | 'fallback';
    from: string;
    to: string;
    reason: string;
    skipped?: string | undefined;
  }[];
  channel: string | null;
  channel_name: string | null;
  upstream_key: string | null;
  batch: string | null;
  guards: readonly {
    guard: string;
    rule: string;
    stage: 'input' | 'output';
    action: 'mask' | 'refuse' | 'flag';
    count: number;
  }[];
  provider: string | null;
  upstream_model: string | null;
  answer_model: string | null;
  stream: boolean;
  status: number;
  error_code: string | null;
  failure_kind: string | null;
  error_message: string | null;
  error_param: string | null;
  error_hint: string | null;
  error_side: 'client' | 'gateway' | 'upstream' | null | null;
  client_gone: boolean;
  recovered: boolean;
  retry_count: number;
  latency_ms: number;
  first_byte_ms: number | null;
  usage: {
    source: string;
    quantities: readonly {
      unit: string;
      amount: number;
      variant?: string | undefined;
    }[];
  } | null;
  cost_usd: string | null;
  cache: { match: string; entry: string | null } | null;
  tags: Record<string, string>;
  trace_url: string | null;
  private: boolean | null;
  upstream_request_id: string | null;
  failed_attempts: readonly {
    channel: string;
    channel_name: string | null;
    kind: string;
    message: string | null;
    latency_ms: number;
    answered_parts?: number | undefined;
  }[];
  losses: readonly { field: string; verdict: string; why: string }[];
  ledger: readonly {
    id: number;
    at: string;
    account: string;
    key: string | null;
    kind: 'grant' | 'charge' | 'refund' | 'adjustment';
    amount_usd: string;
    request: string | null;
    note: string | null;
  }[];
  price: {
    total_usd: string;
    parts: readonly {
      kind: 'usage' | 'fee' | 'cache_share' | 'held' | 'written_off' | 'rounding';
      amount_usd: string;
      unit?: string | undefined;
      amount?: number | undefined;
      variant?: string | undefined;
      unit_price_usd?: string | undefined;
      per?: number | undefined;
      factor?: string | undefined;
    }[];
  } | null;
  time_line: {
    admitted_ms: number | null;
    cache_looked_up_ms: number | null;
    queue_ms: number | null;
    attempts: readonly {
      channel: string | null;
      channel_name: string | null;
      upstream_key: string | null;
      provider: string | null;
      outcome: 'answered' | 'failed' | 'abandoned';
      kind: string | null;
      message: string | null;
      status: number | null;
      upstream_request_id: string | null;
      began_ms: number | null;
      headers_ms: number | null;
      ended_ms: number | null;
    }[];
    first_byte_ms: number | null;
    charged_ms: number | null;
    ended_ms: number;
  } | null;
};

export type ShownTask = {
  object: 'task';
  id: string;
  account: string;
  account_name: string | null;
  request_id: string;
  key: string | null;
  key_name: string | null;
  kind: 'video' | 'music' | '3d' | 'image';
  model: string;
  stage: 'created' | 'submitting' | 'submitted' | 'closing' | 'completed' | 'failed';
  status: 'pending' | 'processing' | 'completed' | 'failed';
  progress: number | null;
  cancelled: boolean;
  cancel_requested_at: string | null;
  channel: string | null;
  channel_name: string | null;
  provider: string | null;
  cost_usd: string | null;
  poll_errors: number;
  created_at: string;
  submitted_at: string | null;
  ended_at: string | null;
  expires_at: string | null;
  data?: readonly {
    url?: string | undefined;
    content_type?: string | undefined;
    duration?: number | undefined;
    cover_url?: string | undefined;
    video_url?: string | undefined;
    title?: string | undefined;
    lyrics?: string | undefined;
    tags?: string | undefined;
    format?: string | undefined;
    revised_prompt?: string | undefined;
    clip_id?: string | undefined;
  }[] | null | undefined;
  error?: string | null | undefined;
  deadline?: string | undefined;
  target?: {
    channel: string;
    provider: string;
    upstream_model: string;
    wire: string;
    private: boolean;
    asked: {
      count: number;
      seconds: number | null;
      resolution: string | null;
      traits: readonly string[];
      output_tokens: number | null;
    };
  } | null | undefined;
  ticket?: Record<string, string> | null | undefined;
  last_poll_error?: string | null | undefined;
  ending?: {
    kind: 'made' | 'failed';
    code?: string | undefined;
    failure_kind?: string | undefined;
    message?: string | undefined;
    items?: readonly {
      source: string | null;
      content_type: string | null;
      duration: number | null;
      format: string | null;
      clip_id: string | null;
    }[] | undefined;
    resolution?: string | null | undefined;
    upstream_model?: string | null | undefined;
    tokens?: { input: number; output: number } | null | undefined;
    quantities?: readonly {
      unit: string;
      amount: number;
      variant?: string | undefined;
    }[] | undefined;
    quantities_are?: 'reported' | 'estimated' | undefined;
  } | null | undefined;
  kept_files?: readonly {
    place: string;
    id: string;
    content_type: string;
    expires_at: string;
  }[] | undefined;
  hold?: {
    state: 'open' | 'settled' | 'released';
    of_balance_usd: string | null;
    of_limit_usd: string | null;
    charged_usd: string;
    expires_at: string;
  } | null | undefined;
  owner?: string | null | undefined;
  claim?: number | undefined;
};

export type SignInOptions = {
  object: 'sign_in_options';
  registration: 'closed' | 'open';
  version: string;
  base_urls: { openai: string; anthropic: string; gemini: string };
  public_url: string | null;
  signed_in: boolean;
  needs_first_operator: boolean;
  password_reset: boolean;
  providers: readonly { id: string; name: string }[];
};

export type Statement = {
  object: 'statement';
  account: string;
  month: string;
  time_zone: string;
  from: string;
  to: string;
  is_final: boolean;
  opening_usd: string;
  grants_usd: string;
  refunds_usd: string;
  adjustments_usd: string;
  charges_usd: string;
  closing_usd: string;
};

export type SyncCatalogRequest = {
  source: string;
  add?: boolean | null | undefined;
  prices_only?: boolean | null | undefined;
  as_of?: string | null | undefined;
  apply?: boolean | null | undefined;
  plan?: string | null | undefined;
};

export type System = {
  object: 'system';
  version: string;
  runtime: string;
  started_at: string;
  memory_bytes: number;
  requests_in_flight: number;
  event_loop_delay: { mean_ms: number; p99_ms: number; max_ms: number };
  ready: boolean;
  not_ready_reason: string | null;
  database: {
    kind: 'sqlite' | 'postgresql';
    version: string | null;
    bytes: number | null;
    migrations: readonly string[];
    problem: string | null;
  };
  redis: 'reachable' | 'away' | null | null;
  nodes: readonly {
    id: string;
    host: string;
    process: number;
    version: string;
    started_at: string;
    last_seen_at: string;
    is_current: boolean;
    answers_this: boolean;
  }[];
};

export type TestChannelRequest = {
  model?: string | null | undefined;
  key?: string | null | undefined;
  stream?: boolean | null | undefined;
  timeout_seconds?: number | null | undefined;
};

export type TestGuardRequest = {
  text: string;
  stage?: 'input' | 'output' | null | null | undefined;
};

export type Token = {
  object: 'token';
  id: string;
  account: string;
  name: string;
  preview: string;
  state: 'active' | 'expired' | 'revoked';
  managed_by: 'file' | 'environment' | 'api';
  expires_at: string | null;
  previous_secret_expires_at: string | null;
  created_at: string;
  created_by: { type: string; id: string | null; name: string | null } | null;
  revoked_at: string | null;
  last_used_at: string | null;
  scopes: readonly ('*' | '*:read' | 'account:read' | 'account:write' | 'accounts:read' | 'accounts:write' | 'alerts:read' | 'alerts:write' | 'audit:read' | 'balance:read' | 'balance:write' | 'batches:read' | 'batches:write' | 'cache:read' | 'cache:write' | 'captures:read' | 'captures:write' | 'catalog:read' | 'catalog:write' | 'channels:read' | 'channels:write' | 'keys:read' | 'keys:write' | 'limits:read' | 'limits:write' | 'members:read' | 'members:write' | 'models:read' | 'models:write' | 'requests:read' | 'settings:read' | 'settings:write' | 'system:read' | 'system:write' | 'tasks:read' | 'tasks:write' | 'tokens:read' | 'tokens:write' | 'usage:read')[];
};

export type UpdateAccountByIdRequest = {
  name?: string | null | undefined;
  role?: 'User' | 'Partner' | 'VIP' | null | null | undefined;
  admin?: boolean | null | undefined;
  billing?: 'prepaid' | 'unlimited' | null | null | undefined;
  requests_per_minute?: number | null | undefined;
  tokens_per_minute?: number | null | undefined;
  max_concurrent?: number | null | undefined;
  budget?: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone?: string | null | undefined;
    then?: {
      model: string;
      at_percent?: number | null | undefined;
      ceiling_usd?: string | null | undefined;
    } | null | undefined;
  } | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  cache?: {
    strategy?: 'off' | 'asked' | 'deterministic' | 'exact' | 'semantic' | null | null | undefined;
    ttl_seconds?: number | null | undefined;
    max_temperature?: number | null | undefined;
    coalesce?: boolean | null | undefined;
    semantic?: {
      certainty?: number | null | undefined;
      tools?: boolean | null | undefined;
      media?: boolean | null | undefined;
    } | null | undefined;
  } | null | undefined;
  capture?: 'none' | 'full' | null | null | undefined;
  capture_days?: number | null | undefined;
  quotas?: {
    keys?: number | null | undefined;
    management_tokens?: number | null | undefined;
    channels?: number | null | undefined;
    channel_models?: number | null | undefined;
    channel_keys?: number | null | undefined;
    members?: number | null | undefined;
    open_invitations?: number | null | undefined;
    alert_rules?: number | null | undefined;
    alert_webhooks?: number | null | undefined;
  } | null | undefined;
  billing_details?: {
    name?: string | null | undefined;
    address?: readonly string[] | null | undefined;
    tax_id?: string | null | undefined;
    email?: string | null | undefined;
  } | null | undefined;
  fallbacks?: readonly string[] | null | undefined;
  guards?: readonly string[] | null | undefined;
};

export type UpdateAccountRequest = {
  name?: string | null | undefined;
  billing_details?: {
    name?: string | null | undefined;
    address?: readonly string[] | null | undefined;
    tax_id?: string | null | undefined;
    email?: string | null | undefined;
  } | null | undefined;
};

export type UpdateAlertRuleRequest = {
  name?: string | null | undefined;
  enabled?: boolean | null | undefined;
  balance_below?: { usd: string } | null | undefined;
  budget_spent?: {
    percent: number;
    of?: 'account' | 'key' | null | null | undefined;
    key?: string | null | undefined;
  } | null | undefined;
  key_limit_spent?: { percent: number; key?: string | null | undefined } | null | undefined;
  error_rate?: {
    percent: number;
    window_minutes?: number | null | undefined;
    minimum_requests?: number | null | undefined;
    of?: 'account' | 'model' | 'channel' | null | null | undefined;
    id?: string | null | undefined;
  } | null | undefined;
  channel_state?: {
    states?: readonly ('blocked' | 'resting' | 'key_blocked' | 'key_capped')[] | null | undefined;
    resting_seconds?: number | null | undefined;
    channel?: string | null | undefined;
  } | null | undefined;
  accounts?: readonly string[] | null | undefined;
  targets?: readonly string[] | null | undefined;
  repeat_minutes?: number | null | undefined;
};

export type UpdateAlertWebhookRequest = {
  name?: string | null | undefined;
  enabled?: boolean | null | undefined;
  url?: string | null | undefined;
  mail?: string | null | undefined;
};

export type UpdateChannelRequest = {
  name?: string | null | undefined;
  provider?: string | null | undefined;
  base_url?: string | null | undefined;
  api_key?: string | Record<string, unknown> | null | undefined;
  api_keys?: readonly {
    name: string;
    key?: string | Record<string, unknown> | null | undefined;
    weight?: number | null | undefined;
    enabled?: boolean | null | undefined;
    spend_cap?: {
      usd: string;
      per: 'day' | 'month' | 'total';
      time_zone?: string | null | undefined;
    } | null | undefined;
    rename_from?: string | null | undefined;
  }[] | null | undefined;
  settings?: Record<string, unknown> | null | undefined;
  formats?: readonly string[] | null | undefined;
  priority?: number | null | undefined;
  weight?: number | null | undefined;
  owner?: string | null | undefined;
  timeouts?: {
    connect_ms?: number | null | undefined;
    first_byte_ms?: number | null | undefined;
    idle_ms?: number | null | undefined;
    first_event_ms?: number | null | undefined;
    event_idle_ms?: number | null | undefined;
    total_ms?: number | null | undefined;
    models?: Record<string, {
      connect_ms?: number | null | undefined;
      first_byte_ms?: number | null | undefined;
      idle_ms?: number | null | undefined;
      first_event_ms?: number | null | undefined;
      event_idle_ms?: number | null | undefined;
      total_ms?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  models?: readonly string[] | Record<string, string> | null | undefined;
  costs?: Record<string, 'free' | {
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  } | readonly {
    effective_from?: string | null | undefined;
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  }[]> | null | undefined;
  breaker?: {
    window_ms?: number | null | undefined;
    failure_rate?: number | null | undefined;
    minimum_requests?: number | null | undefined;
    cooldown_ms?: number | null | undefined;
    max_cooldown_ms?: number | null | undefined;
    probes?: number | null | undefined;
  } | null | undefined;
  forward_ids?: readonly ('request_id' | 'trace')[] | null | undefined;
  limits?: {
    max_concurrent?: number | null | undefined;
    requests_per_minute?: number | null | undefined;
    tokens_per_minute?: number | null | undefined;
    models?: Record<string, {
      max_concurrent?: number | null | undefined;
      requests_per_minute?: number | null | undefined;
      tokens_per_minute?: number | null | undefined;
    }> | null | undefined;
  } | null | undefined;
  queue?: {
    max_waiting: number;
    max_wait_ms?: number | null | undefined;
  } | null | undefined;
  follow_provider_limits?: boolean | null | undefined;
  batches?: 'own' | 'relay' | null | null | undefined;
};

export type UpdateGuardRequest = {
  name?: string | null | undefined;
  stages?: readonly ('input' | 'output')[] | null | undefined;
  patterns?: readonly {
    name: string;
    pattern: string;
    ignore_case?: boolean | null | undefined;
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  pii?: readonly {
    class: 'email' | 'phone' | 'card' | 'iban' | 'us_ssn' | 'ip_address' | 'secret';
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  terms?: readonly {
    name: string;
    terms: readonly string[];
    within_words?: boolean | null | undefined;
    leetspeak?: boolean | null | undefined;
    action?: 'mask' | 'refuse' | 'flag' | null | null | undefined;
  }[] | null | undefined;
  moderation?: {
    model: string;
    thresholds?: Record<string, number> | null | undefined;
    action?: 'refuse' | 'flag' | null | null | undefined;
    images?: boolean | null | undefined;
    on_failure?: 'open' | 'closed' | null | null | undefined;
    timeout_ms?: number | null | undefined;
  } | null | undefined;
  webhook?: {
    url?: string | undefined;
    secret?: string | undefined;
    on_failure?: 'open' | 'closed' | null | null | undefined;
    timeout_ms?: number | null | undefined;
  } | null | undefined;
  hold_characters?: number | null | undefined;
  unguarded?: 'refuse' | 'allow' | null | null | undefined;
};

export type UpdateKeyRequest = {
  name?: string | null | undefined;
  limit_usd?: string | null | undefined;
  budget?: {
    usd: string;
    per: 'day' | 'week' | 'month';
    time_zone?: string | null | undefined;
    then?: {
      model: string;
      at_percent?: number | null | undefined;
      ceiling_usd?: string | null | undefined;
    } | null | undefined;
  } | null | undefined;
  models?: readonly string[] | null | undefined;
  requests_per_minute?: number | null | undefined;
  usage_access?: 'none' | 'key' | 'account' | null | null | undefined;
  guards?: readonly string[] | null | undefined;
  capture?: 'none' | 'full' | null | null | undefined;
  expires_at?: string | null | undefined;
};

export type UpdateMemberRequest = {
  role?: 'owner' | 'member' | 'viewer' | null | null | undefined;
};

export type UpdateModelRequest = {
  name?: string | null | undefined;
  description?: string | null | undefined;
  category?: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation' | null | null | undefined;
  owned_by?: string | null | undefined;
  status?: 'public' | 'hidden' | 'hold' | null | null | undefined;
  pricing?: 'free' | 'unknown' | {
    input_per_1m?: string | null | undefined;
    cached_input_per_1m?: string | null | undefined;
    cache_write_per_1m?: string | null | undefined;
    cache_write_1h_per_1m?: string | null | undefined;
    output_per_1m?: string | null | undefined;
    reasoning_per_1m?: string | null | undefined;
    audio_input_per_1m?: string | null | undefined;
    audio_output_per_1m?: string | null | undefined;
    image_input_per_1m?: string | null | undefined;
    image_output_per_1m?: string | null | undefined;
    per_image?: string | null | undefined;
    per_second?: string | null | undefined;
    per_clip?: string | null | undefined;
    per_character?: string | null | undefined;
    per_request?: string | null | undefined;
    per_web_search?: string | null | undefined;
    per_image_variants?: Record<string, string | null> | null | undefined;
    per_second_variants?: Record<string, string | null> | null | undefined;
    per_clip_variants?: Record<string, string | null> | null | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  } | readonly {
    effective_from?: string | null | undefined;
    input_per_1m?: string | undefined;
    cached_input_per_1m?: string | undefined;
    cache_write_per_1m?: string | undefined;
    cache_write_1h_per_1m?: string | undefined;
    output_per_1m?: string | undefined;
    reasoning_per_1m?: string | undefined;
    audio_input_per_1m?: string | undefined;
    audio_output_per_1m?: string | undefined;
    image_input_per_1m?: string | undefined;
    image_output_per_1m?: string | undefined;
    per_image?: string | undefined;
    per_second?: string | undefined;
    per_clip?: string | undefined;
    per_character?: string | undefined;
    per_request?: string | undefined;
    per_web_search?: string | undefined;
    per_image_variants?: Record<string, string> | undefined;
    per_second_variants?: Record<string, string> | undefined;
    per_clip_variants?: Record<string, string> | undefined;
    tiers?: readonly {
      above_input_tokens: number;
      input_per_1m?: string | undefined;
      cached_input_per_1m?: string | undefined;
      cache_write_per_1m?: string | undefined;
      cache_write_1h_per_1m?: string | undefined;
      output_per_1m?: string | undefined;
      reasoning_per_1m?: string | undefined;
      audio_input_per_1m?: string | undefined;
      audio_output_per_1m?: string | undefined;
      image_input_per_1m?: string | undefined;
      image_output_per_1m?: string | undefined;
      per_image?: string | undefined;
      per_second?: string | undefined;
      per_clip?: string | undefined;
      per_character?: string | undefined;
      per_request?: string | undefined;
      per_web_search?: string | undefined;
      per_image_variants?: Record<string, string> | undefined;
      per_second_variants?: Record<string, string> | undefined;
      per_clip_variants?: Record<string, string> | undefined;
    }[] | null | undefined;
  }[] | null | undefined;
  strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
  cache?: {
    strategy?: 'off' | 'asked' | 'deterministic' | 'exact' | 'semantic' | null | null | undefined;
    ttl_seconds?: number | null | undefined;
    max_temperature?: number | null | undefined;
    coalesce?: boolean | null | undefined;
    semantic?: {
      certainty?: number | null | undefined;
      tools?: boolean | null | undefined;
      media?: boolean | null | undefined;
    } | null | undefined;
  } | null | undefined;
  capabilities?: {
    input?: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[] | null | undefined;
    output?: readonly ('text' | 'image' | 'audio' | 'video' | 'file' | 'embedding' | 'score' | '3d')[] | null | undefined;
    features?: readonly ('streaming' | 'tools' | 'parallel_tools' | 'reasoning' | 'structured_output' | 'json_mode' | 'prompt_caching' | 'web_search' | 'logprobs')[] | null | undefined;
    context?: number | null | undefined;
    max_output?: number | null | undefined;
    dimensions?: number | null | undefined;
  } | null | undefined;
  operations?: readonly ('chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search')[] | null | undefined;
  rules?: readonly {
    name?: string | null | undefined;
    when?: {
      input_tokens?: {
        min?: number | null | undefined;
        max?: number | null | undefined;
      } | null | undefined;
      tools?: boolean | {
        min?: number | null | undefined;
        max?: number | null | undefined;
      } | null | undefined;
      images?: boolean | null | undefined;
      audio?: boolean | null | undefined;
      files?: boolean | null | undefined;
      reasoning_effort?: readonly ('none' | 'minimal' | 'low' | 'medium' | 'high' | 'xhigh' | 'max' | 'unset')[] | null | undefined;
      stream?: boolean | null | undefined;
      tags?: readonly string[] | null | undefined;
      roles?: readonly ('User' | 'Partner' | 'VIP')[] | null | undefined;
      accounts?: readonly string[] | null | undefined;
      keys?: readonly string[] | null | undefined;
      formats?: readonly ('openai-chat' | 'openai-responses' | 'anthropic-messages' | 'gemini' | 'openai-completions' | 'openai-embeddings' | 'openai-moderations' | 'jina-rerank' | 'cohere-rerank' | 'search' | 'openai-images' | 'openai-image-edits' | 'openai-speech' | 'openai-transcriptions' | 'openai-translations' | 'video-task' | 'music-task' | '3d-task')[] | null | undefined;
      time?: {
        days?: readonly ('sun' | 'mon' | 'tue' | 'wed' | 'thu' | 'fri' | 'sat')[] | null | undefined;
        from?: string | null | undefined;
        to?: string | null | undefined;
        zone: string;
      } | null | undefined;
      share?: {
        percent: number;
        by?: 'session' | 'user' | 'key' | 'account' | null | null | undefined;
      } | null | undefined;
    } | null | undefined;
    model: string;
  }[] | null | undefined;
  fallbacks?: readonly string[] | null | undefined;
  guards?: readonly string[] | null | undefined;
  search?: string | null | undefined;
  batch_price_percent?: number | null | undefined;
  tags?: readonly string[] | null | undefined;
};

export type UpdateSettingsRequest = {
  routing?: {
    strategy?: 'weighted' | 'lowest-cost' | 'lowest-latency' | 'least-busy' | null | null | undefined;
    max_attempts?: number | null | undefined;
    deadline_ms?: number | null | undefined;
    cost_in_answers?: boolean | null | undefined;
    queue?: {
      max_waiting?: number | null | undefined;
      max_wait_ms?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  billing?: {
    assumed_output_tokens?: number | null | undefined;
    private_channel_fee_usd?: string | null | undefined;
    when_counters_are_away?: 'local' | 'refuse' | null | null | undefined;
  } | null | undefined;
  discovery?: {
    vendor_key?: string | null | undefined;
    minimum_samples?: number | null | undefined;
    refresh_ms?: number | null | undefined;
  } | null | undefined;
  server?: {
    max_body_bytes?: number | null | undefined;
    max_upload_bytes?: number | null | undefined;
    body_memory_bytes?: number | null | undefined;
    upload_disk_bytes?: number | null | undefined;
    drain_ms?: number | null | undefined;
    shutdown_grace_ms?: number | null | undefined;
    shutdown_write_ms?: number | null | undefined;
    metrics_token?: string | null | undefined;
    trusted_proxies?: readonly string[] | null | undefined;
    cors_origins?: '*' | readonly string[] | null | undefined;
    wrong_keys_per_minute?: number | null | undefined;
    management_requests_per_minute?: number | null | undefined;
    anonymous_requests_per_minute?: number | null | undefined;
    anonymous_requests_in_flight?: number | null | undefined;
    ping_interval_ms?: number | null | undefined;
    max_sockets_per_account?: number | null | undefined;
    max_held_answer_bytes?: number | null | undefined;
    shared_state_bytes?: number | null | undefined;
    public_url?: string | null | undefined;
    max_responses_per_account?: number | null | undefined;
    max_response_bytes_per_account?: number | null | undefined;
  } | null | undefined;
  media?: {
    allow_http?: boolean | null | undefined;
    allowed_ranges?: readonly string[] | null | undefined;
    denied_ranges?: readonly string[] | null | undefined;
    max_bytes?: number | null | undefined;
    max_concurrent?: number | null | undefined;
    max_urls?: number | null | undefined;
    max_held_bytes?: number | null | undefined;
    timeouts?: {
      connect_ms?: number | null | undefined;
      total_ms?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  tasks?: {
    poll_interval_ms?: number | null | undefined;
    polls_per_second?: number | null | undefined;
    max_open_per_account?: number | null | undefined;
    rehost?: boolean | null | undefined;
    max_file_bytes?: number | null | undefined;
    deadline_minutes?: {
      video?: number | null | undefined;
      music?: number | null | undefined;
      '3d'?: number | null | undefined;
      image?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  batches?: {
    price_percent?: number | null | undefined;
    relay_price_percent?: number | null | undefined;
    max_relayed?: number | null | undefined;
    share_percent?: number | null | undefined;
    lines_at_once?: number | null | undefined;
    all_lines_at_once?: number | null | undefined;
    max_lines?: number | null | undefined;
    max_open_per_account?: number | null | undefined;
    max_file_bytes?: number | null | undefined;
    max_files_per_account?: number | null | undefined;
    max_file_bytes_per_account?: number | null | undefined;
  } | null | undefined;
  search?: {
    model?: string | null | undefined;
    max_rounds?: number | null | undefined;
    max_searches?: number | null | undefined;
    results?: number | null | undefined;
  } | null | undefined;
  cache?: {
    memory_mb?: number | null | undefined;
    disk_mb?: number | null | undefined;
    redis_mb?: number | null | undefined;
    max_entry_kb?: number | null | undefined;
    encrypt?: boolean | null | undefined;
    shared?: boolean | null | undefined;
    hit_price_percent?: number | null | undefined;
    strategy?: 'off' | 'asked' | 'deterministic' | 'exact' | 'semantic' | null | null | undefined;
    ttl_seconds?: number | null | undefined;
    max_temperature?: number | null | undefined;
    coalesce?: boolean | null | undefined;
    semantic?: {
      embeddings?: string | null | undefined;
      index_mb?: number | null | undefined;
      certainty?: number | null | undefined;
      tools?: boolean | null | undefined;
      media?: boolean | null | undefined;
    } | null | undefined;
    feedback?: {
      keys?: number | null | undefined;
      block_minutes?: number | null | undefined;
    } | null | undefined;
  } | null | undefined;
  retention?: {
    request_log_days?: number | null | undefined;
    minute_sums_days?: number | null | undefined;
    hour_sums_days?: number | null | undefined;
    ranking_days?: number | null | undefined;
    audit_days?: number | null | undefined;
    captures_days?: number | null | undefined;
    cache_reports_days?: number | null | undefined;
    tasks_days?: number | null | undefined;
    batches_days?: number | null | undefined;
    responses_days?: number | null | undefined;
    alerts_days?: number | null | undefined;
    holds_days?: number | null | undefined;
  } | null | undefined;
  quotas?: {
    keys?: number | null | undefined;
    management_tokens?: number | null | undefined;
    channels?: number | null | undefined;
    channel_models?: number | null | undefined;
    channel_keys?: number | null | undefined;
    members?: number | null | undefined;
    open_invitations?: number | null | undefined;
    alert_rules?: number | null | undefined;
    alert_webhooks?: number | null | undefined;
  } | null | undefined;
  usage?: {
    end_users?: 'hashed' | 'plain' | 'off' | null | null | undefined;
  } | null | undefined;
  seller?: {
    name?: string | null | undefined;
    address?: readonly string[] | null | undefined;
    tax_id?: string | null | undefined;
    email?: string | null | undefined;
  } | null | undefined;
  sign_in?: {
    registration?: 'closed' | 'open' | null | null | undefined;
    require_two_factor?: 'none' | 'operators' | 'all' | null | null | undefined;
    session_hours?: number | null | undefined;
    invitation_days?: number | null | undefined;
    oidc?: readonly {
      id: string;
      name?: string | null | undefined;
      issuer: string;
      client_id: string;
      client_secret: string;
      scopes?: readonly string[] | null | undefined;
      may_create_users?: boolean | null | undefined;
      account?: string | null | undefined;
      role?: 'owner' | 'member' | 'viewer' | null | null | undefined;
      second_factor?: boolean | null | undefined;
    }[] | null | undefined;
  } | null | undefined;
  mail?: {
    smtp_url?: string | null | undefined;
    from?: string | null | undefined;
    max_per_hour?: number | null | undefined;
    max_per_recipient_per_hour?: number | null | undefined;
    max_per_account_per_hour?: number | null | undefined;
  } | null | undefined;
  branding?: {
    name?: string | null | undefined;
    logo?: string | null | undefined;
    accent_color?: string | null | undefined;
    support_address?: string | null | undefined;
  } | null | undefined;
  telemetry?: {
    enabled?: boolean | null | undefined;
    service_name?: string | null | undefined;
    resource_attributes?: readonly string[] | null | undefined;
    otlp?: {
      endpoint?: string | null | undefined;
      headers?: readonly string[] | null | undefined;
      gzip?: boolean | null | undefined;
      timeout_ms?: number | null | undefined;
      ca_file?: string | null | undefined;
      client_certificate_file?: string | null | undefined;
      client_key_file?: string | null | undefined;
    } | null | undefined;
    traces?: {
      enabled?: boolean | null | undefined;
      otlp?: {
        endpoint?: string | null | undefined;
        headers?: readonly string[] | null | undefined;
        gzip?: boolean | null | undefined;
        timeout_ms?: number | null | undefined;
        ca_file?: string | null | undefined;
        client_certificate_file?: string | null | undefined;
        client_key_file?: string | null | undefined;
      } | null | undefined;
      sample_ratio?: number | null | undefined;
      follow_client?: boolean | null | undefined;
      always_on_error?: boolean | null | undefined;
      always_above_ms?: number | null | undefined;
      client_address?: boolean | null | undefined;
      tags?: boolean | null | undefined;
      queue_spans?: number | null | undefined;
      batch_spans?: number | null | undefined;
      delay_ms?: number | null | undefined;
      export_timeout_ms?: number | null | undefined;
      content_accounts?: readonly string[] | null | undefined;
      content_bytes?: number | null | undefined;
    } | null | undefined;
    metrics?: {
      enabled?: boolean | null | undefined;
      otlp?: {
        endpoint?: string | null | undefined;
        headers?: readonly string[] | null | undefined;
        gzip?: boolean | null | undefined;
        timeout_ms?: number | null | undefined;
        ca_file?: string | null | undefined;
        client_certificate_file?: string | null | undefined;
        client_key_file?: string | null | undefined;
      } | null | undefined;
      interval_ms?: number | null | undefined;
      export_timeout_ms?: number | null | undefined;
    } | null | undefined;
    logs?: {
      enabled?: boolean | null | undefined;
      otlp?: {
        endpoint?: string | null | undefined;
        headers?: readonly string[] | null | undefined;
        gzip?: boolean | null | undefined;
        timeout_ms?: number | null | undefined;
        ca_file?: string | null | undefined;
        client_certificate_file?: string | null | undefined;
        client_key_file?: string | null | undefined;
      } | null | undefined;
      queue_lines?: number | null | undefined;
      batch_lines?: number | null | undefined;
      delay_ms?: number | null | undefined;
      export_timeout_ms?: number | null | undefined;
    } | null | undefined;
    account_metrics?: boolean | null | undefined;
    trace_url?: string | null | undefined;
    forward_ids?: readonly ('request_id' | 'trace')[] | null | undefined;
  } | null | undefined;
  logs?: {
    level?: string | null | undefined;
    format?: 'json' | 'pretty' | null | null | undefined;
    sample_successes?: number | null | undefined;
    slow_ms?: number | null | undefined;
    access_log?: string | null | undefined;
  } | null | undefined;
};

export type UpdateTokenRequest = {
  name?: string | null | undefined;
  expires_at?: string | null | undefined;
  scopes?: readonly ('*' | '*:read' | 'account:read' | 'account:write' | 'accounts:read' | 'accounts:write' | 'alerts:read' | 'alerts:write' | 'audit:read' | 'balance:read' | 'balance:write' | 'batches:read' | 'batches:write' | 'cache:read' | 'cache:write' | 'captures:read' | 'captures:write' | 'catalog:read' | 'catalog:write' | 'channels:read' | 'channels:write' | 'keys:read' | 'keys:write' | 'limits:read' | 'limits:write' | 'members:read' | 'members:write' | 'models:read' | 'models:write' | 'requests:read' | 'settings:read' | 'settings:write' | 'system:read' | 'system:write' | 'tasks:read' | 'tasks:write' | 'tokens:read' | 'tokens:write' | 'usage:read')[] | null | undefined;
};

export type UpdateUserRequest = {
  name?: string | null | undefined;
  operator?: boolean | null | undefined;
  disabled?: boolean | null | undefined;
};

export type UpstreamKey = {
  name: string;
  key_preview: string | null;
  weight: number;
  enabled: boolean;
  spend_cap: {
    usd: string;
    per: 'day' | 'month' | 'total';
    time_zone: string;
  } | null;
  spent_usd: string;
  resets_at: string | null;
  state: 'ready' | 'probing' | 'resting' | 'capped' | 'disabled' | 'blocked';
  resting_until: string | null;
  block: { at: string; reason: string } | null;
  reset_at: string | null;
  requests: number;
  failures: number;
  first_byte_ms: number | null;
  last_failure: string | null;
  last_failure_at: string | null;
};

export type Usage = {
  object: 'usage';
  data: readonly {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms?: number | null | undefined;
    latency_p95_ms?: number | null | undefined;
    latency_p99_ms?: number | null | undefined;
    from: string;
    to: string;
    account?: string | undefined;
    account_name?: string | null | undefined;
    key?: string | null | undefined;
    key_name?: string | null | undefined;
    model?: string | null | undefined;
    channel?: string | null | undefined;
    channel_name?: string | null | undefined;
    status?: number | null | undefined;
    tag?: string | null | undefined;
  }[];
  total: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms?: number | null | undefined;
    latency_p95_ms?: number | null | undefined;
    latency_p99_ms?: number | null | undefined;
  };
  has_more: boolean;
  next: string | null;
};

export type UsageBreakdown = {
  object: 'usage_breakdown';
  from: string;
  to: string;
  group_by: readonly string[];
  metric: 'spend' | 'requests' | 'errors' | 'error_rate' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'cache_hits' | 'latency_p50' | 'latency_p95' | 'latency_p99';
  total: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
  };
  data: readonly {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
    account?: string | undefined;
    account_name?: string | null | undefined;
    key?: string | null | undefined;
    key_name?: string | null | undefined;
    model?: string | null | undefined;
    channel?: string | null | undefined;
    channel_name?: string | null | undefined;
    status?: number | null | undefined;
    tag?: string | null | undefined;
    within: {
      data: readonly {
        requests: number;
        errors: number;
        cache_hits: number;
        input_tokens: number;
        cached_input_tokens: number;
        cache_write_tokens: number;
        output_tokens: number;
        reasoning_tokens: number;
        latency_ms: number | null;
        first_byte_ms: number | null;
        cost_usd: string;
        saved_usd: string;
        unpriced_requests: number;
        latency_p50_ms: number | null;
        latency_p95_ms: number | null;
        latency_p99_ms: number | null;
        account?: string | undefined;
        account_name?: string | null | undefined;
        key?: string | null | undefined;
        key_name?: string | null | undefined;
        model?: string | null | undefined;
        channel?: string | null | undefined;
        channel_name?: string | null | undefined;
        status?: number | null | undefined;
        tag?: string | null | undefined;
      }[];
      others: {
        requests: number;
        errors: number;
        cache_hits: number;
        input_tokens: number;
        cached_input_tokens: number;
        cache_write_tokens: number;
        output_tokens: number;
        reasoning_tokens: number;
        latency_ms: number | null;
        first_byte_ms: number | null;
        cost_usd: string;
        saved_usd: string;
        unpriced_requests: number;
        latency_p50_ms: number | null;
        latency_p95_ms: number | null;
        latency_p99_ms: number | null;
      } | null;
    } | null;
  }[];
  others: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
  } | null;
  series: readonly {
    from: string;
    to: string;
    total: string | number | null;
    values: readonly (string | number | null)[];
    others: string | number | null;
  }[];
};

export type UsageOverview = {
  object: 'usage_overview';
  from: string;
  to: string;
  total: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
  };
  previous: {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
    from: string;
    to: string;
  };
  series: readonly {
    requests: number;
    errors: number;
    cache_hits: number;
    input_tokens: number;
    cached_input_tokens: number;
    cache_write_tokens: number;
    output_tokens: number;
    reasoning_tokens: number;
    latency_ms: number | null;
    first_byte_ms: number | null;
    cost_usd: string;
    saved_usd: string;
    unpriced_requests: number;
    latency_p50_ms: number | null;
    latency_p95_ms: number | null;
    latency_p99_ms: number | null;
    from: string;
    to: string;
  }[];
  models: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      model: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  };
  keys: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      key: string | null;
      key_name: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  } | null;
  accounts: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      account: string;
      account_name: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  } | null;
  channels: {
    data: readonly {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
      channel: string | null;
      channel_name: string | null;
    }[];
    others: {
      requests: number;
      errors: number;
      cache_hits: number;
      input_tokens: number;
      cached_input_tokens: number;
      cache_write_tokens: number;
      output_tokens: number;
      reasoning_tokens: number;
      latency_ms: number | null;
      first_byte_ms: number | null;
      cost_usd: string;
      saved_usd: string;
      unpriced_requests: number;
    } | null;
  };
  errors: readonly { status: number | null; errors: number }[];
};

export type UsageTags = {
  object: 'usage_tags';
  end_users: 'hashed' | 'plain' | 'off';
  data: readonly {
    key: string;
    requests: number;
    values: readonly { value: string; requests: number }[];
  }[];
};

export type User = {
  object: 'user';
  id: string;
  email: string;
  email_verified: boolean;
  name: string;
  operator: boolean;
  two_factor_enabled: boolean;
  memberships: readonly { account: string; role: 'owner' | 'member' | 'viewer' }[];
  created_at: string;
  disabled_at: string | null;
};

export type UserErasure = {
  object: 'user_erasure';
  id: string;
  dry_run: boolean;
  pseudonym: string | null;
  removed: {
    passwords: number;
    issuers: number;
    passkeys: number;
    two_factors: number;
    sessions: number;
    verifications: number;
    attempts: number;
    memberships: number;
    invitations: number;
    alert_events: number;
    mail_targets: number;
  };
  rewritten: { audit_entries: number; account_names: number };
};

/** The parameters and the result of each operation. */
export interface Operations {
  acceptInvitation: {
    params: undefined;
    query: undefined;
    body: AcceptInvitationRequest;
    answer: User;
  };
  adjustBalance: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: AdjustBalanceRequest;
    answer: ChangedBalance;
  };
  archiveAccount: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Account;
  };
  askForPasswordReset: {
    params: undefined;
    query: undefined;
    body: AskForPasswordResetRequest;
    answer: MailRequest;
  };
  cancelManagedBatch: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownBatch;
  };
  cancelManagedTask: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownTask;
  };
  clearCache: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ClearCacheAnswer;
  };
  clearCaptures: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ClearCapturesAnswer;
  };
  listAccounts: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      q?: string | undefined;
      role?: 'User' | 'Partner' | 'VIP' | undefined;
      billing?: 'prepaid' | 'unlimited' | undefined;
      state?: 'active' | 'archived' | undefined;
      sort?: 'name' | 'created_at' | 'balance' | 'free' | 'last_active_at' | 'spent_30d' | undefined;
      order?: 'asc' | 'desc' | undefined;
      figures?: boolean | undefined;
    };
    body: undefined;
    answer: ListAccountsAnswer;
  };
  createAccount: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateAccountRequest;
    answer: Account;
  };
  listAlertRules: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListAlertRulesAnswer;
  };
  createAlertRule: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateAlertRuleRequest;
    answer: AlertRule;
  };
  listAlertWebhooks: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListAlertWebhooksAnswer;
  };
  createAlertWebhook: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateAlertWebhookRequest;
    answer: CreatedAlertWebhook;
  };
  listChannels: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      provider?: string | undefined;
      scope?: 'platform' | 'private' | undefined;
      state?: 'ready' | 'probing' | 'resting' | 'disabled' | 'blocked' | undefined;
    };
    body: undefined;
    answer: ListChannelsAnswer;
  };
  createChannel: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateChannelRequest;
    answer: Channel;
  };
  listGuards: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListGuardsAnswer;
  };
  createGuard: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateGuardRequest;
    answer: Guard;
  };
  listInvitations: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      open?: boolean | undefined;
    };
    body: undefined;
    answer: ListInvitationsAnswer;
  };
  createInvitation: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateInvitationRequest;
    answer: CreatedInvitation;
  };
  listKeys: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      sort?: 'name' | 'created_at' | 'last_used_at' | 'expires_at' | 'spent' | 'spent_7d' | undefined;
      order?: 'asc' | 'desc' | undefined;
      q?: string | undefined;
      state?: 'active' | 'expired' | 'revoked' | undefined;
    };
    body: undefined;
    answer: ListKeysAnswer;
  };
  createKey: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateKeyRequest | undefined;
    answer: CreatedKey;
  };
  createPlaygroundKey: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Key;
  };
  createResetLink: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ResetLink;
  };
  listTokens: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListTokensAnswer;
  };
  createToken: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: CreateTokenRequest;
    answer: CreatedToken;
  };
  listManagedModels: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      status?: 'public' | 'hidden' | 'hold' | undefined;
      category?: 'chat' | 'image' | 'video' | 'audio' | 'tts' | 'stt' | 'music' | '3d' | 'embedding' | 'rerank' | 'translation' | undefined;
      provider?: string | undefined;
      owned_by?: string | undefined;
      q?: string | undefined;
      operation?: 'chat.completions' | 'responses' | 'messages' | 'generate_content' | 'embeddings' | 'rerank' | 'images.generations' | 'images.edits' | 'audio.speech' | 'audio.transcriptions' | 'audio.translations' | 'videos.generations' | 'music.generations' | '3d.generations' | 'moderations' | 'search' | undefined;
      capability?: string | undefined;
      declared?: boolean | undefined;
    };
    body: undefined;
    answer: ListManagedModelsAnswer;
  };
  declareModel: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: DeclareModelRequest;
    answer: ShownModel;
  };
  getAlertRule: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertRule;
  };
  updateAlertRule: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateAlertRuleRequest;
    answer: AlertRule;
  };
  deleteAlertRule: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getAlertWebhook: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertWebhook;
  };
  updateAlertWebhook: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateAlertWebhookRequest;
    answer: ChangedAlertWebhook;
  };
  deleteAlertWebhook: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Channel;
  };
  updateChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateChannelRequest;
    answer: Channel;
  };
  deleteChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: DeleteChannelAnswer;
  };
  getGuard: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Guard;
  };
  updateGuard: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateGuardRequest;
    answer: Guard;
  };
  deleteGuard: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getManagedFile: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ManagedFile;
  };
  deleteManagedFile: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  disableChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: DisabledChannel;
  };
  disableUpstreamKey: {
    params: { id: string; key: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Channel;
  };
  enableChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Channel;
  };
  enableUpstreamKey: {
    params: { id: string; key: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Channel;
  };
  raiseAccountBudget: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: RaiseAccountBudgetRequest;
    answer: Account;
  };
  endAccountBudgetRaise: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Account;
  };
  raiseKeyBudget: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: RaiseKeyBudgetRequest;
    answer: Key;
  };
  endKeyBudgetRaise: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Key;
  };
  getAccountById: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ListedAccount;
  };
  updateAccountById: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateAccountByIdRequest;
    answer: Account;
  };
  eraseAccount: {
    params: { id: string };
    query: {
      account_id?: string | undefined;
      dry_run?: 'true' | 'false' | undefined;
    };
    body: undefined;
    answer: AccountErasure;
  };
  findEndUser: {
    params: { name: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: EndUser;
  };
  eraseEndUser: {
    params: { name: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: EndUserErasure;
  };
  getUser: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ListedUser;
  };
  updateUser: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateUserRequest;
    answer: ListedUser;
  };
  eraseUser: {
    params: { id: string };
    query: {
      account_id?: string | undefined;
      dry_run?: 'true' | 'false' | undefined;
    };
    body: undefined;
    answer: UserErasure;
  };
  explainRouting: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: ExplainRoutingRequest;
    answer: RoutingExplanation;
  };
  exportAudit: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      actor_kind?: 'person' | 'token' | 'command_line' | 'file' | 'environment' | 'gateway' | undefined;
      actor?: string | undefined;
      action?: string | undefined;
      object_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      order?: 'newest' | 'oldest' | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  exportLedger: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      key?: string | undefined;
      kind?: 'grant' | 'charge' | 'refund' | 'adjustment' | undefined;
      from?: string | undefined;
      to?: string | undefined;
      format?: 'csv' | 'jsonl' | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  exportRequests: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      upstream_key?: string | undefined;
      batch?: string | undefined;
      provider?: string | undefined;
      format?: 'csv' | 'jsonl' | undefined;
      status?: string | undefined;
      error_code?: string | undefined;
      failure_kind?: string | undefined;
      failed?: boolean | undefined;
      stream?: boolean | undefined;
      client_gone?: boolean | undefined;
      cached?: boolean | undefined;
      tag?: string | undefined;
      client_request_id?: string | undefined;
      trace_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      min_latency_ms?: number | undefined;
      max_latency_ms?: number | undefined;
      min_cost_usd?: string | undefined;
      max_cost_usd?: string | undefined;
      client_format?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  exportStatement: {
    params: { month: string };
    query: {
      account_id?: string | undefined;
      time_zone?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  exportStatements: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      time_zone?: string | undefined;
      month?: string | undefined;
      format?: 'csv' | 'jsonl' | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  exportUsage: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      bucket?: 'none' | 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
      time_zone?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      status?: number | undefined;
      tag?: string | undefined;
      group_by?: string | undefined;
      format?: 'csv' | 'jsonl' | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  failTask: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: FailTaskRequest;
    answer: ShownTask;
  };
  getAccount: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Account;
  };
  updateAccount: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: UpdateAccountRequest;
    answer: Account;
  };
  getAlertDelivery: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertDelivery;
  };
  getAlertEvent: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertEvent;
  };
  getBalance: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Balance;
  };
  getCacheEntry: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownCacheEntry;
  };
  invalidateCacheEntry: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getCacheStatistics: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: CacheStatistics;
  };
  getCapture: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Capture;
  };
  getChannelImpact: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ChannelImpact;
  };
  getChannelLoad: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ChannelLoad;
  };
  getInvitation: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Invitation;
  };
  revokeInvitation: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Invitation;
  };
  getKey: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Key;
  };
  updateKey: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateKeyRequest;
    answer: Key;
  };
  revokeKey: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Key;
  };
  getLimits: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Limits;
  };
  getManagedBatch: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownBatch;
  };
  getManagedFileContent: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getManagedModel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownModel;
  };
  updateModel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateModelRequest;
    answer: ShownModel;
  };
  removeModelDeclaration: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getManagedTask: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownTask;
  };
  getMe: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Me;
  };
  getMember: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Member;
  };
  updateMember: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateMemberRequest;
    answer: Member;
  };
  removeMember: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: undefined;
  };
  getProvider: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Provider;
  };
  getRequest: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownRequest;
  };
  getSettings: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Settings;
  };
  updateSettings: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: UpdateSettingsRequest;
    answer: Settings;
  };
  getSignInOptions: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: SignInOptions;
  };
  getStatement: {
    params: { month: string };
    query: {
      account_id?: string | undefined;
      time_zone?: string | undefined;
    };
    body: undefined;
    answer: MonthStatement;
  };
  getSystem: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: System;
  };
  getToken: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Token;
  };
  updateToken: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: UpdateTokenRequest;
    answer: Token;
  };
  revokeToken: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Token;
  };
  getUsage: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      bucket?: 'none' | 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
      time_zone?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      status?: number | undefined;
      tag?: string | undefined;
      group_by?: string | undefined;
      percentiles?: boolean | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: Usage;
  };
  getUsageBreakdown: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      bucket?: 'none' | 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
      time_zone?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      status?: number | undefined;
      tag?: string | undefined;
      group_by?: string | undefined;
      metric?: 'spend' | 'requests' | 'errors' | 'error_rate' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'cache_hits' | 'latency_p50' | 'latency_p95' | 'latency_p99' | undefined;
      rank_by?: 'spend' | 'requests' | 'errors' | 'error_rate' | 'input_tokens' | 'cached_input_tokens' | 'output_tokens' | 'cache_hits' | 'latency_p50' | 'latency_p95' | 'latency_p99' | undefined;
      top?: number | undefined;
      top_within?: number | undefined;
    };
    body: undefined;
    answer: UsageBreakdown;
  };
  getUsageOverview: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      bucket?: 'none' | 'minute' | 'hour' | 'day' | 'week' | 'month' | undefined;
      time_zone?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      status?: number | undefined;
      tag?: string | undefined;
      top?: number | undefined;
    };
    body: undefined;
    answer: UsageOverview;
  };
  grantBalance: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: GrantBalanceRequest;
    answer: ChangedBalance;
  };
  listActiveAlerts: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListActiveAlertsAnswer;
  };
  listAlertDeliveries: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      state?: 'pending' | 'delivered' | 'failed' | undefined;
      webhook?: string | undefined;
      event?: string | undefined;
    };
    body: undefined;
    answer: ListAlertDeliveriesAnswer;
  };
  listAlertEvents: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      type?: 'alert.raised' | 'alert.repeated' | 'alert.resolved' | 'alert.test' | 'alert.target_disabled' | undefined;
      rule?: string | undefined;
    };
    body: undefined;
    answer: ListAlertEventsAnswer;
  };
  listAudit: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      actor_kind?: 'person' | 'token' | 'command_line' | 'file' | 'environment' | 'gateway' | undefined;
      actor?: string | undefined;
      action?: string | undefined;
      object_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      order?: 'newest' | 'oldest' | undefined;
    };
    body: undefined;
    answer: ListAuditAnswer;
  };
  listCacheEntries: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListCacheEntriesAnswer;
  };
  listCacheReports: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      entry?: string | undefined;
    };
    body: undefined;
    answer: ListCacheReportsAnswer;
  };
  listChannelTraffic: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      provider?: string | undefined;
      scope?: 'platform' | 'private' | undefined;
    };
    body: undefined;
    answer: ListChannelTrafficAnswer;
  };
  listExports: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ExportList;
  };
  listKeyLimits: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListKeyLimitsAnswer;
  };
  listLedger: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      key?: string | undefined;
      kind?: 'grant' | 'charge' | 'refund' | 'adjustment' | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
    body: undefined;
    answer: ListLedgerAnswer;
  };
  listManagedBatches: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      api?: 'openai' | 'anthropic' | undefined;
      stage?: 'validating' | 'running' | 'finalizing' | 'completed' | 'failed' | 'expired' | 'cancelled' | undefined;
      open?: boolean | undefined;
      key?: string | undefined;
    };
    body: undefined;
    answer: ListManagedBatchesAnswer;
  };
  listManagedFiles: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      purpose?: 'batch' | 'batch_output' | undefined;
    };
    body: undefined;
    answer: ListManagedFilesAnswer;
  };
  listManagedTasks: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      kind?: 'video' | 'music' | '3d' | 'image' | undefined;
      stage?: 'created' | 'submitting' | 'submitted' | 'closing' | 'completed' | 'failed' | undefined;
      open?: boolean | undefined;
      status?: 'pending' | 'processing' | 'completed' | 'failed' | undefined;
      channel?: string | undefined;
      model?: string | undefined;
      key?: string | undefined;
    };
    body: undefined;
    answer: ListManagedTasksAnswer;
  };
  listMembers: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListMembersAnswer;
  };
  listProviders: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: ListProvidersAnswer;
  };
  listReachableModels: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ReachableModels;
  };
  listRequests: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      upstream_key?: string | undefined;
      batch?: string | undefined;
      provider?: string | undefined;
      format?: string | undefined;
      status?: string | undefined;
      error_code?: string | undefined;
      failure_kind?: string | undefined;
      failed?: boolean | undefined;
      stream?: boolean | undefined;
      client_gone?: boolean | undefined;
      cached?: boolean | undefined;
      tag?: string | undefined;
      client_request_id?: string | undefined;
      trace_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      min_latency_ms?: number | undefined;
      max_latency_ms?: number | undefined;
      min_cost_usd?: string | undefined;
      max_cost_usd?: string | undefined;
    };
    body: undefined;
    answer: ListRequestsAnswer;
  };
  listRunningRequests: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
    };
    body: undefined;
    answer: RunningRequests;
  };
  listSessions: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: ListSessionsAnswer;
  };
  revokeSessions: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: RevokeSessionsAnswer;
  };
  listStatements: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      time_zone?: string | undefined;
    };
    body: undefined;
    answer: ListStatementsAnswer;
  };
  listUsageTags: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
    };
    body: undefined;
    answer: UsageTags;
  };
  listUsers: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      limit?: number | undefined;
      after?: string | undefined;
      search?: string | undefined;
      sort?: 'email' | 'name' | 'created_at' | 'last_active_at' | undefined;
      order?: 'asc' | 'desc' | undefined;
    };
    body: undefined;
    answer: ListUsersAnswer;
  };
  listUserSessions: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ListUserSessionsAnswer;
  };
  revokeUserSessions: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: RevokeUserSessionsAnswer;
  };
  lookUpInvitation: {
    params: undefined;
    query: undefined;
    body: LookUpInvitationRequest;
    answer: InvitationLink;
  };
  orderChannels: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: OrderChannelsRequest;
    answer: ChannelOrder;
  };
  probeChannel: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: ProbeChannelRequest;
    answer: ChannelProbe;
  };
  redeliverAlert: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertDelivery;
  };
  register: {
    params: undefined;
    query: undefined;
    body: RegisterRequest;
    answer: MailRequest;
  };
  reportCacheEntry: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: ReportCacheEntryRequest;
    answer: CacheReportOutcome;
  };
  resetChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Channel;
  };
  resetPassword: {
    params: undefined;
    query: undefined;
    body: ResetPasswordRequest;
    answer: undefined;
  };
  resetUpstreamKey: {
    params: { id: string; key: string };
    query: { account_id?: string | undefined };
    body: ResetUpstreamKeyRequest | undefined;
    answer: Channel;
  };
  restoreAccount: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: Account;
  };
  retryTaskPoll: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: ShownTask;
  };
  revokeSession: {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  rotateAlertWebhook: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertWebhookWithSecret;
  };
  rotateKey: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: RotateKeyRequest | undefined;
    answer: CreatedKey;
  };
  rotateToken: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: RotateTokenRequest | undefined;
    answer: CreatedToken;
  };
  sendTestMail: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: MailTest;
  };
  syncCatalog: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: SyncCatalogRequest;
    answer: CatalogSync;
  };
  testAlertWebhook: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: undefined;
    answer: AlertDelivery;
  };
  testChannel: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: TestChannelRequest | undefined;
    answer: ChannelTest;
  };
  testGuard: {
    params: { id: string };
    query: { account_id?: string | undefined };
    body: TestGuardRequest;
    answer: GuardTest;
  };
  verifyLedger: {
    params: undefined;
    query: { account_id?: string | undefined };
    body: undefined;
    answer: LedgerReport;
  };
  watchRequests: {
    params: undefined;
    query: {
      account_id?: string | undefined;
      key?: string | undefined;
      model?: string | undefined;
      channel?: string | undefined;
      upstream_key?: string | undefined;
      batch?: string | undefined;
      provider?: string | undefined;
      format?: string | undefined;
      status?: string | undefined;
      error_code?: string | undefined;
      failure_kind?: string | undefined;
      failed?: boolean | undefined;
      stream?: boolean | undefined;
      client_gone?: boolean | undefined;
      cached?: boolean | undefined;
      tag?: string | undefined;
      client_request_id?: string | undefined;
      trace_id?: string | undefined;
      from?: string | undefined;
      to?: string | undefined;
      min_latency_ms?: number | undefined;
      max_latency_ms?: number | undefined;
      min_cost_usd?: string | undefined;
      max_cost_usd?: string | undefined;
      complete?: boolean | undefined;
      after?: string | undefined;
    };
    body: undefined;
    answer: undefined;
  };
  authSignInEmail: {
    params: undefined;
    query: undefined;
    body: AuthSignInEmailRequest;
    answer: AuthSignInEmailAnswer;
  };
  authSignInSocial: {
    params: undefined;
    query: undefined;
    body: AuthSignInSocialRequest;
    answer: AuthSignInSocialAnswer;
  };
  authCallback: {
    params: { id: string };
    query: undefined;
    body: undefined;
    answer: undefined;
  };
  authSignOut: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Record<string, unknown>;
  };
  authChangePassword: {
    params: undefined;
    query: undefined;
    body: AuthChangePasswordRequest;
    answer: Record<string, unknown>;
  };
  authUpdateUser: {
    params: undefined;
    query: undefined;
    body: AuthUpdateUserRequest;
    answer: Record<string, unknown>;
  };
  authTwoFactorEnable: {
    params: undefined;
    query: undefined;
    body: AuthTwoFactorEnableRequest;
    answer: AuthTwoFactorEnableAnswer;
  };
  authTwoFactorVerifyTotp: {
    params: undefined;
    query: undefined;
    body: AuthTwoFactorVerifyTotpRequest;
    answer: AuthTwoFactorVerifyTotpAnswer;
  };
  authTwoFactorVerifyBackupCode: {
    params: undefined;
    query: undefined;
    body: AuthTwoFactorVerifyBackupCodeRequest;
    answer: AuthTwoFactorVerifyBackupCodeAnswer;
  };
  authTwoFactorDisable: {
    params: undefined;
    query: undefined;
    body: AuthTwoFactorDisableRequest;
    answer: Record<string, unknown>;
  };
  authTwoFactorGenerateBackupCodes: {
    params: undefined;
    query: undefined;
    body: AuthTwoFactorGenerateBackupCodesRequest;
    answer: AuthTwoFactorGenerateBackupCodesAnswer;
  };
  authPasskeyGenerateRegisterOptions: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Record<string, unknown>;
  };
  authPasskeyVerifyRegistration: {
    params: undefined;
    query: undefined;
    body: AuthPasskeyVerifyRegistrationRequest;
    answer: Record<string, unknown>;
  };
  authPasskeyGenerateAuthenticateOptions: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: Record<string, unknown>;
  };
  authPasskeyVerifyAuthentication: {
    params: undefined;
    query: undefined;
    body: AuthPasskeyVerifyAuthenticationRequest;
    answer: Record<string, unknown>;
  };
  authPasskeyListUserPasskeys: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: readonly {
      id: string;
      name?: string | null | undefined;
      createdAt?: string | null | undefined;
    }[];
  };
  authPasskeyUpdatePasskey: {
    params: undefined;
    query: undefined;
    body: AuthPasskeyUpdatePasskeyRequest;
    answer: Record<string, unknown>;
  };
  authPasskeyDeletePasskey: {
    params: undefined;
    query: undefined;
    body: AuthPasskeyDeletePasskeyRequest;
    answer: Record<string, unknown>;
  };
  authListAccounts: {
    params: undefined;
    query: undefined;
    body: undefined;
    answer: readonly { id: string; providerId: string; accountId: string }[];
  };
  authLinkSocial: {
    params: undefined;
    query: undefined;
    body: AuthLinkSocialRequest;
    answer: AuthLinkSocialAnswer;
  };
  authUnlinkAccount: {
    params: undefined;
    query: undefined;
    body: AuthUnlinkAccountRequest;
    answer: Record<string, unknown>;
  };
}

/** Method and path of each operation. */
export const PATHS = {
  acceptInvitation: ['post', '/v1/management/invitations/accept'],
  adjustBalance: ['post', '/v1/management/balance/adjustments'],
  archiveAccount: ['post', '/v1/management/accounts/{id}/archive'],
  askForPasswordReset: ['post', '/v1/management/password-resets'],
  cancelManagedBatch: ['post', '/v1/management/batches/{id}/cancel'],
  cancelManagedTask: ['post', '/v1/management/tasks/{id}/cancel'],
  clearCache: ['post', '/v1/management/cache/clear'],
  clearCaptures: ['delete', '/v1/management/captures'],
  listAccounts: ['get', '/v1/management/accounts'],
  createAccount: ['post', '/v1/management/accounts'],
  listAlertRules: ['get', '/v1/management/alerts/rules'],
  createAlertRule: ['post', '/v1/management/alerts/rules'],
  listAlertWebhooks: ['get', '/v1/management/alerts/webhooks'],
  createAlertWebhook: ['post', '/v1/management/alerts/webhooks'],
  listChannels: ['get', '/v1/management/channels'],
  createChannel: ['post', '/v1/management/channels'],
  listGuards: ['get', '/v1/management/guards'],
  createGuard: ['post', '/v1/management/guards'],
  listInvitations: ['get', '/v1/management/invitations'],
  createInvitation: ['post', '/v1/management/invitations'],
  listKeys: ['get', '/v1/management/keys'],
  createKey: ['post', '/v1/management/keys'],
  createPlaygroundKey: ['post', '/v1/management/playground-key'],
  createResetLink: ['post', '/v1/management/users/{id}/reset-link'],
  listTokens: ['get', '/v1/management/tokens'],
  createToken: ['post', '/v1/management/tokens'],
  listManagedModels: ['get', '/v1/management/models'],
  declareModel: ['post', '/v1/management/models'],
  getAlertRule: ['get', '/v1/management/alerts/rules/{id}'],
  updateAlertRule: ['patch', '/v1/management/alerts/rules/{id}'],
  deleteAlertRule: ['delete', '/v1/management/alerts/rules/{id}'],
  getAlertWebhook: ['get', '/v1/management/alerts/webhooks/{id}'],
  updateAlertWebhook: ['patch', '/v1/management/alerts/webhooks/{id}'],
  deleteAlertWebhook: ['delete', '/v1/management/alerts/webhooks/{id}'],
  getChannel: ['get', '/v1/management/channels/{id}'],
  updateChannel: ['patch', '/v1/management/channels/{id}'],
  deleteChannel: ['delete', '/v1/management/channels/{id}'],
  getGuard: ['get', '/v1/management/guards/{id}'],
  updateGuard: ['patch', '/v1/management/guards/{id}'],
  deleteGuard: ['delete', '/v1/management/guards/{id}'],
  getManagedFile: ['get', '/v1/management/files/{id}'],
  deleteManagedFile: ['delete', '/v1/management/files/{id}'],
  disableChannel: ['post', '/v1/management/channels/{id}/disable'],
  disableUpstreamKey: ['post', '/v1/management/channels/{id}/keys/{key}/disable'],
  enableChannel: ['post', '/v1/management/channels/{id}/enable'],
  enableUpstreamKey: ['post', '/v1/management/channels/{id}/keys/{key}/enable'],
  raiseAccountBudget: ['post', '/v1/management/accounts/{id}/budget/raise'],
  endAccountBudgetRaise: ['delete', '/v1/management/accounts/{id}/budget/raise'],
  raiseKeyBudget: ['post', '/v1/management/keys/{id}/budget/raise'],
  endKeyBudgetRaise: ['delete', '/v1/management/keys/{id}/budget/raise'],
  getAccountById: ['get', '/v1/management/accounts/{id}'],
  updateAccountById: ['patch', '/v1/management/accounts/{id}'],
  eraseAccount: ['delete', '/v1/management/accounts/{id}'],
  findEndUser: ['get', '/v1/management/usage/end-users/{name}'],
  eraseEndUser: ['delete', '/v1/management/usage/end-users/{name}'],
  getUser: ['get', '/v1/management/users/{id}'],
  updateUser: ['patch', '/v1/management/users/{id}'],
  eraseUser: ['delete', '/v1/management/users/{id}'],
  explainRouting: ['post', '/v1/management/routing/explain'],
  exportAudit: ['get', '/v1/management/audit/export'],
  exportLedger: ['get', '/v1/management/ledger/export'],
  exportRequests: ['get', '/v1/management/requests/export'],
  exportStatement: ['get', '/v1/management/statements/{month}/csv'],
  exportStatements: ['get', '/v1/management/statements/export'],
  exportUsage: ['get', '/v1/management/usage/export'],
  failTask: ['post', '/v1/management/tasks/{id}/fail'],
  getAccount: ['get', '/v1/management/account'],
  updateAccount: ['patch', '/v1/management/account'],
  getAlertDelivery: ['get', '/v1/management/alerts/deliveries/{id}'],
  getAlertEvent: ['get', '/v1/management/alerts/events/{id}'],
  getBalance: ['get', '/v1/management/balance'],
  getCacheEntry: ['get', '/v1/management/cache/entries/{id}'],
  invalidateCacheEntry: ['delete', '/v1/management/cache/entries/{id}'],
  getCacheStatistics: ['get', '/v1/management/cache/statistics'],
  getCapture: ['get', '/v1/management/requests/{id}/capture'],
  getChannelImpact: ['get', '/v1/management/channels/{id}/impact'],
  getChannelLoad: ['get', '/v1/management/channels/{id}/load'],
  getInvitation: ['get', '/v1/management/invitations/{id}'],
  revokeInvitation: ['delete', '/v1/management/invitations/{id}'],
  getKey: ['get', '/v1/management/keys/{id}'],
  updateKey: ['patch', '/v1/management/keys/{id}'],
  revokeKey: ['delete', '/v1/management/keys/{id}'],
  getLimits: ['get', '/v1/management/limits'],
  getManagedBatch: ['get', '/v1/management/batches/{id}'],
  getManagedFileContent: ['get', '/v1/management/files/{id}/content'],
  getManagedModel: ['get', '/v1/management/models/{id}'],
  updateModel: ['patch', '/v1/management/models/{id}'],
  removeModelDeclaration: ['delete', '/v1/management/models/{id}'],
  getManagedTask: ['get', '/v1/management/tasks/{id}'],
  getMe: ['get', '/v1/management/me'],
  getMember: ['get', '/v1/management/members/{id}'],
  updateMember: ['patch', '/v1/management/members/{id}'],
  removeMember: ['delete', '/v1/management/members/{id}'],
  getProvider: ['get', '/v1/management/providers/{id}'],
  getRequest: ['get', '/v1/management/requests/{id}'],
  getSettings: ['get', '/v1/management/settings'],
  updateSettings: ['patch', '/v1/management/settings'],
  getSignInOptions: ['get', '/v1/management/sign-in-options'],
  getStatement: ['get', '/v1/management/statements/{month}'],
  getSystem: ['get', '/v1/management/system'],
  getToken: ['get', '/v1/management/tokens/{id}'],
  updateToken: ['patch', '/v1/management/tokens/{id}'],
  revokeToken: ['delete', '/v1/management/tokens/{id}'],
  getUsage: ['get', '/v1/management/usage'],
  getUsageBreakdown: ['get', '/v1/management/usage/breakdown'],
  getUsageOverview: ['get', '/v1/management/usage/overview'],
  grantBalance: ['post', '/v1/management/balance/grants'],
  listActiveAlerts: ['get', '/v1/management/alerts/active'],
  listAlertDeliveries: ['get', '/v1/management/alerts/deliveries'],
  listAlertEvents: ['get', '/v1/management/alerts/events'],
  listAudit: ['get', '/v1/management/audit'],
  listCacheEntries: ['get', '/v1/management/cache/entries'],
  listCacheReports: ['get', '/v1/management/cache/reports'],
  listChannelTraffic: ['get', '/v1/management/usage/channels'],
  listExports: ['get', '/v1/management/exports'],
  listKeyLimits: ['get', '/v1/management/limits/keys'],
  listLedger: ['get', '/v1/management/ledger'],
  listManagedBatches: ['get', '/v1/management/batches'],
  listManagedFiles: ['get', '/v1/management/files'],
  listManagedTasks: ['get', '/v1/management/tasks'],
  listMembers: ['get', '/v1/management/members'],
  listProviders: ['get', '/v1/management/providers'],
  listReachableModels: ['get', '/v1/management/channels/{id}/reachable-models'],
  listRequests: ['get', '/v1/management/requests'],
  listRunningRequests: ['get', '/v1/management/requests/running'],
  listSessions: ['get', '/v1/management/sessions'],
  revokeSessions: ['delete', '/v1/management/sessions'],
  listStatements: ['get', '/v1/management/statements'],
  listUsageTags: ['get', '/v1/management/usage/tags'],
  listUsers: ['get', '/v1/management/users'],
  listUserSessions: ['get', '/v1/management/users/{id}/sessions'],
  revokeUserSessions: ['delete', '/v1/management/users/{id}/sessions'],
  lookUpInvitation: ['post', '/v1/management/invitations/lookup'],
  orderChannels: ['post', '/v1/management/channels/order'],
  probeChannel: ['post', '/v1/management/channels/probe'],
  redeliverAlert: ['post', '/v1/management/alerts/deliveries/{id}/redeliver'],
  register: ['post', '/v1/management/registrations'],
  reportCacheEntry: ['post', '/v1/management/cache/entries/{id}/reports'],
  resetChannel: ['post', '/v1/management/channels/{id}/reset'],
  resetPassword: ['post', '/v1/management/password-resets/accept'],
  resetUpstreamKey: ['post', '/v1/management/channels/{id}/keys/{key}/reset'],
  restoreAccount: ['post', '/v1/management/accounts/{id}/restore'],
  retryTaskPoll: ['post', '/v1/management/tasks/{id}/retry'],
  revokeSession: ['delete', '/v1/management/sessions/{id}'],
  rotateAlertWebhook: ['post', '/v1/management/alerts/webhooks/{id}/rotate-secret'],
  rotateKey: ['post', '/v1/management/keys/{id}/rotate'],
  rotateToken: ['post', '/v1/management/tokens/{id}/rotate'],
  sendTestMail: ['post', '/v1/management/settings/test-mail'],
  syncCatalog: ['post', '/v1/management/catalog/sync'],
  testAlertWebhook: ['post', '/v1/management/alerts/webhooks/{id}/test'],
  testChannel: ['post', '/v1/management/channels/{id}/test'],
  testGuard: ['post', '/v1/management/guards/{id}/test'],
  verifyLedger: ['get', '/v1/management/ledger/verify'],
  watchRequests: ['get', '/v1/management/requests/live'],
  authSignInEmail: ['post', '/v1/management/auth/sign-in/email'],
  authSignInSocial: ['post', '/v1/management/auth/sign-in/social'],
  authCallback: ['get', '/v1/management/auth/callback/{id}'],
  authSignOut: ['post', '/v1/management/auth/sign-out'],
  authChangePassword: ['post', '/v1/management/auth/change-password'],
  authUpdateUser: ['post', '/v1/management/auth/update-user'],
  authTwoFactorEnable: ['post', '/v1/management/auth/two-factor/enable'],
  authTwoFactorVerifyTotp: ['post', '/v1/management/auth/two-factor/verify-totp'],
  authTwoFactorVerifyBackupCode: ['post', '/v1/management/auth/two-factor/verify-backup-code'],
  authTwoFactorDisable: ['post', '/v1/management/auth/two-factor/disable'],
  authTwoFactorGenerateBackupCodes: ['post', '/v1/management/auth/two-factor/generate-backup-codes'],
  authPasskeyGenerateRegisterOptions: ['get', '/v1/management/auth/passkey/generate-register-options'],
  authPasskeyVerifyRegistration: ['post', '/v1/management/auth/passkey/verify-registration'],
  authPasskeyGenerateAuthenticateOptions: ['get', '/v1/management/auth/passkey/generate-authenticate-options'],
  authPasskeyVerifyAuthentication: ['post', '/v1/management/auth/passkey/verify-authentication'],
  authPasskeyListUserPasskeys: ['get', '/v1/management/auth/passkey/list-user-passkeys'],
  authPasskeyUpdatePasskey: ['post', '/v1/management/auth/passkey/update-passkey'],
  authPasskeyDeletePasskey: ['post', '/v1/management/auth/passkey/delete-passkey'],
  authListAccounts: ['get', '/v1/management/auth/list-accounts'],
  authLinkSocial: ['post', '/v1/management/auth/link-social'],
  authUnlinkAccount: ['post', '/v1/management/auth/unlink-account'],
} as const;
