import type { Transcript, TranscriptionRequest } from '../../../domain/audio/transcription.ts';
import { wantsWords } from '../../../domain/audio/transcription.ts';
import type { RoutingFacts } from '../../../domain/exchange/routing-info.ts';
import { Failure } from '../../../domain/failure/failure.ts';
import { audioFormatOf } from '../../../domain/media/audio-format.ts';
import type { Billable } from '../../../domain/money/quantity.ts';
import type { ModelGrant } from '../../../domain/routing/model-step.ts';
import { transcriptionWires } from '../../../formats/index.ts';
import { garbage } from '../../../formats/shared/failure/answer-failure.ts';
import { encodeStreamFailure } from '../../../formats/shared/failure/openai-failure.ts';
import { KEEP_ALIVE } from '../../../formats/shared/stream/sse.ts';
import { encodeAnswer } from '../../../formats/transcription/openai-transcriptions/response.ts';
import { FORM_RULES, type ParsedForm, parseForm } from '../../../formats/transcription/openai-transcriptions/schema.ts';
import { EventWriter, eventsOfWhole } from '../../../formats/transcription/openai-transcriptions/stream.ts';
import { textParts } from '../../../formats/transcription/shared/transcription-request.ts';
import type { TranscriptionWire } from '../../../formats/transcription/wire.ts';
import type { WireAnswer } from '../../../formats/wire.ts';
import type { KnownStream, Lane, LaneRequest, WholeResponse } from '../../call/lane.ts';
import type { Asking, FormInbound, Job, OpenCall, Operation, Streaming } from '../../call/operation.ts';
import type { Ways } from '../../directory/directory.ts';
import { findWays } from '../../directory/find-ways.ts';
import type { Target } from '../../directory/target.ts';
import { audioDurationMs } from '../audio-duration.ts';
import { defaultModel } from '../default-model.ts';
import { PlainFacts } from '../plain-facts.ts';
import { laneRequestOf } from '../several-requests.ts';
import { refusalOfParts, unknownOption } from '../shared-channel.ts';
import { AudioSize } from './audio-size.ts';
import { TranscriptStream } from './transcript-stream.ts';

/** The endpoint of each kind, and the category of its models. */
const KINDS = {
  transcription: { operation: 'audio.transcriptions', category: 'stt' },
  translation: { operation: 'audio.translations', category: 'translation' },
} as const;

/** OpenAI's only model for translations (its published document, `CreateTranslationRequest`). */
const USUAL_TRANSLATOR = 'whisper-1';

/** Handles `POST /v1/audio/transcriptions` and `/v1/audio/translations` in OpenAI's shape, over any transcription wire. */
export class TranscriptionOperation implements Operation<FormInbound, Target, TranscriptStream> {
  constructor(private readonly kind: TranscriptionRequest['kind']) {}

  async read(inbound: FormInbound, call: OpenCall): Promise<Asking<Target, TranscriptStream> | Failure> {
    const { principal, outcome } = call;
    const form = await inbound.readForm(principal.account.id, FORM_RULES);
    if (form instanceof Failure) return form;
    outcome.whenOver(() => form.remove());
    outcome.wants(form.fields.get('model')?.[0] ?? null);
    const parsed = parseForm(form, this.kind);
    if (parsed instanceof Failure) return parsed;
    outcome.asks({ stream: parsed.asked.stream });
    const format = audioFormatOf(parsed.file, 'file');
    if (format instanceof Failure) return format;
    return this.asking(call, parsed, { model: parsed.model, mediaType: format.mediaType }, null);
  }

  private asking(
    call: OpenCall,
    parsed: ParsedForm,
    { model, mediaType }: { readonly model: string | null; readonly mediaType: string },
    grant: ModelGrant | null,
  ): Asking<Target, TranscriptStream> {
    const { principal, outcome } = call;
    const { operation, category } = KINDS[this.kind];
    return {
      modelId: model,
      withModel: (other, granted) => this.asking(call, parsed, { model: other, mediaType }, granted),
      facts: () => new PlainFacts({ stream: parsed.asked.stream }),
      route: async (directory) => {
        const usual = () =>
          defaultModel(directory, principal, operation, [{ preferred: [USUAL_TRANSLATOR] }]) ?? USUAL_TRANSLATOR;
        const modelId = model ?? usual();
        const ways = findWays(directory, principal, { modelId, operation, category, grant });
        if (ways instanceof Failure) return ways;
        outcome.names(modelId);
        return new Transcribing(await requestOf(parsed, modelId, mediaType), ways);
      },
    };
  }
}

async function requestOf({ file, asked }: ParsedForm, model: string, mediaType: string): Promise<TranscriptionRequest> {
  return { ...asked, model, file, mediaType, durationMs: await audioDurationMs(file, mediaType) };
}

