import { SECONDS } from '../../../domain/metrics/bounds.ts';
import type { MetricSection } from './definition.ts';

export const REQUESTS = {
  title: 'Requests of clients',
  families: {
    switchyard_requests_in_flight: {
      type: 'gauge',
      labels: [],
      isSummed: true,
      help: 'Requests and streams in flight.',
    },
    switchyard_requests_total: {
      type: 'counter',
      labels: ['format', 'model', 'channel', 'status', 'code'],
      help: 'Finished requests. `format` is the client’s, `model` the public id, `channel` the one that answered or was tried last (empty for a cached response), `status` the HTTP status, `code` the error’s or empty. A label is empty if the request did not get that far.',
    },
    switchyard_request_duration_seconds: {
      type: 'histogram',
      labels: ['format', 'stream'],
      bounds: SECONDS,
      help: 'Time from the arrival of a request to the end of its response, without cached responses.',
    },
    switchyard_request_first_byte_seconds: {
      type: 'histogram',
      labels: ['format', 'stream'],
      bounds: SECONDS,
      help: 'Time from the arrival of a request to the first byte sent to the client, including failed attempts; without cached responses.',
    },
    switchyard_tokens_total: {
      type: 'counter',
      labels: ['model', 'channel', 'kind'],
      help: 'Tokens reported by upstreams. The kinds (`input`, `cached_input`, `cache_write`, `cache_write_1h`, `audio_input`, `image_input`, `output`, `reasoning`, `audio_output`, `image_output`) do not overlap.',
    },
    switchyard_billed_media_seconds_total: {
      type: 'counter',
      labels: ['model', 'channel'],
      help: 'Billed seconds of audio and video.',
    },
    switchyard_billed_units_total: {
      type: 'counter',
      labels: ['model', 'channel', 'unit'],
      help: 'Billed units other than tokens and seconds, by `unit`: `image`, `clip`, `character`, `web_search`.',
    },
    switchyard_model_steps_total: {
      type: 'counter',
      labels: ['kind', 'model'],
      help: 'Requests that were given to another model than `model`, by `kind`: `rule` of a virtual model, `budget`, or `fallback` after a failure.',
    },
    switchyard_guard_verdicts_total: {
      type: 'counter',
      labels: ['action', 'stage'],
      help: 'Matches of the rules of guards in finished requests, by `action` (`mask`, `refuse`, `flag`) and `stage` (`input`, `output`).',
    },
    switchyard_refused_keys_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Requests without a valid key: `refused`, or `throttled` after many from the same address.',
    },
    switchyard_rate_limit_refusals_total: {
      type: 'counter',
      labels: ['limit'],
      help: 'Requests refused by a limit: `account_requests_per_minute`, `account_tokens_per_minute`, `key_requests_per_minute`, `account_concurrent_requests`, or `unavailable` if the counters are away and the setting refuses requests without them.',
    },
    switchyard_websockets_open: {
      type: 'gauge',
      labels: ['kind'],
      isSummed: true,
      help: 'Open WebSockets of clients: `responses` or `realtime`.',
    },
  },
} as const satisfies MetricSection;

export const MONEY = {
  title: 'Money',
  about:
    'Amounts are in USD, as the conventions ask for base units, and exact: a process adds whole nano-USD (1e-9), which a double holds exactly up to nine\nmillion dollars per series, and divides them only in the response. Rates over floating point values are not exact; statements come from the ledger\n([billing.md](billing.md)). Leases are explained in [billing.md](billing.md) as well.',
  families: {
    switchyard_charged_usd_total: {
      type: 'counter',
      labels: ['model', 'channel'],
      help: 'The amount charged for requests, in USD, equal to the ledger.',
    },
    switchyard_upstream_cost_usd_total: {
      type: 'counter',
      labels: ['model', 'channel'],
      help: 'The cost of requests at their upstreams by the `costs` of the channels, in USD. Requests with unknown cost are not counted.',
    },
    switchyard_held_charges_total: {
      type: 'counter',
      labels: ['model', 'channel'],
      help: 'Requests for which an upstream reported an implausibly high usage; the excess waits for an operator.',
    },
    switchyard_money_refusals_total: {
      type: 'counter',
      labels: ['limit'],
      help: 'Requests refused for lack of money, by what limits them: `account_balance`, `account_balance_in_use` (the balance is sufficient, but it is leased or reserved for other requests), `key_limit`, `account_budget`, `key_budget`.',
    },
    switchyard_leased_usd: {
      type: 'gauge',
      labels: ['state'],
      isSummed: true,
      help: 'Money that this process has leased from balances, limits and budgets, in USD: `free`, `reserved` for requests, `charging`, or `returning` to the ledger.',
    },
    switchyard_lease_requests_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Requests for leases: `granted`, `refused` because too little is left (it may be leased by other processes), or `failed`.',
    },
    switchyard_lease_losses_total: {
      type: 'counter',
      labels: [],
      help: 'How often this process lost all its leases, because it did not renew them in time.',
    },
    switchyard_uncovered_charges_usd_total: {
      type: 'counter',
      labels: [],
      help: 'Charges that arrived after their leases had expired and were deducted from the balances, in USD. Only with PostgreSQL.',
    },
    switchyard_lost_charges_total: {
      type: 'counter',
      labels: [],
      help: 'Charges that could not be written and were given up. The log has everything that is needed to enter them by hand.',
    },
    switchyard_ledger_problems: {
      type: 'gauge',
      labels: [],
      help: 'Mismatches found by the latest `switchyard ledger verify` on this database; missing before the first. Read every half minute.',
    },
    switchyard_ledger_verified_timestamp_seconds: {
      type: 'gauge',
      labels: [],
      help: 'When the ledger was last verified, in seconds since 1970; missing before the first verification.',
    },
  },
} as const satisfies MetricSection;

export const ACCOUNTS = {
  title: 'Accounts',
  about:
    'Off by default, because each account adds series. `telemetry.account_metrics: true` switches them on. Above 1,000 accounts (500 for requests), all others\nshare the value `__overflow__`; `GET /usage?group_by=account` of the [management API](management.md) has the values of each.',
  families: {
    switchyard_account_requests_total: {
      type: 'counter',
      labels: ['account', 'outcome'],
      help: 'Finished requests of an account: `answered`, or `failed` with an error code.',
    },
    switchyard_account_tokens_total: {
      type: 'counter',
      labels: ['account'],
      help: 'Tokens of all kinds in the requests and responses of an account, cached responses included.',
    },
    switchyard_account_charged_usd_total: {
      type: 'counter',
      labels: ['account'],
      help: 'The amount charged to an account, in USD.',
    },
  },
} as const satisfies MetricSection;
