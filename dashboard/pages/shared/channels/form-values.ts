import type {
  Channel,
  CreateChannelRequest,
  ProbeChannelRequest,
  Provider,
  UpdateChannelRequest,
} from '../../../api/schema.ts';
import { dividedBy, timesWhole } from '../../../kit/decimal.ts';
import type { ApiForm } from '../../../kit/form.tsx';
import { changedMembers, numberSaid, said } from '../written.ts';
import { costsFrom, costsSaid, type ModelCost } from './cost-values.ts';
import { type KeyRow, keyRowsOf, keysSaid } from './key-rows.ts';
import { type KeyValue, keyValuesOf, objectOfRows } from './key-values.ts';
import { settingFields, settingsOf, textOfSetting } from './settings-schema.ts';

export const TIMEOUTS = [
  'connect_ms',
  'first_byte_ms',
  'idle_ms',
  'first_event_ms',
  'event_idle_ms',
  'total_ms',
] as const;
export const BREAKER = [
  'window_ms',
  'failure_rate',
  'minimum_requests',
  'cooldown_ms',
  'max_cooldown_ms',
  'probes',
] as const;

export const LIMITS = ['max_concurrent', 'requests_per_minute', 'tokens_per_minute'] as const;
export const QUEUE = ['max_waiting', 'max_wait_ms'] as const;

/** Limits as they were typed, by the members of the API. */
export type LimitTexts = Record<(typeof LIMITS)[number], string>;

/** The limits of one model, in addition to those of the channel. */
export interface ModelLimits {
  readonly model: string;
  readonly limits: LimitTexts;
}

/** Which ids the upstream gets; empty for the gateway's setting. */
export const FORWARDED_IDS = ['', 'none', 'request_id', 'trace', 'request_id,trace'] as const;
export type ForwardedIds = (typeof FORWARDED_IDS)[number];

export function forwardedIdsOf(ids: Channel['forward_ids']): ForwardedIds {
  if (ids === null) return '';
  const text = ids.toSorted().join(',');
  return FORWARDED_IDS.find((one) => one !== '' && one === text) ?? 'none';
}

/** Who runs the lines of batches. */
export const CHANNEL_BATCHES = ['own', 'relay'] as const;
export type ChannelBatches = (typeof CHANNEL_BATCHES)[number];

/** A public model and the provider's name for it. */
export interface ModelRow {
  readonly id: string;
  readonly upstream: string;
}

/** Timeouts in seconds, by the members of the API. */
export type Seconds = Record<(typeof TIMEOUTS)[number], string>;

/** The timeouts of one model; an empty one is that of the channel. */
export interface ModelTimeouts {
  readonly model: string;
  readonly timeouts: Seconds;
}

/** A channel in its form; input stays text. */
export interface ChannelValues {
  id: string;
  name: string;
  provider: string;
  /** Which of `api_key` and `api_keys` is used. */
  keys: 'one' | 'several';
  api_key: string;
  api_keys: KeyRow[];
  base_url: string;
  settings: Record<string, string | boolean>;
  /** Settings that the provider's schema does not describe. */
  other_settings: KeyValue[];
  formats: string[];
  priority: string;
  weight: string;
  timeouts: Seconds;
  model_timeouts: ModelTimeouts[];
  /** Times in seconds, and the failure rate in percent. */
  breaker: Record<(typeof BREAKER)[number], string>;
  forward_ids: ForwardedIds;
  limits: LimitTexts;
  model_limits: ModelLimits[];
  queue: Record<(typeof QUEUE)[number], string>;
  follow_provider_limits: boolean;
  batches: ChannelBatches;
  costs: ModelCost[];
  models: ModelRow[];
}

export type ChannelForm = ApiForm<ChannelValues>;

type Numbers = Readonly<Record<string, unknown>>;

const MS = 1_000n;
const PERCENT = 100n;

/** Returns the texts of the fields. Milliseconds are shown in seconds, and a rate in percent. */
function textsOf<Name extends string>(names: readonly Name[], from: Numbers = {}): Record<Name, string> {
  const texts = names.map((name) => {
    const text = from[name] == null ? '' : String(from[name]);
    if (name.endsWith('_ms')) return [name, dividedBy(text, MS, 3) ?? text];
    return [name, name === 'failure_rate' ? (timesWhole(text, PERCENT) ?? text) : text];
  });
  return Object.fromEntries(texts) as Record<Name, string>;
}

