import { z } from 'zod';
import { parseNanoUsd } from '../../../domain/money/nano-usd.ts';

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? null);
const number = z
  .number()
  .nullish()
  .transform((value) => value ?? null);

const QUANTITY = z.object({ unit: z.string(), amount: z.number() });

/** The members of a line of the request log that the commands show. A newer gateway may send more, an older one fewer. */
const REQUEST = z.object({
  id: z.string(),
  at: z.string(),
  client_request_id: text,
  trace_id: text,
  account: text,
  key: text,
  format: text,
  model: text,
  requested_model: text,
  channel: text,
  stream: z
    .boolean()
    .nullish()
    .transform((value) => value === true),
  status: z.number(),
  error_code: text,
  error_message: text,
  error_side: text,
  client_gone: z
    .boolean()
    .nullish()
    .transform((value) => value === true),
  retry_count: number,
  latency_ms: z.number(),
  first_byte_ms: number,
  usage: z
    .object({ quantities: z.array(QUANTITY) })
    .nullish()
    .transform((value) => value ?? null),
  cost_usd: text,
  cache: z
    .object({ match: z.string() })
    .nullish()
    .transform((value) => value ?? null),
});

/** A finished request as the management API sends it, with the JSON that it came from. */
export interface ReceivedRequest extends z.output<typeof REQUEST> {
  readonly json: unknown;
}

/** Parses a line of the request log; `null` if it is not one. */
export function receivedRequest(data: string | object): ReceivedRequest | null {
  try {
    const json: unknown = typeof data === 'string' ? JSON.parse(data) : data;
    const parsed = REQUEST.safeParse(json);
    return parsed.success ? { ...parsed.data, json } : null;
  } catch {
    return null;
  }
}

/** The cost of a request in nano-USD; `null` if it is unknown. */
export function costOf({ cost_usd: usd }: Pick<ReceivedRequest, 'cost_usd'>): bigint | null {
  const parsed = usd === null ? null : parseNanoUsd(usd);
  return parsed?.ok === true ? parsed.amountNanoUsd : null;
}

/** The tokens of a request: those that went in, cached or not, and those that came out. */
export function tokensOf({ usage }: Pick<ReceivedRequest, 'usage'>): {
  readonly input: number;
  readonly output: number;
} {
  let input = 0;
  let output = 0;
  for (const { unit, amount } of usage?.quantities ?? []) {
    if (!unit.endsWith('_token')) continue;
    if (OUTPUT_UNITS.test(unit)) output += amount;
    else input += amount;
  }
  return { input, output };
}

/** The units of tokens that a model generates; all others are part of the prompt. */
const OUTPUT_UNITS = /^(?:output|reasoning|audio_output|image_output)_token$/;
