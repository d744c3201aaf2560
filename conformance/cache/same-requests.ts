import { expect, test } from 'bun:test';
import { seededRandom } from '../../src/domain/routing/testing/seeded-random.ts';
import { digestOf } from '../../src/engine/cache/testing/asked-bodies.ts';
import { changesOf, type Json, respelled } from '../../src/engine/cache/testing/body-changes.ts';
import { readRecordedRequest } from '../readers/index.ts';
import { type RecordingRow, readRecording } from '../shared/recordings.ts';

const RESPELLINGS = 2;
const LONGEST = 20_000;

/** A client's request. */
export interface Asked {
  readonly name: string;
  readonly format: string;
  readonly body: Json;
}

/** Returns the requests of the exchanges that are not too long, each body once. */
export function requestsIn(exchanges: readonly RecordingRow[]): readonly Asked[] {
  const seen = new Set<string>();
  return exchanges.flatMap((row) => {
    const request = readRecordedRequest(readRecording(row));
    const text = JSON.stringify(request?.body);
    if (request === null || request.format === null || text.length > LONGEST || seen.has(text)) return [];
    seen.add(text);
    return { name: row.file, format: request.format, body: withModel(request.format, request.body) };
  });
}

export function withModel(format: string, body: object): Json {
  // Both are JSON values.
  return { ...(body as { [name: string]: Json }), ...(format === 'gemini' ? {} : { model: 'm' }) };
}

/** The fields that may change without changing the response, by format. */
const WITHOUT_EFFECT: Readonly<Record<string, RegExp>> = {
  // Cache marks, billing, names, storage, speed and framing; fields that duplicate others; and the ids that link calls.
  'openai-chat':
    /(^|\.)cache_control(\.|$)|^(metadata|prediction|stream_options|usage)(\.|$)|^(stream|store|user|safety_identifier|service_tier|prompt_cache_(key|retention))$|tool_calls\[\]\.(id|index|type|custom.*)$|\.audio\.(data|expires_at)$|\.function_call$|reasoning_details\[\]$|\.thinking\[\]\.type$|\.source\.type$|^tool_choice\.allowed_tools/,
  'openai-responses':
    /^(metadata|stream_options)(\.|$)|^(stream|store|user|safety_identifier|service_tier|prompt_cache_key)$|^input\[\]\.(id|status|type)$|\.summary\[\](\.type)?$|^include|^tool_choice(\.tools\[\])?$/,
  'anthropic-messages': /(^|\.)cache_control(\.|$)|^metadata(\.|$)|^(stream|service_tier)$|\.(caller|id|tool_use_id)$/,
  gemini: /^(labels|model)(\.|$)|responseMimeType$|\.parts\[\]\.thought$|functionResponse\.parts\[\]$/,
};

/** Values that mean the same as an absent field. */
const SAYS_NOTHING = new RegExp(
  `^(?:${[
    ...['null', '\\[\\]', '\\{\\}', '""', 'false', '0', '1', 'true', '-1'],
    '"(?:user|auto|function|text|disabled|default|AUTO|USER|model|message|TEXT|MODE_UNSPECIFIED)"',
    ...['\\{"type":"(?:auto|text)"\\}', '\\{"candidateCount":1\\}', '\\["(?:text|TEXT)"\\]'],
    '\\{(?:"functionCallingConfig":\\{)?"mode":"MODE_UNSPECIFIED"\\}+',
  ].join('|')})$`,
);

/** Fields by which a result names its call, which their order also shows; and the order of stop sequences. */
const SAID_BY_ORDER =
  /^removed messages\[\]\.(?:tool_call_id|name)$|^removed .*functionResponse\.id$|^swapped stop\[\]$/;

/** Defines the test of which requests are equal for the cache. */
export function testSameRequests(requests: readonly Asked[]): void {
  test('are equal in another spelling, and differ after any relevant change', () => {
    const random = seededRandom(7);
    const unstable: string[] = [];
    const unexplained = new Set<string>();
    let others = 0;
    for (const { name, format, body } of requests) {
      const whole = digestOf(format, JSON.stringify(body));
      if (whole === null) continue;
      for (let count = 0; count < RESPELLINGS; count++) {
        if (digestOf(format, respelled(body, random)) !== whole) unstable.push(name);
      }
      for (const { path, kind, body: changed, was } of changesOf(body)) {
        const digested = digestOf(format, JSON.stringify(changed));
        if (digested !== whole) {
          others += digested === null ? 0 : 1;
          continue;
        }
        const plain = path.replaceAll(/\[\d+\]/g, '[]');
        if (WITHOUT_EFFECT[format]?.test(plain) || SAID_BY_ORDER.test(`${kind} ${plain}`)) continue;
        if (kind === 'removed' && SAYS_NOTHING.test(JSON.stringify(was))) continue;
        unexplained.add(`${format} ${kind} ${plain}: ${JSON.stringify(was).slice(0, 80)} (${name})`);
      }
    }
    expect(unstable).toEqual([]);
    expect([...unexplained].sort()).toEqual([]);
    expect(others).toBeGreaterThan(requests.length);
  });
}
