import { SECONDS } from '../../../domain/metrics/bounds.ts';
import type { MetricSection } from './definition.ts';

export const ATTEMPTS = {
  title: 'Attempts',
  about: 'A request can take several attempts at channels, so there are more attempts than requests.',
  families: {
    switchyard_attempts_total: {
      type: 'counter',
      labels: ['channel', 'outcome'],
      help: 'Finished attempts: `answered`; `failed`, even if another channel then answered; `abandoned`, ended by the gateway, for example because the client disconnected.',
    },
    switchyard_attempt_failures_total: {
      type: 'counter',
      labels: ['channel', 'kind'],
      help: 'Failed attempts by kind (`http_503`, `upstream_auth` …), as in the request log.',
    },
    switchyard_attempt_first_byte_seconds: {
      type: 'histogram',
      labels: ['channel'],
      bounds: SECONDS,
      help: 'Time from sending the request to the first byte of content. Attempts without content are not counted.',
    },
  },
} as const satisfies MetricSection;

export const CHANNELS = {
  title: 'Health of channels',
  about:
    'Gauges are read at each scrape. A channel that is removed disappears from them; its counters stay until the gateway restarts.',
  families: {
    switchyard_channel_breaker_state: {
      type: 'gauge',
      labels: ['channel', 'model'],
      help: 'The circuit breaker: 0 closed, 1 half-open, 2 open. `model` is the upstream’s id. Only PLATFORM channels.',
    },
    switchyard_channel_breaker_transitions_total: {
      type: 'counter',
      labels: ['channel', 'state'],
      help: 'Changes of the circuit breakers of all models of a channel, by the new state: `closed`, `half_open`, `open`. Breakers are looked at once a second.',
    },
    switchyard_channel_in_flight: {
      type: 'gauge',
      labels: ['channel'],
      isSummed: true,
      help: 'Attempts in flight, including streams.',
    },
    switchyard_channel_up: {
      type: 'gauge',
      labels: ['channel'],
      help: '1 if usable, 0 blocked because its provider refused its credentials. Only PLATFORM channels.',
    },
    switchyard_upstream_key_up: {
      type: 'gauge',
      labels: ['channel', 'key'],
      help: '1 if usable, 0 if blocked or past its spend cap. Only keys of PLATFORM channels that have several.',
    },
    switchyard_upstream_key_spent_ratio: {
      type: 'gauge',
      labels: ['channel', 'key'],
      help: 'The share of the spend cap that is spent in the current period. Only keys with a cap.',
    },
    switchyard_channel_limit_refusals_total: {
      type: 'counter',
      labels: ['channel', 'limit'],
      help: 'Times that a channel took no request because of a limit: of the `channel`, of the `model`, one stated by the `provider`, or the requests in its `queue`.',
    },
    switchyard_channel_waiting: {
      type: 'gauge',
      labels: ['channel'],
      isSummed: true,
      help: 'Requests that wait for a channel at its limit. One that waits for several channels counts at each.',
    },
    switchyard_channel_waits_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Requests whose channels were all at their limits: `served` after a wait; `refused` without one, or pushed out of a queue; `timeout`; `left`, the client disconnected; `stopped` with the gateway.',
    },
    switchyard_channel_stated_limit_left: {
      type: 'gauge',
      labels: ['channel', 'model', 'unit'],
      help: 'The rest of the rate limits that providers state in their answers, by unit (`requests`, `tokens`, `input_tokens`, `output_tokens`). Only PLATFORM channels.',
    },
    switchyard_model_channels_usable: {
      type: 'gauge',
      labels: ['model'],
      help: 'PLATFORM channels that serve a public model and are neither blocked nor resting behind an open breaker.',
    },
  },
} as const satisfies MetricSection;

export const CACHE = {
  title: 'The cache',
  about: 'The hit ratio is `hits / (hits + misses)`.',
  families: {
    switchyard_cache_hits_total: {
      type: 'counter',
      labels: ['model', 'match'],
      help: 'Requests answered from the cache: by an equal request (`exact`), an equivalent question (`semantic`), or an equal request in flight (`coalesced`).',
    },
    switchyard_cache_hit_duration_seconds: {
      type: 'histogram',
      labels: ['match', 'stream'],
      bounds: SECONDS,
      help: 'Time from the arrival of such a request to the end of its response.',
    },
    switchyard_cache_saved_tokens_total: {
      type: 'counter',
      labels: ['model', 'kind'],
      help: 'Tokens of these responses when an upstream generated them, by the kinds of `switchyard_tokens_total`.',
    },
    switchyard_cache_saved_media_seconds_total: {
      type: 'counter',
      labels: ['model'],
      help: 'Seconds of audio and video of these responses.',
    },
    switchyard_cache_saved_units_total: {
      type: 'counter',
      labels: ['model', 'unit'],
      help: 'Other units of these responses, as in `switchyard_billed_units_total`.',
    },
    switchyard_cache_saved_usd_total: {
      type: 'counter',
      labels: ['model'],
      help: 'What clients paid less because their responses came from the cache, in USD.',
    },
    switchyard_cache_misses_total: {
      type: 'counter',
      labels: ['model'],
      help: 'Requests that were not found.',
    },
    switchyard_cache_skipped_total: {
      type: 'counter',
      labels: ['reason'],
      help: 'Requests that were not looked up, because of the account, model or settings (`policy`), `cache_control` (`client`), or a request whose response cannot be reused (`request`).',
    },
    switchyard_cache_stores_total: {
      type: 'counter',
      labels: ['outcome'],
      help: 'Responses that could be stored: `stored`, `too_large`, `refused` by the model or a filter, `cut` off before the end, `blocked` after an invalidation, or `unfit` for another request.',
    },
    switchyard_cache_reports_total: {
      type: 'counter',
      labels: ['type'],
      help: 'Clients’ reports of wrong responses (`wrong_answer`, `outdated`, `incomplete`, `unsafe`, `other`), one per key and entry.',
    },
    switchyard_cache_invalidations_total: {
      type: 'counter',
      labels: ['by'],
      help: 'Entries invalidated by reports (`feedback`) or an operator (`operator`).',
    },
    switchyard_cache_entries: {
      type: 'gauge',
      labels: ['place'],
      help: 'Entries in the cache, read at each scrape: in the `memory` of this process, on `disk` or in `redis`.',
    },
    switchyard_cache_bytes: { type: 'gauge', labels: ['place'], help: 'The size of these entries.' },
    switchyard_cache_questions: { type: 'gauge', labels: [], help: 'Indexed questions for semantic matches.' },
    switchyard_cache_question_bytes: { type: 'gauge', labels: [], help: 'The size of their vectors in memory.' },
  },
} as const satisfies MetricSection;
