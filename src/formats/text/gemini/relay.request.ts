import type { Feature } from '../../../domain/exchange/loss.ts';
import { type Edit, replaceValue } from '../../shared/json/json-patch.ts';
import { MemberNames, scanObject } from '../../shared/json/json-scan.ts';
import { entryOf, isRecord } from '../../shared/json/record.ts';
import { membersOf } from '../../shared/request/body.ts';
import type { ParsedRequest } from '../client-request.ts';
import type { BodyTest } from '../format.ts';
import type { Quirk } from '../quirk.ts';
import { hasRecord } from '../shared/relay-breach.ts';

type Json = Readonly<Record<string, unknown>>;

const CALLS = ['functionCall', 'functionResponse', 'function_call', 'function_response'];

/** The members of `generationConfig` that ask for a feature which some models refuse. */
const SETTINGS: Readonly<Partial<Record<Feature, readonly string[]>>> = {
  'frequency-penalty': ['frequencyPenalty', 'frequency_penalty'],
  'presence-penalty': ['presencePenalty', 'presence_penalty'],
  logprobs: ['responseLogprobs', 'response_logprobs', 'logprobs'],
};

/** See `ClientFormat.relayBreach`. */
export function relayBreach(quirks: readonly Quirk[]): BodyTest | null {
  const omitsIds = quirks.some((quirk) => quirk.kind === 'omit' && quirk.field === 'functionCall.id');
  const lacking = quirks.flatMap((quirk) => (quirk.kind === 'lacks' ? (entryOf(SETTINGS, quirk.feature) ?? []) : []));
  if (!omitsIds && lacking.length === 0) return null;
  const hasId = (part: Json) => CALLS.some((name) => isRecord(part[name]) && 'id' in part[name]);
  return ({ contents, generationConfig, generation_config }) => {
    const config = generationConfig ?? generation_config;
    if (isRecord(config) && lacking.some((name) => (config[name] ?? null) !== null)) return true;
    return omitsIds && hasRecord(contents, ({ parts }) => hasRecord(parts, hasId));
  };
}

const COUNT_MEMBERS = new MemberNames('generateContentRequest', 'generate_content_request');
const MODEL = new MemberNames('model');

/**
 * Returns the edits of the client's bytes. The path names the model and overrules a `model` beside `contents`. The API reads the
 * one inside a count's `generateContentRequest`, so it is always replaced by the upstream's model id.
 */
export function relayEdits(request: ParsedRequest, upstreamModel: string): readonly Edit[] {
  const { bytes, call } = request;
  if (call.purpose !== 'count-tokens') return [];
  const wrapper = membersOf(request, COUNT_MEMBERS).members[0];
  const inner = wrapper === undefined ? null : scanObject(bytes, wrapper.valueStart, MODEL);
  const name = JSON.stringify(`models/${upstreamModel}`);
  return inner?.members.map((member) => replaceValue(member, name)) ?? [];
}
