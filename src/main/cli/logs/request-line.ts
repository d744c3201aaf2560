import { costOf, type ReceivedRequest, tokensOf } from '../remote/received-request.ts';
import { cut, fit, type Paint, shortDollars, shortDuration, shortNumber } from '../remote/words.ts';

/** The longest message of a failure in a line. */
const MOST_MESSAGE = 200;
const MOST_NAME = 60;

/** Formats a finished request as one line, whatever its names and messages contain. */
export function requestLine(request: ReceivedRequest, paint: Paint): string {
  const { id, at, account, key, channel, status, latency_ms: latencyMs, retry_count: retries } = request;
  const failed = request.error_code !== null;
  const { input, output } = tokensOf(request);
  const costNanoUsd = costOf(request);
  const retried = retries === null || retries === 0 ? '' : ` +${retries}`;
  const parts = [
    at
      .slice(0, 19)
      .replace(/[^\dT:-]/g, '?')
      .concat('Z'),
    paint(styleOf(request), fit(String(status), 3)),
    fit(shortDuration(latencyMs), 6, 'right'),
    fit(`${name(account)}/${name(key)}`, 20),
    fit(name(request.model ?? request.requested_model), 24),
    fit(request.cache === null ? `${name(channel)}${retried}` : `cache (${request.cache.match})`, 18),
    fit(`${shortNumber(input)}>${shortNumber(output)}`, 11, 'right'),
    fit(costNanoUsd === null ? '-' : shortDollars(costNanoUsd), 9, 'right'),
    name(id),
    ...(request.client_request_id === null ? [] : [`client=${name(request.client_request_id)}`]),
    ...(request.trace_id === null ? [] : [`trace=${name(request.trace_id)}`]),
    ...(failed ? [paint(styleOf(request), failureOf(request))] : []),
    ...(request.client_gone && !failed ? ['client disconnected'] : []),
  ];
  return parts.join(' ');
}

function failureOf({ error_code: code, error_message: message }: ReceivedRequest): string {
  return cut(message === null ? name(code) : `${name(code)}: ${message}`, MOST_MESSAGE);
}

/** Marks failures of the gateway and of upstreams, and those that clients have caused. */
function styleOf({ error_code: code, error_side: side, status }: ReceivedRequest): 'red' | 'yellow' | 'green' {
  if (code === null && status < 400) return 'green';
  return side === 'client' ? 'yellow' : 'red';
}

function name(text: string | null): string {
  return text === null ? '-' : cut(text, MOST_NAME);
}
