import type { LogLevel } from './levels.ts';

/**
 * Every line that the gateway can log, by component and event. A line is found by its event, which does not change; its message is for people.
 * `docs/logs.md` is generated from this table. The types of `Logger` admit only these messages, each at its level.
 */
export const LOG_EVENTS = {
  access: {
    keys_refused: ['warn', 'requests without a valid API key'],
    key_use_not_stored: ['warn', 'last-used times of keys could not be stored'],
  },
  alerts: {
    alert_raised: ['info', 'alert'],
    alerts_not_evaluated: ['warn', 'alerts could not be evaluated'],
    alert_rules_not_measured: ['warn', 'the values of alert rules could not be read'],
    alert_groups_cut: ['warn', 'too many groups for alerts about error rates'],
    alert_not_sent: ['warn', 'an alert could not be sent'],
    alert_target_disabled: ['warn', 'an alert target was disabled'],
    alerts_not_read: ['warn', 'pending alerts could not be read'],
  },
  billing: {
    charges_delayed: ['error', 'charges could not be written and will be retried'],
    charge_lost: ['error', 'a charge was lost because it could not be written'],
    request_not_charged: ['error', 'a request could not be charged'],
    reservation_failed: ['error', 'a reservation for a request failed'],
    cost_implausible: [
      'error',
      'an upstream reported an implausible cost: the excess is held ("switchyard ledger held")',
    ],
    held_charge_not_stored: ['error', 'a held charge could not be stored'],
    cost_written_off: ['warn', 'cost exceeded the reserved balance'],
    hold_released_early: ['warn', 'a request with a cost was not charged: its hold had been released'],
    charges_after_lease: ['warn', 'charges arrived after their leases had expired and were deducted from the balances'],
    leases_lost: ['error', 'this node could not renew its leases in time and lost them'],
    leases_acquired_again: ['warn', 'balance leases were lost and are being acquired again'],
    leases_not_renewed: ['warn', 'the leases could not be renewed; retrying'],
    leases_not_released: ['warn', 'the leases could not be released at shutdown and will expire'],
    lease_not_released: ['warn', 'a balance lease could not be released'],
    lease_unneeded: ['warn', 'leased money was not reserved by any request and was released'],
    leases_not_compared: ['warn', 'leases could not be compared with reservations'],
    lease_recall_not_answered: ['warn', 'the response to a recall of leases could not be sent'],
    node_expired: ['warn', 'a node stopped without releasing its leases; they have been released'],
    store_not_writable: ['error', 'the store is not writable: requests with a cost are refused'],
    store_writable: ['info', 'the store is writable again'],
    opening_balance_granted: ['info', 'opening balance granted'],
  },
  cache: {
    cache_disk_away: ['error', 'the cache cannot be stored on disk and is in memory only for now'],
    cache_disk_back: ['warn', 'the cache is stored on disk again'],
    cache_disk_notice: ['warn', 'the file of the cache was changed'],
    cache_entries_not_stored: ['warn', 'cache entries were not stored on disk: they arrived too fast'],
    cache_entry_unusable: ['error', 'a cache entry is unusable'],
    cache_entry_invalidated: ['info', 'a cache entry was invalidated after reports'],
    cache_report_failed: ['error', 'a cache report failed'],
    cache_reports_not_marked: ['warn', 'cache reports could not be marked as processed'],
    prompt_not_embedded: ['warn', 'the semantic cache could not embed a prompt'],
    embedding_worker_failed: ['warn', 'the embedding worker failed'],
    semantic_search_failed: ['warn', 'a search of the semantic cache failed'],
    semantic_search_restarted: ['warn', 'the search thread of the semantic cache crashed and will be restarted'],
    questions_not_loaded: ['warn', 'the questions of the semantic cache could not be loaded'],
  },
  captures: {
    captures_not_stored: ['warn', 'captures could not be stored'],
    captures_dropped: ['warn', 'captures were dropped: the write queue was full'],
  },
  configuration: {
    configuration_notice: ['warn', 'a notice about the configuration'],
    configuration_changed: ['info', 'configuration changed'],
    configuration_reloaded: ['info', 'configuration reloaded'],
    configuration_not_reloaded: ['error', 'the configuration could not be reloaded; the previous one stays in effect'],
    configuration_missing: ['warn', 'no configuration file to reload: set SWITCHYARD_CONFIG'],
    sections_wait_for_start: ['warn', 'these sections changed and take effect at the next start'],
    log_settings_changed: ['info', 'the settings of logs changed'],
    channel_models_cut: [
      'warn',
      'PRIVATE channels exceed the limit of models per account: the excess models are not served',
    ],
    model_rules_skipped: [
      'warn',
      'rules of virtual models lead to models that no channel serves: these rules are skipped',
    ],
    branding_not_read: ['warn', 'branding could not be read; the last one stays in effect'],
    database_not_read: ['error', 'the database cannot be read'],
    heartbeat_not_written: ['debug', 'the node could not write its heartbeat'],
  },
  dashboard: {
    dashboard_built: ['info', 'dashboard built'],
    dashboard_not_built: ['error', 'the dashboard could not be built'],
    dashboard_not_stored: ['warn', 'the dashboard could not be stored on disk; the next start builds it again'],
    live_views_not_updated: ['warn', 'live views could not be updated'],
  },
  exports: {
    export_failed: ['warn', 'the request log could not be exported; retrying'],
    export_line_skipped: ['error', 'a line of the request log cannot be exported and was left out'],
    export_restarted: ['warn', 'the request log was replaced; it is exported again'],
  },
  media: {
    files_not_stored: ['error', 'files cannot be stored'],
    files_stored_again: ['info', 'files can be stored again'],
    media_split: ['warn', 'nodes store media in different places; no file is stored until they share one'],
    media_shared_again: ['info', 'all nodes store media in the same place again'],
    upload_not_written: ['error', 'could not write an uploaded file'],
    upload_not_removed: ['error', 'could not remove an uploaded file'],
    uploads_not_removed: ['error', 'could not remove uploaded files'],
    old_uploads_not_removed: ['error', 'could not remove the uploads of an earlier process'],
  },
  models: {
    success_rates_slow: ['warn', "counting the models' success rates took too long: another node started over"],
    success_rates_not_updated: ['warn', "the models' success rates could not be updated; the old rates are kept"],
  },
  people: {
    sign_in_failed: ['error', 'sign-in failed'],
    sign_in_notice: ['warn', 'a message of the sign-in library'],
    user_activity_not_stored: ['warn', 'the last activity of a user could not be stored'],
    links_not_mailed: [
      'warn',
      'invitation and password reset links are not sent by email: set server.public_url, since requests can name any address',
    ],
    mail_not_sent: ['error', 'an email could not be sent'],
    erasure_completed: ['info', 'an interrupted erasure is complete'],
    erasure_not_completed: ['warn', 'an erasure could not be completed; it will be retried'],
  },
  postgres: {
    postgres_connection_broke: ['warn', 'a connection to the database broke'],
    postgres_keys_not_read: ['warn', 'API keys cannot be looked up'],
    postgres_notifications_interrupted: ['debug', 'notifications from other nodes are interrupted'],
    postgres_upgrade_began: ['warn', 'the database is being upgraded'],
    postgres_upgrade_waits: ['warn', 'another node is upgrading the database; waiting for it to finish'],
    postgres_upgrade_blocked: ['warn', 'the database cannot be upgraded while its tables are in use; retrying'],
    postgres_upgrade_in_background: [
      'warn',
      'the database is being upgraded; other nodes keep serving, and this one starts after the upgrade',
    ],
    postgres_upgrade_step: ['info', 'upgrading the database: next step'],
    postgres_upgrade_progress: ['info', 'upgrading the database: rows'],
    postgres_upgraded: ['info', 'the database has been upgraded'],
    postgres_schema_migrated: ['info', 'the schema has been migrated'],
    postgres_schema_imported: ['info', 'the schema has been imported'],
  },
  redis: {
    redis_limits_local: [
      'error',
      'Redis is unavailable for rate limits: until it is back, each gateway counts on its own and admits its share: the limit divided by the number of gateways',
    ],
    redis_limits_refused: [
      'error',
      'Redis is unavailable for rate limits: until it is back, requests are refused with 503 limits_unavailable',
    ],
    redis_limits_back: ['warn', 'Redis is back: rate limits are shared again'],
    redis_cache_away: ['error', 'the cache cannot be shared over Redis; each gateway uses its own memory for now'],
    redis_cache_back: ['warn', 'the cache is shared over Redis again'],
    redis_state_away: [
      'error',
      'conversation state cannot be shared over Redis; each gateway uses only its own for now',
    ],
    redis_state_back: ['warn', 'conversation state is shared over Redis again'],
    redis_full_for_cache: ['warn', 'Redis is out of memory: new cache entries are not shared with other gateways'],
    redis_full_for_state: ['warn', 'Redis is out of memory: new conversation state is not shared with other gateways'],
    redis_state_damaged: ['warn', 'conversation state in Redis is damaged or foreign and is ignored'],
  },
  request_log: {
    request_log_delayed: ['error', 'request log lines could not be written and will be retried'],
    request_log_dropped: ['warn', 'request log lines were dropped because the write queue was full'],
    request_log_lost: ['error', 'request log lines were lost at shutdown'],
    request_log_recovered: ['warn', 'request log lines lost in a crash were recovered from their charges'],
    request_log_not_recovered: ['warn', 'request log lines lost in a crash could not be recovered'],
  },
  requests: {
    guard_check_failed: ['warn', 'a check of a guard could not decide'],
    request: ['info', 'request'],
    request_failed: ['warn', 'request failed'],
    request_without_key: ['debug', 'request without a valid API key'],
    attempt_failed: ['warn', 'attempt failed'],
    internal_error: ['error', 'internal error'],
    response_not_stored: ['warn', 'a response could not be stored'],
    response_store_failed: ['error', 'a response could not be stored: the store failed'],
    stored_response_not_requested: ['warn', 'a stored response could not be requested'],
    objects_not_recorded: ['warn', 'objects in responses could not be recorded'],
    objects_beyond_limit: ['warn', 'an account received more objects in an hour than can be recorded'],
  },
  retention: {
    old_data_not_deleted: ['warn', 'old data could not be deleted; this will be retried in an hour'],
    deletion_failed: ['warn', 'old data could not be deleted; retrying later'],
    usage_not_rolled_up: ['warn', 'usage could not be rolled up; retrying'],
  },
  routing: {
    channel_blocked: ['error', "the provider refused the channel's credentials: blocked until they are renewed"],
    key_spending_not_stored: ['warn', 'the spending of upstream keys could not be stored; retrying'],
    channel_block_not_stored: ['error', 'the block of a channel could not be stored'],
    channel_health_not_stored: ['warn', 'the health of channels could not be stored'],
    channel_probe_failed: ['error', 'a probe of a channel could not be made'],
    channel_fails: ['warn', 'a channel fails for all accounts'],
    server_detected: ['info', 'a channel’s server was detected'],
  },
  server: {
    gateway_broken: ['error', 'internal error: stopping the gateway'],
    process_broken: ['error', 'internal error: stopping the process'],
    access_log_dropped: ['warn', 'lines of the access log were dropped: its file cannot be written'],
    access_log_not_opened: ['error', 'the access log could not be opened again; the old file is used'],
    log_lines_dropped: ['warn', 'log lines were dropped: standard output is too slow'],
    descriptors_low: ['warn', 'running out of file descriptors: closing idle client connections; raise "ulimit -n"'],
    grace_period_over: ['warn', 'shutdown grace period is over; aborting requests in flight'],
    requests_unsettled: ['error', 'requests could not be charged and recorded before the stop'],
    writes_unfinished: ['error', 'queued writes were not finished before the stop'],
    not_closed: ['error', 'the gateway could not be closed cleanly'],
    worker_exited: ['error', 'a worker exited; starting another'],
    worker_not_started: ['error', 'a worker failed to start; retrying'],
    no_worker_started: ['error', 'no worker could be started: stopping the gateway'],
    worker_restarted: ['info', 'a worker was restarted'],
    workers_not_restarted: ['error', 'not all workers could be restarted'],
    worker_leases_not_released: ['error', 'the leases of a worker could not be released'],
    call_from_process_failed: ['error', 'a call from another process failed'],
  },
  sqlite: {
    sqlite_writer_exited: ['error', 'the writer thread has exited'],
    sqlite_upgrade_began: ['warn', 'the database file is being upgraded; an interrupted upgrade changes nothing'],
    sqlite_upgraded: ['info', 'the database file has been upgraded'],
  },
  tasks: {
    task_completed: ['info', 'task completed'],
    task_failed: ['warn', 'task failed'],
    task_cancelled: ['info', 'task cancelled'],
    task_not_cancelled: ['error', 'a task could not be cancelled'],
    video_not_deleted: ['error', 'a video could not be deleted'],
    batch_not_processed: ['error', 'a batch could not be processed'],
    batches_not_processed: ['error', 'batches could not be processed'],
    batch_line_not_processed: ['error', 'a line of a batch could not be processed'],
    relay_not_processed: ['error', 'a relayed batch could not be processed'],
    relay_failed: ['warn', 'a batch at a provider has failed'],
    relay_files_left: ['warn', 'files of a batch could not be deleted at its provider'],
    relay_strange_lines: ['warn', 'a provider has answered lines that it was not asked'],
    batches_not_claimed: ['error', 'batches could not be claimed'],
    batches_resumed: ['info', 'batches are processed again'],
    batches_not_released: ['warn', 'batches could not be released'],
    task_not_processed: ['error', 'a task could not be processed'],
    tasks_not_processed: ['error', 'tasks could not be processed'],
    task_not_stored: ['error', 'a task could not be stored'],
    task_submission_not_stored: ['error', 'a submitted task could not be stored yet'],
    task_end_not_stored: ['error', 'the end of a task could not be stored'],
    task_ended_early: [
      'error',
      'a task was ended while its job was being submitted: the job continues at the provider',
    ],
    tasks_not_claimed: ['warn', 'tasks could not be claimed'],
    tasks_not_read: ['warn', 'the tasks that this process still owns could not be read'],
    task_changes_not_stored: ['warn', 'task changes could not be stored yet'],
    tasks_not_released: ['warn', 'tasks could not be released'],
  },
  telemetry: {
    telemetry_export_failed: ['warn', 'telemetry could not be exported'],
  },
} as const satisfies Record<string, Readonly<Record<string, readonly [LogLevel, string]>>>;

/** A part of the gateway whose lines have a level of their own. */
export type LogComponent = keyof typeof LOG_EVENTS;

export const LOG_COMPONENTS = Object.keys(LOG_EVENTS) as readonly LogComponent[];

type EntryOf<Component> = Component extends LogComponent
  ? (typeof LOG_EVENTS)[Component][keyof (typeof LOG_EVENTS)[Component]]
  : never;

/** The messages of the lines that are logged at this level. */
export type MessageAt<Level extends LogLevel> = Extract<EntryOf<LogComponent>, readonly [Level, string]>[1];

export type LogMessage = MessageAt<LogLevel>;

export interface LogEvent {
  readonly component: LogComponent;
  readonly event: string;
  readonly level: LogLevel;
  readonly message: string;
}

/** All events, in the order of the table. */
export const LOG_EVENT_LIST: readonly LogEvent[] = LOG_COMPONENTS.flatMap((component) =>
  Object.entries<readonly [LogLevel, string]>(LOG_EVENTS[component]).map(([event, [level, message]]) => ({
    component,
    event,
    level,
    message,
  })),
);
