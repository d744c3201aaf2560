import { describe, expect, test } from 'bun:test';
import { withIssuedState } from '../../src/domain/exchange/issued-state.ts';
import type { ExchangeRequest } from '../../src/domain/exchange/request.ts';
import { Failure } from '../../src/domain/failure/failure.ts';
import { lossesHeader } from '../../src/engine/call/end-of-call.ts';
import { clientPath } from '../../src/engine/operations/text/client-path.ts';
import { conversationKeys } from '../../src/engine/operations/text/conversation-memory.ts';
import { clientFormats, upstreamFormats } from '../../src/formats/index.ts';
import type { InboundCall } from '../../src/formats/text/client-request.ts';
import type { ClientFormat, EncodeTarget, UpstreamFormat } from '../../src/formats/text/format.ts';
import type { Quirk } from '../../src/formats/text/quirk.ts';
import { promptTexts } from '../../src/formats/text/shared/prompt-texts.ts';
import { weighPrompt } from '../../src/formats/text/shared/prompt-weight.ts';
import { needsToolTranslation, ToolTranslation } from '../../src/formats/text/shared/tool-translation.ts';
import { expectLinear } from '../../tools/test/linear.ts';
import { REQUESTS } from './requests.ts';
import type { Body } from './schemas.ts';

/* Processing a client's request takes time proportional to its size, whatever it contains many times. */

const MOST = 4_000;
const utf8 = new TextEncoder();
const CALL: InboundCall = { purpose: 'generate', model: 'm', stream: true, framing: 'sse' };
const why = 'to have the rules of such providers run, too';
/** Quirks that walk through parts of the request. */
const QUIRKS: readonly Quirk[] = [
  { kind: 'tool-call-ids', pattern: /^[a-zA-Z0-9]{9}$/, length: 9, why },
  { kind: 'role', from: 'system', to: 'user', why },
  { kind: 'lacks', feature: 'custom-tools', verdict: 'approximated', isRefused: true, why },
];

function target({ carries }: UpstreamFormat, quirks: readonly Quirk[]): EncodeTarget {
  return { upstreamModel: 'upstream', stream: true, provider: 'p', channel: 'c', quirks, carries };
}

function read(format: ClientFormat, body: Body) {
  const parsed = format.parseRequest(utf8.encode(JSON.stringify(body)), CALL);
  return parsed instanceof Failure ? parsed : { ...parsed, stream: true };
}

/** Runs the steps that both lanes share. */
function look(format: ClientFormat, body: Body): void {
  const parsed = read(format, body);
  if (parsed instanceof Failure) return void format.encodeFailure(parsed);
  format.relayEdits(parsed, 'upstream');
  format.outputBound(parsed);
  format.objects.named(parsed.body);
  format.objects.mayIssue(parsed.body);
  format.issuing?.presented(parsed);
  format.storing?.references(parsed);
  format.storing?.inputItems(parsed, (prefix) => `${prefix}x`);
  format.storing?.continueFrom(parsed, []);
  conversationKeys({ accountId: 'acme', format, request: parsed, client: { header: () => null } });
  weighPrompt(parsed.body, format.conversation(parsed), parsed.bytes.length);
  promptTexts(parsed.body);
  needsToolTranslation(parsed.body, QUIRKS);
}

interface Read {
  readonly body: Body;
  readonly request: ExchangeRequest;
}

function decode(format: ClientFormat, body: Body): Read | null {
  const parsed = read(format, body);
  const request = parsed instanceof Failure ? parsed : format.decodeRequest(parsed);
  return request instanceof Failure ? null : { body, request };
}

/** Decodes each size of a request once for the tests that follow each other. */
class DecodedOnce {
  private make: ((count: number) => Body) | null = null;
  private readonly found = new Map<number, Read | null>();

  constructor(private readonly format: ClientFormat) {}

  of(make: (count: number) => Body, count: number): Read | null {
    if (this.make !== make) this.found.clear();
    this.make = make;
    const known = this.found.get(count);
    if (known !== undefined) return known;
    const decoded = decode(this.format, make(count));
    this.found.set(count, decoded);
    return decoded;
  }
}

/** Translates once, including the header that lists the losses. */
function translate({ body, request }: Read, upstream: UpstreamFormat, quirks: readonly Quirk[]): void {
  const names = upstream.toolNames;
  const tools = new ToolTranslation(request, { format: upstream.name, carries: upstream.carries, quirks, names });
  const ready = withIssuedState(tools.request(), upstream.stateFamily);
  const encoded = upstream.encodeRequest(ready, target(upstream, quirks));
  if (encoded instanceof Failure) return;
  const losses = [...tools.losses, ...encoded.losses];
  const header = lossesHeader(losses.map((loss) => ({ ...loss, field: clientPath(body, loss.field) })));
  expect(header?.length ?? 0).toBeLessThan(4_000);
}

for (const format of clientFormats.values()) {
  const requests = Object.entries(REQUESTS[format.name] ?? {});
  describe(`${format.name}: a request with many`, () => {
    test.each(requests)('%s is parsed', (_, make) => {
      expectLinear(MOST, make, (body) => look(format, body));
    });

    test.each(requests)('%s is decoded', (_, make) => {
      expectLinear(MOST, make, (body) => decode(format, body));
    });

    const decoded = new DecodedOnce(format);
    const encodings = requests.flatMap(([name, make]) =>
      [...upstreamFormats.values()].map((upstream) => [name, upstream.name, upstream, make] as const),
    );
    test.each(encodings)('%s is encoded for %s', (_name, _upstream, upstream, make) => {
      // Quirks only exist for servers that speak chat completions.
      const quirks = upstream.name === 'openai-chat' ? QUIRKS : [];
      const made = (count: number) => decoded.of(make, count);
      expectLinear(MOST, made, (request) => request && translate(request, upstream, quirks));
    });

    test.each(requests)('%s is a valid request', (name, make) => {
      const parsed = read(format, make(40));
      expect(parsed instanceof Failure ? `${name}: ${parsed.message}` : null).toBeNull();
    });
  });
}
