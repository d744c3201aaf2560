import { after } from '../../../domain/concurrency/after.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import type { Failure } from '../../../domain/failure/failure.ts';
import { applyEditsTo } from '../../../formats/shared/json/json-patch.ts';
import { labelEdits } from '../../../formats/shared/media/media-fields.ts';
import type { ParsedRequest, RelayPatch } from '../../../formats/text/client-request.ts';
import type { ClientFormat, StreamRelay } from '../../../formats/text/format.ts';
import { memberEdits, memberLosses, type RelayMembers, WITHOUT_SESSION } from '../../directory/relay-members.ts';
import type { TextTarget } from '../../directory/target.ts';
import { type ClientHeaders, relayedHeaders } from './relayed-headers.ts';
import type { StreamOfWhole, TextAnswer, TextLane } from './text-lane.ts';
import type { TranslationPorts } from './translation.ts';
import { namesIn, type WrittenRequest } from './written-request.ts';

/** Makes the translating lane, which the relay lane sometimes needs. */
export interface Translating {
  translatedLane(target: TextTarget, routing: RoutingFacts): TextLane;
}

/**
 * The relay lane: the client's bytes are sent with only the declared patches, and the answer's bytes come back
 * unchanged except for the model and `_routing`.
 */
export class RelayLane implements TextLane {
  constructor(
    private readonly format: ClientFormat,
    private readonly asked: ParsedRequest,
    private readonly target: TextTarget,
    private readonly client: ClientHeaders,
    private readonly routing: RoutingFacts,
    private readonly translating: Translating,
    private readonly ports: Pick<TranslationPorts, 'clock' | 'newId'>,
  ) {}

  request(): WrittenRequest | Promise<WrittenRequest> {
    const { format, asked, target } = this;
    const body = relayedBody(format, asked, target);
    return body instanceof Promise ? this.writtenLater(body) : this.written(body);
  }

  answer(bytes: Uint8Array): TextAnswer | Failure {
    const relayed = this.format.relayAnswer(bytes, this.patch);
    if (!('bytes' in relayed)) return relayed;
    const { bytes: body, usage, served } = relayed;
    return { body, usage, served };
  }

  stream(): StreamRelay {
    return this.format.relayStream(this.asked, this.patch);
  }

  /** A client that asked for a stream cannot read a whole answer. This is the only case in which the relay lane needs a translation. */
  streamOfWhole(bytes: Uint8Array): StreamOfWhole | Failure {
    return this.translating.translatedLane(this.target, this.routing).streamOfWhole(bytes);
  }

  private get patch(): RelayPatch {
    const { asked, routing, ports } = this;
    return {
      ...{ publicModel: asked.model, routing, newId: ports.newId },
      created: Math.floor(ports.clock.nowMs() / 1000),
    };
  }

  private written(body: Bytes): WrittenRequest {
    const { format, asked, client } = this;
    const { relayMembers } = this.target;
    const losses = relayMembers === null ? [] : memberLosses(asked.body, relayMembers);
    return { body, value: asked.body, names: namesIn(asked), headers: relayedHeaders(format, client), losses };
  }

  private async writtenLater(writing: Promise<Bytes>): Promise<WrittenRequest> {
    return this.written(await writing);
  }
}

type Bytes = Uint8Array<ArrayBuffer>;

function relayedBody(format: ClientFormat, request: ParsedRequest, target: TextTarget): Bytes | Promise<Bytes> {
  const { relayMembers, upstreamModel, takesSessionId } = target;
  // A provider that rejects `stream_options` reports usage without it.
  const omitsUsage = relayMembers?.omits.includes('stream_options') === true;
  const own = format.relayEdits(request, upstreamModel, !omitsUsage);
  const labels = labelEdits(request.bytes, format.media.filesIn(request));
  const edits = labels.length === 0 ? own : [...own, ...labels].sort((left, right) => left.start - right.start);
  const whole = applyEditsTo(request.bytes, edits);
  const isExtra = request.body.session_id !== undefined && !takesSessionId;
  const body = isExtra ? withMembers(whole, request, WITHOUT_SESSION) : whole;
  return relayMembers === null ? body : withMembers(body, request, relayMembers);
}

function withMembers(body: Bytes | Promise<Bytes>, request: ParsedRequest, members: RelayMembers) {
  return after(body, (bytes) => {
    const more = memberEdits(bytes, request, members);
    return more.length === 0 ? bytes : applyEditsTo(bytes, more);
  });
}