class Transcribing implements Job<Target, TranscriptStream> {
  readonly modelId: string;
  readonly stream: boolean;
  readonly streaming: Streaming<TranscriptStream>;
  private readonly size: AudioSize;

  constructor(
    private readonly request: TranscriptionRequest,
    readonly ways: Ways<Target>,
  ) {
    this.modelId = request.model;
    this.stream = request.stream;
    this.size = new AudioSize(request, ways.model);
    this.streaming = {
      contentType: () => 'text/event-stream',
      ping: KEEP_ALIVE,
      encodeFailure: encodeStreamFailure,
      isReported: ({ transcript }) => this.size.billableOf(transcript).source === 'reported',
      billableOf: ({ transcript }) => this.size.billableOf(transcript),
    };
  }

  bounds(): AudioSize {
    return this.size;
  }

  lane(target: Target, routing: RoutingFacts): Lane<TranscriptStream> {
    const wire = transcriptionWires.get(target.wire.name);
    if (wire === undefined) throw new Error(`${target.wire.name} is not a wire for transcripts`);
    const attempt = new Attempt(wire, target, routing, this.request, this.size);
    const { openStream } = wire;
    return {
      isRelayed: wire.isClients === true,
      request: () => attempt.request(),
      answer: (bytes, headers) => attempt.answer({ bytes, headers }),
      streamOfWhole: (bytes, headers) => attempt.streamOfWhole({ bytes, headers }),
      // The call passes the object that `answer` returned.
      streamOfAnswer: (answer) => attempt.wholeStream((answer as TranscriptAnswer).transcript),
      ...(wire.next !== undefined && { next: (answer) => wire.next?.(answer, target) ?? null }),
      ...(openStream !== undefined && { stream: () => attempt.newStream(openStream(this.request)) }),
    };
  }
}

/** Carries one request to a target and its transcript back. */
class Attempt {
  constructor(
    private readonly wire: TranscriptionWire,
    private readonly target: Target,
    private readonly routing: RoutingFacts,
    private readonly asked: TranscriptionRequest,
    private readonly size: AudioSize,
  ) {}

  request(): LaneRequest | Failure {
    const { wire, target, asked } = this;
    const refusal =
      wire.isClients === true
        ? refusalOfParts(target, foreignParts(asked))
        : unknownOption(target, asked.options, wire.harmlessOptions ?? []);
    if (refusal !== null) return refusal;
    const encoded = wire.encodeRequest(asked, target);
    return encoded instanceof Failure ? encoded : laneRequestOf(encoded);
  }

  answer(answer: WireAnswer): TranscriptAnswer | Failure {
    const transcript = this.decoded(answer);
    if (transcript instanceof Failure) return transcript;
    const { body, contentType } = encodeAnswer(transcript, this.asked, this.routing);
    const billable: Billable = this.size.billableOf(transcript);
    return { body, contentType, billable, served: { model: transcript.model, serviceTier: null }, transcript };
  }

  streamOfWhole(answer: WireAnswer): KnownStream<TranscriptStream> | Failure {
    const transcript = this.decoded(answer);
    return transcript instanceof Failure ? transcript : this.wholeStream(transcript);
  }

  wholeStream(transcript: Transcript): KnownStream<TranscriptStream> {
    const relay = this.newStream(null);
    return { relay, bytes: relay.take(eventsOfWhole(transcript, this.asked)) };
  }

  newStream(reader: ConstructorParameters<typeof TranscriptStream>[0]): TranscriptStream {
    return new TranscriptStream(reader, new EventWriter(this.routing), (transcript) =>
      problemOf(transcript, this.asked),
    );
  }

  private decoded(answer: WireAnswer): Transcript | Failure {
    const transcript = this.wire.decodeAnswer(answer, this.asked, this.target);
    if (transcript instanceof Failure) return transcript;
    return problemOf(transcript, this.asked) ?? transcript;
  }
}

/** Yields the parts that are forwarded to a server of the same format although the gateway does not know them. */
function* foreignParts({ options, others }: TranscriptionRequest) {
  yield* others;
  for (const [name, value] of textParts(options)) yield [name, [value]] as const;
}

interface TranscriptAnswer extends WholeResponse {
  readonly transcript: Transcript;
}

/** Returns why a transcript does not answer the request, since servers may ignore unknown members; `null` if it does. */
function problemOf({ text, words, segments }: Transcript, asked: TranscriptionRequest): Failure | null {
  if (text.trim() === '') return null;
  if (wantsWords(asked) && (words === null || words.length === 0)) {
    return garbage('The upstream returned no timestamps for the words.');
  }
  if (asked.format !== 'diarized_json' || asked.stream) return null;
  const speakers = [...(segments ?? []), ...(words ?? [])].map(({ speaker }) => speaker);
  return speakers.some((speaker) => speaker !== null)
    ? null
    : garbage('The upstream did not distinguish the speakers.');
}
