import { Failure } from '../../../domain/failure/failure.ts';
import { exactOf, jsonOf, keepText } from '../../../formats/shared/json/exact-json.ts';
import { jsonExcess } from '../../../formats/shared/json/json-extent.ts';
import { isRecord } from '../../../formats/shared/json/record.ts';

/** The path of the lines of a message batch. */
export const MESSAGES_PATH = '/v1/messages';
/** More would keep the parser busy for long, or overflow its stack. */
const JSON_BOUNDS = { mostValues: 500_000, deepest: 200 };
const CUSTOM_ID = /^[a-zA-Z0-9_-]{1,64}$/;

export interface MessageLine {
  readonly customId: string;
  /** The line of the input file, with its line break. */
  readonly json: string;
}

/**
 * Returns a request of a message batch as a line of a batch's input file, in OpenAI's shape. Checks only what the batch needs; `params` is
 * checked when the line runs.
 *
 * @param index its place in `requests`
 */
export function messageLine(bytes: Uint8Array, index: number): MessageLine | Failure {
  const place = `requests[${index}]`;
  const excess = jsonExcess(bytes, JSON_BOUNDS);
  if (excess === 'depth') return wrong(place, `must not be nested more than ${JSON_BOUNDS.deepest} levels deep`);
  if (excess === 'values') return wrong(place, `must not have more than ${JSON_BOUNDS.mostValues} values`);
  let text: string;
  let value: unknown;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    value = JSON.parse(text);
  } catch {
    return new Failure('invalid_json', { message: `\`${place}\` is not valid JSON.`, param: place });
  }
  if (!isRecord(value)) return wrong(place, 'must be an object');
  const { custom_id: customId, params, ...others } = value;
  const [other] = Object.keys(others);
  if (other !== undefined) {
    const param = `${place}.${other.slice(0, 100)}`;
    return new Failure('unsupported_parameter', {
      message: `\`${param}\` is unknown; a request has \`custom_id\` and \`params\`.`,
      param,
    });
  }
  if (typeof customId !== 'string' || !CUSTOM_ID.test(customId)) {
    return wrong(`${place}.custom_id`, 'must be 1 to 64 letters, digits, `_` or `-`');
  }
  if (!isRecord(params)) return wrong(`${place}.params`, 'must be an object, the body of a message request');
  if (params.stream === true) return wrong(`${place}.params.stream`, 'must be absent or false in a batch');
  keepText(value, text);
  const exact = exactOf(value);
  return {
    customId,
    json: `{"custom_id":"${customId}","method":"POST","url":"${MESSAGES_PATH}","body":${jsonOf(exact.params)}}\n`,
  };
}

function wrong(param: string, rule: string): Failure {
  return new Failure('invalid_value', { message: `\`${param}\` ${rule}.`, param });
}