export const NO_TIMEOUTS: Seconds = textsOf(TIMEOUTS);

export const NO_LIMITS: LimitTexts = textsOf(LIMITS);

export const NEW_CHANNEL: ChannelValues = {
  ...{ id: '', name: '', provider: '', keys: 'one', api_key: '', api_keys: [] },
  ...{ base_url: '', settings: {}, other_settings: [], formats: [] },
  ...{ priority: '', weight: '', timeouts: NO_TIMEOUTS, model_timeouts: [], breaker: textsOf(BREAKER) },
  forward_ids: '',
  ...{ limits: NO_LIMITS, model_limits: [], queue: textsOf(QUEUE), follow_provider_limits: true },
  batches: 'own',
  ...{ costs: [], models: [] },
};

export function valuesOf(channel: Channel, provider: Provider | undefined): ChannelValues {
  const { id, name, settings, timeouts, breaker, costs, limits } = channel;
  const known = new Set(settingFields(provider?.settings ?? null).map((field) => field.name));
  const [described, others] = [true, false].map((isKnown) =>
    Object.fromEntries(Object.entries(settings).filter(([member]) => known.has(member) === isKnown)),
  );
  return {
    ...{ id, name, provider: channel.provider, api_key: '' },
    keys: channel.api_keys == null ? 'one' : 'several',
    api_keys: keyRowsOf(channel.api_keys),
    base_url: channel.base_url ?? '',
    settings: Object.fromEntries(
      Object.entries(described ?? {}).map(([member, value]) => [member, textOfSetting(value)]),
    ),
    other_settings: keyValuesOf(others ?? {}),
    formats: [...(channel.formats ?? [])],
    priority: String(channel.priority),
    weight: String(channel.weight),
    timeouts: textsOf(TIMEOUTS, timeouts),
    model_timeouts: Object.entries(timeouts.models).map(([model, own]) => ({
      model,
      timeouts: differing(textsOf(TIMEOUTS, own), textsOf(TIMEOUTS, timeouts)),
    })),
    breaker: textsOf(BREAKER, breaker),
    forward_ids: forwardedIdsOf(channel.forward_ids),
    limits: textsOf(LIMITS, limits ?? {}),
    model_limits: Object.entries(limits?.models ?? {}).map(([model, own]) => ({ model, limits: textsOf(LIMITS, own) })),
    queue: textsOf(QUEUE, channel.queue ?? {}),
    follow_provider_limits: channel.follow_provider_limits,
    batches: channel.batches,
    costs: costsFrom(costs),
    models: channel.models.map((model) => ({ id: model.id, upstream: model.upstream_model })),
  };
}

/** The timeouts that also apply to streams, unless those have their own. */
const OF_STREAMS: Readonly<Partial<Record<keyof Seconds, keyof Seconds>>> = {
  first_event_ms: 'first_byte_ms',
  event_idle_ms: 'idle_ms',
};

/** Empties the timeouts that a model has from its channel. */
function differing(own: Seconds, ofChannel: Seconds): Seconds {
  const differs = (name: keyof Seconds) => own[name] !== ofChannel[name];
  const kept = TIMEOUTS.map((name) => {
    const whole = OF_STREAMS[name];
    return [name, differs(name) || (whole !== undefined && differs(whole)) ? own[name] : ''];
  });
  return Object.fromEntries(kept) as Seconds;
}

type Words = UpdateChannelRequest;

