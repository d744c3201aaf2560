import type { Channel, CreateChannelRequest, Provider, UpdateChannelRequest } from '../../../api/schema.ts';
import { changedMembers, jsonSaid, numberSaid, said } from '../written.ts';
import { settingsOf } from './settings-schema.ts';

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

/** A public model and the provider's name for it. */
export interface ModelRow {
  readonly id: string;
  readonly upstream: string;
}

/** A channel in its form; input stays text. */
export interface ChannelValues {
  id: string;
  name: string;
  provider: string;
  api_key: string;
  base_url: string;
  settings: Record<string, string | boolean>;
  formats: string[];
  priority: string;
  weight: string;
  timeouts: Record<(typeof TIMEOUTS)[number], string>;
  /** JSON. */
  model_timeouts: string;
  breaker: Record<(typeof BREAKER)[number], string>;
  /** JSON. */
  costs: string;
  models: ModelRow[];
}

function emptied<Name extends string>(
  names: readonly Name[],
  from?: Readonly<Record<string, unknown>>,
): Record<Name, string> {
  return Object.fromEntries(names.map((name) => [name, from?.[name] == null ? '' : String(from[name])])) as Record<
    Name,
    string
  >;
}

export const NEW_CHANNEL: ChannelValues = {
  ...{ id: '', name: '', provider: '', api_key: '', base_url: '', settings: {}, formats: [] },
  ...{ priority: '', weight: '', timeouts: emptied(TIMEOUTS), model_timeouts: '', breaker: emptied(BREAKER) },
  ...{ costs: '', models: [] },
};

export function valuesOf(channel: Channel): ChannelValues {
  const { id, name, provider, settings, timeouts, breaker, costs } = channel;
  return {
    ...{ id, name, provider, api_key: '' },
    base_url: channel.base_url ?? '',
    settings: Object.fromEntries(
      Object.entries(settings).map(([member, value]) => [member, typeof value === 'boolean' ? value : textOf(value)]),
    ),
    formats: [...(channel.formats ?? [])],
    priority: String(channel.priority),
    weight: String(channel.weight),
    timeouts: emptied(TIMEOUTS, timeouts),
    model_timeouts: jsonText(timeouts.models),
    breaker: emptied(BREAKER, breaker),
    costs: jsonText(costs),
    models: channel.models.map((model) => ({ id: model.id, upstream: model.upstream_model })),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function jsonText(map: Readonly<Record<string, unknown>>): string {
  return Object.keys(map).length === 0 ? '' : JSON.stringify(map, null, 2);
}

type Words = UpdateChannelRequest;

/** Returns all values in the API's form; `null` if empty. */
export function wordsOf(values: ChannelValues, provider: Provider | undefined): Words {
  const timeouts = {
    ...filled(values.timeouts),
    ...(values.model_timeouts.trim() !== '' && { models: jsonSaid(values.model_timeouts) }),
  };
  const breaker = filled(values.breaker);
  const settings = settingsOf(values.settings, provider?.settings ?? null);
  return {
    name: said(values.name),
    provider: said(values.provider),
    base_url: said(values.base_url),
    api_key: said(values.api_key),
    settings: orNull(settings),
    formats: values.formats.length === 0 ? null : values.formats,
    priority: numberSaid(values.priority),
    weight: numberSaid(values.weight),
    timeouts: orNull(timeouts) as Words['timeouts'],
    breaker: orNull(breaker) as Words['breaker'],
    costs: values.costs.trim() === '' ? null : (jsonSaid(values.costs) as Words['costs']),
    models: Object.fromEntries(values.models.map(({ id, upstream }) => [id.trim(), upstream.trim()])),
  };
}

/** Returns the body for a new channel: empty values get their defaults. */
export function creationOf(values: ChannelValues, provider: Provider | undefined): CreateChannelRequest {
  const words = { id: said(values.id), ...wordsOf(values, provider) };
  return Object.fromEntries(Object.entries(words).filter(([, value]) => value !== null)) as CreateChannelRequest;
}

/** Returns only the changed members; the rest stays, including a key that was not typed again. */
export function changesOf(before: ChannelValues, after: ChannelValues, provider: Provider | undefined): Words {
  return changedMembers(wordsOf(before, provider), wordsOf(after, provider));
}

function filled(texts: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(texts).flatMap(([name, text]) => {
      const value = numberSaid(text);
      return value === null ? [] : [[name, value]];
    }),
  );
}

function orNull(map: Record<string, unknown>): Record<string, unknown> | null {
  return Object.keys(map).length === 0 ? null : map;
}
