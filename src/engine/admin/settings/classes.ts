/**
 * Who may change a setting:
 * - `usual`: a management token with `settings:write`, or an operator.
 * - `anchor`: the gateway's trust depends on it: which hosts it believes, what it connects to, where it sends secrets and links, what
 *   protects stored data, and how long evidence is kept. Whoever changes it can take over the gateway's operators or reach what is closed, so
 *   it requires an operator's session with a recent second factor.
 * - `file`: secrets, except for those that the store encrypts, and what is needed before the database is open. These are set only in the
 *   configuration file.
 */
export type SettingClass = 'usual' | 'anchor' | 'file';

/** How a collector is reached. The class is `file` because the headers' secrets must not be sent to another address. */
const OTLP_FIELDS = [
  ...['endpoint', 'headers', 'gzip', 'timeout_ms'],
  ...['ca_file', 'client_certificate_file', 'client_key_file'],
];
const otlpOf = (place: string): Readonly<Record<string, SettingClass>> =>
  Object.fromEntries(OTLP_FIELDS.map((field) => [`${place}.${field}`, 'file']));

/** Every field of every section of the configuration that is a setting. A test fails if one is missing. */
export const SETTING_CLASSES: Readonly<Record<string, Readonly<Record<string, SettingClass>>>> = {
  routing: {
    strategy: 'usual',
    max_attempts: 'usual',
    deadline_ms: 'usual',
    cost_in_answers: 'usual',
    'queue.max_waiting': 'usual',
    'queue.max_wait_ms': 'usual',
  },
  billing: { assumed_output_tokens: 'usual', private_channel_fee_usd: 'usual', when_counters_are_away: 'usual' },
  discovery: { vendor_key: 'usual', minimum_samples: 'usual', refresh_ms: 'usual' },
  server: {
    max_body_bytes: 'usual',
    max_upload_bytes: 'usual',
    body_memory_bytes: 'usual',
    upload_disk_bytes: 'usual',
    drain_ms: 'usual',
    shutdown_grace_ms: 'usual',
    shutdown_write_ms: 'usual',
    metrics_token: 'file',
    // Determines which proxies are trusted to state a client's address.
    trusted_proxies: 'anchor',
    // Determines which web pages may read responses.
    cors_origins: 'anchor',
    wrong_keys_per_minute: 'usual',
    management_requests_per_minute: 'usual',
    anonymous_requests_per_minute: 'usual',
    anonymous_requests_in_flight: 'usual',
    ping_interval_ms: 'usual',
    max_sockets_per_account: 'usual',
    max_held_answer_bytes: 'usual',
    shared_state_bytes: 'usual',
    // Determines where links for new passwords lead.
    public_url: 'anchor',
    max_responses_per_account: 'usual',
    max_response_bytes_per_account: 'usual',
  },
  media: {
    // Determines what in the operator's network clients can reach.
    allow_http: 'anchor',
    allowed_ranges: 'anchor',
    denied_ranges: 'anchor',
    max_bytes: 'usual',
    max_concurrent: 'usual',
    max_urls: 'usual',
    max_held_bytes: 'usual',
    'timeouts.connect_ms': 'usual',
    'timeouts.total_ms': 'usual',
  },
  media_store: {
    kind: 'file',
    folder: 'file',
    's3.endpoint': 'file',
    's3.public_endpoint': 'file',
    's3.bucket': 'file',
    's3.region': 'file',
    's3.prefix': 'file',
    's3.access_key_id': 'file',
    's3.secret_access_key': 'file',
    's3.session_token': 'file',
    's3.links': 'file',
    link_seconds: 'file',
    max_bytes: 'file',
    max_bytes_per_account: 'file',
    min_free_bytes: 'file',
  },
  tasks: {
    poll_interval_ms: 'usual',
    polls_per_second: 'usual',
    max_open_per_account: 'usual',
    rehost: 'usual',
    max_file_bytes: 'usual',
    'deadline_minutes.video': 'usual',
    'deadline_minutes.music': 'usual',
    'deadline_minutes.3d': 'usual',
    'deadline_minutes.image': 'usual',
  },
  batches: {
    price_percent: 'usual',
    relay_price_percent: 'usual',
    max_relayed: 'usual',
    share_percent: 'usual',
    lines_at_once: 'usual',
    all_lines_at_once: 'usual',
    max_lines: 'usual',
    max_open_per_account: 'usual',
    max_file_bytes: 'usual',
    max_files_per_account: 'usual',
    max_file_bytes_per_account: 'usual',
  },
  search: {
    model: 'usual',
    max_rounds: 'usual',
    max_searches: 'usual',
    results: 'usual',
  },
  cache: {
    memory_mb: 'usual',
    disk_mb: 'usual',
    redis_mb: 'usual',
    max_entry_kb: 'usual',
    // Determines whether stored answers can be read from the disk.
    encrypt: 'anchor',
    // Determines whether accounts receive each other's answers.
    shared: 'anchor',
    hit_price_percent: 'usual',
    strategy: 'usual',
    ttl_seconds: 'usual',
    max_temperature: 'usual',
    coalesce: 'usual',
    'semantic.embeddings': 'usual',
    'semantic.index_mb': 'usual',
    'semantic.certainty': 'usual',
    'semantic.tools': 'usual',
    'semantic.media': 'usual',
    'feedback.keys': 'usual',
    'feedback.block_minutes': 'usual',
  },
  retention: {
    request_log_days: 'usual',
    minute_sums_days: 'usual',
    hour_sums_days: 'usual',
    ranking_days: 'usual',
    // Determines how long evidence of changes is kept.
    audit_days: 'anchor',
    captures_days: 'usual',
    cache_reports_days: 'usual',
    tasks_days: 'usual',
    batches_days: 'usual',
    responses_days: 'usual',
    alerts_days: 'usual',
    holds_days: 'usual',
  },
  quotas: {
    keys: 'usual',
    management_tokens: 'usual',
    channels: 'usual',
    channel_models: 'usual',
    channel_keys: 'usual',
    members: 'usual',
    open_invitations: 'usual',
    alert_rules: 'usual',
    alert_webhooks: 'usual',
  },
  // Determines whether names of people are stored.
  usage: { end_users: 'anchor' },
  seller: { name: 'usual', address: 'usual', tax_id: 'usual', email: 'usual' },
  sign_in: {
    // Determines who can sign in, and with which proof.
    registration: 'anchor',
    require_two_factor: 'anchor',
    session_hours: 'anchor',
    invitation_days: 'anchor',
    oidc: 'file',
  },
  mail: {
    // Determines who sees links for new passwords, and in whose name they are sent. The store encrypts the address with its password.
    smtp_url: 'anchor',
    from: 'anchor',
    max_per_hour: 'usual',
    max_per_recipient_per_hour: 'usual',
    max_per_account_per_hour: 'usual',
  },
  branding: {
    name: 'usual',
    logo: 'usual',
    accent_color: 'usual',
    // Determines where people who need help are led from the sign-in page and from emails.
    support_address: 'anchor',
  },
  // The access log writes to any file that the gateway may write.
  logs: { level: 'usual', format: 'usual', sample_successes: 'usual', slow_ms: 'usual', access_log: 'file' },
  telemetry: {
    enabled: 'usual',
    service_name: 'usual',
    trace_url: 'usual',
    forward_ids: 'usual',
    resource_attributes: 'usual',
    ...otlpOf('otlp'),
    'traces.enabled': 'usual',
    ...otlpOf('traces.otlp'),
    'traces.sample_ratio': 'usual',
    'traces.follow_client': 'usual',
    'traces.always_on_error': 'usual',
    'traces.always_above_ms': 'usual',
    // Determine whether facts about people leave the gateway.
    'traces.client_address': 'anchor',
    'traces.tags': 'anchor',
    'traces.content_accounts': 'anchor',
    'traces.queue_spans': 'usual',
    'traces.batch_spans': 'usual',
    'traces.delay_ms': 'usual',
    'traces.export_timeout_ms': 'usual',
    'traces.content_bytes': 'usual',
    'metrics.enabled': 'usual',
    ...otlpOf('metrics.otlp'),
    'metrics.interval_ms': 'usual',
    'metrics.export_timeout_ms': 'usual',
    'logs.enabled': 'usual',
    ...otlpOf('logs.otlp'),
    'logs.queue_lines': 'usual',
    'logs.batch_lines': 'usual',
    'logs.delay_ms': 'usual',
    'logs.export_timeout_ms': 'usual',
    account_metrics: 'usual',
  },
  alerts: { allow_http: 'file', allowed_ranges: 'file', denied_ranges: 'file', webhooks: 'file', rules: 'file' },
  // Determines where data of all accounts is sent, with which keys.
  exports: { hold_days: 'file', targets: 'file' },
};

/** Returns the class of a field or of the field that contains it; `file` for one that is not listed. */
export function classOf(section: string, path: string): SettingClass {
  const fields = SETTING_CLASSES[section] ?? {};
  for (let at = path; at !== ''; at = at.slice(0, Math.max(0, at.lastIndexOf('.')))) {
    if (Object.hasOwn(fields, at)) return fields[at] ?? 'file';
  }
  return 'file';
}