/** Returns all values in the API's form; `null` if empty. */
export function wordsOf(values: ChannelValues, provider: Provider | undefined): Words {
  const ofModels = values.model_timeouts.map(({ model, timeouts }) => [model.trim(), numbersOf(timeouts)]);
  const timeouts = {
    ...numbersOf(values.timeouts),
    ...(ofModels.length > 0 && { models: Object.fromEntries(ofModels) }),
  };
  const limitsOfModels = values.model_limits.map(({ model, limits }) => [model.trim(), numbersOf(limits)]);
  const limits = {
    ...numbersOf(values.limits),
    ...(limitsOfModels.length > 0 && { models: Object.fromEntries(limitsOfModels) }),
  };
  const settings = {
    ...settingsOf(values.settings, provider?.settings ?? null),
    ...objectOfRows(values.other_settings),
  };
  return {
    name: said(values.name),
    provider: said(values.provider),
    base_url: said(values.base_url),
    api_key: values.keys === 'one' ? said(values.api_key) : null,
    api_keys: values.keys === 'one' ? null : keysSaid(values.api_keys),
    settings: orNull(settings),
    formats: values.formats.length === 0 ? null : values.formats,
    priority: numberSaid(values.priority),
    weight: numberSaid(values.weight),
    timeouts: orNull(timeouts) as Words['timeouts'],
    breaker: orNull(numbersOf(values.breaker)) as Words['breaker'],
    forward_ids: idsSaid(values.forward_ids),
    limits: orNull(limits) as Words['limits'],
    queue: orNull(numbersOf(values.queue)) as Words['queue'],
    follow_provider_limits: values.follow_provider_limits ? null : false,
    batches: values.batches === 'own' ? null : values.batches,
    costs: orNull(costsSaid(values.costs)) as Words['costs'],
    models: Object.fromEntries(values.models.map(({ id, upstream }) => [id.trim(), upstream.trim()])),
  };
}

/** Returns the body for a new channel: empty values get their defaults. */
export function creationOf(values: ChannelValues, provider: Provider | undefined): CreateChannelRequest {
  const words = { id: said(values.id), ...wordsOf(values, provider) };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== null)) as CreateChannelRequest;
}

/** Returns the key to test: of several, the first that was typed. Empty if the stored one stays. */
export function typedKey({ keys, api_key: one, api_keys: rows }: Pick<ChannelValues, 'keys' | 'api_key' | 'api_keys'>) {
  return keys === 'one' ? one.trim() : (rows.map(({ key }) => key.trim()).find((key) => key !== '') ?? '');
}

/** Returns the body for a test of the typed key, with any models. */
export function probeOf(values: ChannelValues, provider: Provider | undefined): ProbeChannelRequest {
  const {
    id: _id,
    models: _models,
    ...body
  } = creationOf({ ...values, keys: 'one', api_key: typedKey(values) }, provider);
  return body;
}

/** Returns only the changed members; the rest stays, including a key that was not typed again. */
export function changesOf(before: ChannelValues, after: ChannelValues, provider: Provider | undefined): Words {
  return changedMembers(wordsOf(before, provider), wordsOf(after, provider));
}

function idsSaid(ids: ForwardedIds): Words['forward_ids'] {
  if (ids === '') return null;
  return (ids === 'none' ? [] : ids.split(',')) as Words['forward_ids'];
}

/** Returns the numbers of filled fields in the API's units. */
function numbersOf(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const value = numberSaid(inUnitOfApi(name, text));
      return value === null ? [] : [[name, value]];
    }),
  );
}

/** A text that is no number stays as it is, for the gateway to refuse. */
function inUnitOfApi(name: string, text: string): string {
  if (name.endsWith('_ms')) return timesWhole(text, MS) ?? text;
  return name === 'failure_rate' ? (dividedBy(text, PERCENT, 6) ?? text) : text;
}

function orNull(map: Record<string, unknown>): Record<string, unknown> | null {
  return Object.keys(map).length === 0 ? null : map;
}

/** The range of a time in seconds, as the gateway takes it. */
export function rangeOf(name: string): { readonly least: number; readonly most: number } {
  return name === 'window_ms' ? { least: 0.1, most: 3_600 } : { least: 0.001, most: 86_400 };
}

/** Returns whether a text is empty, or a whole number that the gateway takes as a limit. */
export function isLimit(text: string): boolean {
  return text.trim() === '' || (/^\d{1,12}$/.test(text.trim()) && Number(text) >= 1);
}

/** Returns whether a text is empty, or a number of seconds that the gateway takes: whole milliseconds. */
export function isSeconds(name: string, text: string): boolean {
  if (text.trim() === '') return true;
  const { least, most } = rangeOf(name);
  const seconds = Number(text);
  return /^\d+(?:\.\d{1,3})?$/.test(text.trim()) && seconds >= least && seconds <= most;
}
